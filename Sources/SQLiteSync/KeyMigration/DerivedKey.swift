import Foundation
import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// The keys that take the place of others.
///
/// Each is a UUID of version 8 (RFC 9562) made of the SHA-256 of a namespace, the table and what
/// the key was: that is the same key wherever it stands, and another one in another table or
/// database.
package struct DerivedKey {
  /// What the integer was.
  package enum Origin: String {
    case key, rowid
  }

  /// Different for each database, so that rows of two devices do not meet under one key.
  private let namespace: String

  package init(namespace: UUID) {
    self.namespace = namespace.uuidString
  }

  /// The key for an integer of a table.
  package func key(_ integer: Int64, table: String, origin: Origin = .key) -> String {
    Self.key([namespace, table, origin.rawValue, "\(integer)"])
  }

  /// The key under which a row comes back that may live on under its own.
  static func key(restoring entry: SyncHistory.Entry) -> String {
    key([
      entry.winner.device?.uuidString ?? "", entry.table, entry.key,
      "\(entry.winner.milliseconds)",
    ])
  }

  /// The key of an account's own copy of a row that it may only read.
  static func key(copying row: SyncHistory.RowReference, for account: AccountID?) -> String {
    key(["copy", account?.rawValue ?? "", row.table, row.key])
  }

  private static func key(_ parts: [String]) -> String {
    let text = parts.joined(separator: "\u{0}")
    var bytes = SHA256.digest(of: Array(text.utf8)).prefix(16)
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      .lowercaseString
  }

  /// Runs statements that may call the function `sync_derived_key(table, origin, integer)`.
  func withFunction<T>(in db: Database, _ body: () throws -> T) throws -> T {
    let function = DatabaseFunction("sync_derived_key", argumentCount: 3, pure: true) { values in
      guard let table = String.fromDatabaseValue(values[0]),
        let origin = String.fromDatabaseValue(values[1]).flatMap(Origin.init),
        !values[2].isNull
      else { return nil }
      guard case .int64(let integer) = values[2].storage else {
        throw DatabaseError(message: "\(values[2]) is not an integer")
      }
      return key(integer, table: table, origin: origin)
    }
    db.add(function: function)
    defer {
      // A full-text index that was made in this transaction reads on until the next savepoint, and
      // as long as anything reads SQLite lets no function go. An error of this one says nothing.
      try? db.execute(sql: "SAVEPOINT sync_derived_key; RELEASE sync_derived_key")
      db.remove(function: function)
    }
    return try body()
  }

  /// A call of that function.
  static func sql(table: String, origin: Origin = .key, of integer: String) -> String {
    "sync_derived_key(\(table.quotedLiteral), '\(origin.rawValue)', \(integer))"
  }
}
