import Cloud
import Foundation
import GRDB

/// A device that has changed something in the cloud.
public struct SyncDevice: Identifiable, Hashable, Sendable {
  /// The device, in every cloud.
  public let id: UUID
  /// Whose changes it sent.
  public let account: AccountID

  /// The devices whose changes came to this database; this one is among them once its own came
  /// back.
  public static func all(_ db: Database) throws -> [SyncDevice] {
    guard try db.hasTable("sync_devices") else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(sql: "SELECT device, account FROM sync_devices ORDER BY device")
    ).compactMap { row in
      guard let id = UUID(uuidString: row[0]), let account = AccountID(rawValue: row[1]) else {
        return nil
      }
      return SyncDevice(id: id, account: account)
    }
  }
}
