import GRDB
import SQLiteSync

/// A word that reminders can carry.
///
/// The title is the primary key: the same tag made on two devices is one record.
public enum Tag {
  /// The title, which stands after the `#`; case does not distinguish two tags.
  public typealias ID = String

  /// A title as people type it (`#Car`, ` night out `) made into one: no `#`, no white space, and
  /// letters with accents as one character each, whatever they were typed or pasted as.
  ///
  /// - Throws: `AppError` when nothing is left.
  public static func title(from typed: String) throws -> String {
    let words = typed.drop { $0 == "#" || $0.isWhitespace }.split(whereSeparator: \.isBlank)
    guard !words.isEmpty else {
      throw AppError(.invalidInput, "A tag needs a name.", hint: "For example: #errand")
    }
    return words.joined(separator: "-").precomposedStringWithCanonicalMapping
  }

  /// Throws when no other device could get a tag with this title: it is the name of a record.
  static func checkTitle(_ title: String) throws {
    guard !isValid(title) else { return }
    if title.hasPrefix("_") {
      throw AppError(
        .invalidInput, "A tag must not begin with an underscore.", hint: "For example: #later")
    }
    // Letters that are not ASCII count more.
    var fitting = title.prefix(longestTitle)
    while !fitting.isEmpty, !isValid(String(fitting)) { fitting.removeLast() }
    throw AppError(
      .invalidInput,
      "A tag may have at most \(longestTitle) characters, "
        + "and of this one the first \(fitting.count).",
      hint: "Letters that are not ASCII count more than others.")
  }

  private static func isValid(_ title: String) -> Bool {
    SyncEngine.isValidKey(title, of: databaseTableName)
  }

  /// Characters of ASCII in the longest title.
  private static let longestTitle = 250
}

extension Tag: TableRecord {
  /// The table.
  public static var databaseTableName: String { "tags" }
}

extension Character {
  /// White space, or a control character.
  fileprivate var isBlank: Bool {
    isWhitespace || unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
