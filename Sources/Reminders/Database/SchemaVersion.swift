import GRDB
import SQLiteSync

/// The versions of the schema.
///
/// The app can be run with an earlier one on purpose, to see how an old app and a new one get on.
public enum SchemaVersion: Int, CaseIterable, Comparable, Sendable {
  /// Lists, reminders and tags.
  case lists = 1
  /// With links and cover images.
  case linksAndCovers = 2

  /// The one that the app is made for.
  public static let current = SchemaVersion.linksAndCovers

  /// The earlier is the smaller.
  public static func < (one: SchemaVersion, other: SchemaVersion) -> Bool {
    one.rawValue < other.rawValue
  }

  /// The tables to synchronize, parents before children.
  public var synchronizedTables: [any TableRecord.Type] {
    AppDatabase.synchronizedTables.filter { has(.covers) || $0 != RemindersListAsset.self }
  }

  /// Something that not every version has: whoever shows or asks for it looks here first.
  public enum Feature: Hashable, Sendable {
    /// `reminders.url`.
    case links
    /// `remindersListAssets`.
    case covers

    /// The first version that has it.
    var since: SchemaVersion { .linksAndCovers }
  }

  /// Whether it has something; what needs nothing special, nil, every version has.
  public func has(_ feature: Feature?) -> Bool {
    feature.map { self >= $0.since } ?? true
  }

  /// The error for what an earlier version has no place for.
  func lacks(_ feature: Feature) -> AppError {
    let what =
      switch feature {
      case .links: "links"
      case .covers: "cover images"
      }
    return AppError(
      .invalidInput, "Schema \(rawValue) has no \(what).",
      hint: "Run the app without --schema to have them.")
  }
}

extension Database {
  /// The version of the schema that the file has.
  var schemaVersion: SchemaVersion {
    get throws {
      try hasTable(RemindersListAsset.databaseTableName) ? .linksAndCovers : .lists
    }
  }
}
