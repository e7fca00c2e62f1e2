import Foundation
import GRDB
import SQLiteSync

/// Finds everything that a person has put into the app, for a file outside of it.
public struct ExportQuery: Query {
  /// Decides in which zone times are written.
  public var time: LocalTime

  /// The query for whoever looks at this time.
  public init(time: LocalTime) {
    self.time = time
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Export {
    let covers = try Self.covers(db)
    return Export(
      lists: try RemindersList.fetchAll(
        db,
        sql: """
          SELECT id, title, color, position FROM remindersLists ORDER BY \(SQL.orderOfLists)
          """
      ).map { Export.List($0, cover: covers[$0.id]) },
      tags: try String.fetchAll(db, sql: "SELECT title FROM tags ORDER BY title"),
      reminders: try RowRequest(condition: Condition("TRUE", isNarrow: true), order: .manual)
        .all(db).map { ReminderJSON($0, in: time) },
      unsent: try SyncPendingChange.all(db).map(Export.Unsent.init))
  }

  private static func covers(_ db: Database) throws -> [RemindersList.ID: Data] {
    guard try db.schemaVersion.hasCovers else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: try Row.fetchAll(
        db,
        sql: "SELECT remindersListID, coverImage FROM remindersListAssets WHERE coverImage NOTNULL"
      ).map { ($0[0] as String, $0[1] as Data) })
  }
}

/// Everything that a person has put into the app; its shape in JSON is for other programs.
public struct Export: Encodable, Hashable, Sendable {
  /// A list with its cover.
  public struct List: Encodable, Hashable, Sendable {
    let id: String
    let title: String
    /// `0xRRGGBB`.
    let color: Int
    /// Null when it is no number that JSON has.
    let position: Double?
    /// An image file, in Base64.
    let coverImage: Data?

    init(_ list: RemindersList, cover: Data?) {
      id = list.id
      title = list.title
      color = list.color
      position = list.position.finite
      coverImage = cover
    }
  }

  /// A row with an edit that the cloud does not have yet.
  public struct Unsent: Encodable, Hashable, Sendable {
    let table: String
    let id: String
    let isDeletion: Bool

    init(_ change: SyncPendingChange) {
      table = change.table
      id = change.key
      isDeletion = change.isDeletion
    }
  }

  /// Of the shape of the document.
  public let version = 1
  /// The lists in manual order.
  public let lists: [List]
  /// All tags by title.
  public let tags: [String]
  /// All reminders, completed ones too, in manual order.
  public let reminders: [ReminderJSON]
  /// What only this device has, and what only it has deleted.
  public let unsent: [Unsent]

  /// The document.
  public func json() throws -> Data {
    Data((try JSONText.text(self) + "\n").utf8)
  }

  /// Writes the document to a new file.
  ///
  /// - Throws: `AppError` when it cannot be written, or when there is a file already.
  public func write(to file: URL) throws {
    try NewFile.write(json(), to: file)
  }
}

extension Export {
  /// A name that no other export has: `reminders-20261121-143200.json`.
  public static func fileName(at time: LocalTime) -> String {
    NewFile.name("reminders", "json", at: time)
  }
}
