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

  /// The tags that are typed where one can be: commas and semicolons separate several.
  ///
  /// - Throws: `AppError` when nothing is left.
  package static func titles(from typed: String) throws -> [String] {
    let parts = typed.split(whereSeparator: \.separatesTags).map(String.init)
    let titles = parts.compactMap { try? title(from: $0) }  // Nothing between two commas is none.
    return titles.isEmpty ? [try title(from: "")] : titles
  }

  /// Throws when a title would be that of several tags wherever it is typed.
  static func checkIsOne(_ title: String) throws {
    guard title.contains(where: \.separatesTags) else { return }
    throw AppError(
      .invalidInput, "Commas and semicolons separate tags, and are in the name of none.",
      hint: "For example: #errand")
  }

  /// Whether two titles are of one tag: they differ by the case of their letters at most.
  ///
  /// The key of the table does not distinguish the case of ASCII letters, and that of no others
  /// (SQLite's NOCASE). So a title becomes that of the tag that there is before it is written
  /// (`asMade`); what other programs and other devices have made apart stays as it is.
  static func isSame(_ one: Tag.ID, _ other: Tag.ID) -> Bool {
    one.lowercased() == other.lowercased()
  }

  /// Titles as the tags have them that there are; of new ones that are the same tag the first.
  ///
  /// - Parameters:
  ///   - titles: The titles.
  ///   - present: Tags that are meant before all others.
  ///   - db: The database.
  static func asMade(
    _ titles: [Tag.ID], preferring present: [Tag.ID] = [], _ db: Database
  ) throws -> [Tag.ID] {
    guard titles.contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) else { return titles }
    // Few, as all tags are.
    let others = try String.fetchAll(
      db.cachedStatement(
        sql: "SELECT title FROM tags WHERE title GLOB '*[^ -~]*' ORDER BY title"))
    let groups = [present, others].map { Dictionary(grouping: $0) { $0.lowercased() } }
    var new: [String: Tag.ID] = [:]
    return titles.map { title in
      let key = title.lowercased()
      if let same = groups.lazy.compactMap({ $0[key] }).first {
        return same.first { RowID(.tags, $0) == RowID(.tags, title) } ?? same[0]
      }
      let made = new[key] ?? title
      new[key] = made
      return made
    }
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
  /// Whether it stands between tags.
  package var separatesTags: Bool { self == "," || self == ";" }

  /// White space, or a control character.
  fileprivate var isBlank: Bool {
    isWhitespace || unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
