import Foundation
import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// The one row about this device: `sync_state`.
///
/// Who it is, whose data it has, which cloud it is in step with, and whether capture is muted.
struct DeviceState {
  let db: Database

  static let table = "sync_state"

  /// An SQL expression, true while the engine writes: what it writes is not captured.
  static let isApplying = "(SELECT isApplying FROM sync_state)"
  /// An SQL expression for the account that is signed in, or was last.
  static let account = "(SELECT account FROM sync_state)"

  /// Whether there is such a table.
  func exists() throws -> Bool { try db.hasTable("sync_state") }

  /// Whether the row is there.
  func hasRow() throws -> Bool {
    try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_state)")) ?? false
  }

  /// Who the device is; nil before it has an identity.
  func device() throws -> UUID? {
    guard try exists() else { return nil }
    return try String.fetchOne(db.cachedStatement(sql: "SELECT device FROM sync_state"))
      .flatMap(UUID.init(uuidString:))
  }

  func set(device: UUID) throws {
    try db.execute(sql: "UPDATE sync_state SET device = ?", arguments: [device.lowercaseString])
  }

  /// The file that got the identity.
  func file() throws -> String? { try String.fetchOne(db, sql: "SELECT file FROM sync_state") }

  func set(file: String) throws {
    try db.execute(sql: "UPDATE sync_state SET file = ?", arguments: [file])
  }

  /// Who is signed in, or was last.
  func account() throws -> AccountID? {
    try String.fetchOne(db.cachedStatement(sql: "SELECT \(Self.account)"))
      .flatMap(AccountID.init(rawValue:))
  }

  /// Whether somebody signed out, and nobody has signed in since.
  func isSignedOut() throws -> Bool {
    // Files of 0.1.0 do not say.
    let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM sync_state"))
    return try row?.read("isSignedOut") as Bool? ?? false
  }

  func signIn(_ account: AccountID) throws {
    try db.execute(
      sql: "UPDATE sync_state SET account = ?, isSignedOut = 0", arguments: [account.rawValue])
  }

  /// Nobody is signed in any more; the account stays known as the last one.
  func signOut() throws {
    try db.execute(sql: "UPDATE sync_state SET isSignedOut = 1")
  }

  /// The cloud that the database was in step with last; nil before the first time.
  func cloud() throws -> String? { try String.fetchOne(db, sql: "SELECT cloud FROM sync_state") }

  func set(cloud: String) throws {
    try db.execute(sql: "UPDATE sync_state SET cloud = ?", arguments: [cloud])
  }

  /// Runs `body` with capture muted: the flag and the writes are in one transaction.
  func muted<T>(_ body: () throws -> T) throws -> T {
    try db.cachedStatement(sql: "UPDATE sync_state SET isApplying = 1").execute()
    let result = try body()
    try db.cachedStatement(sql: "UPDATE sync_state SET isApplying = 0").execute()
    return result
  }
}
