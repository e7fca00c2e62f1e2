import Foundation
import GRDB
import SQLiteSyncCloud

/// A device that has changed something in the cloud.
public struct SyncDevice: Identifiable, Hashable, Sendable {
  /// The device, in every cloud.
  public let id: UUID
  /// Whose changes it sent.
  public let account: AccountID
  /// What people call it; nil when it has not told, and for the devices of other accounts.
  public let name: String?

  /// The devices whose changes came to this database; this one is among them once its own came
  /// back.
  public static func all(_ db: Database) throws -> [SyncDevice] {
    let names = try DeviceNames(db: db).all()
    return try KnownDevices(db: db).all().compactMap { known in
      known.account.map {
        SyncDevice(id: known.device, account: $0, name: names[known.device])
      }
    }
  }
}

/// Whose device has which bits in a clock: `sync_devices`.
///
/// What they are called is in `DeviceNames`.
struct KnownDevices {
  let db: Database

  struct Entry {
    let bits: UInt16
    let device: UUID
    let account: AccountID?
  }

  /// All of them, in the order of their names.
  func all() throws -> [Entry] {
    guard try db.hasTable("sync_devices") else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(sql: "SELECT bits, device, account FROM sync_devices ORDER BY device")
    ).compactMap { row in
      try UUID(uuidString: row.read(1)).map {
        try Entry(
          bits: UInt16(truncatingIfNeeded: row.read(0) as Int64), device: $0,
          account: AccountID(rawValue: row.read(2)))
      }
    }
  }

  /// Remembers a device; the first one that has the bits keeps them.
  func add(_ device: String, of account: AccountID) throws {
    guard let id = UUID(uuidString: device) else { return }
    try db.cachedStatement(
      sql: "INSERT INTO sync_devices VALUES (?, ?, ?) ON CONFLICT (bits) DO NOTHING"
    ).execute(arguments: [Int64(id.clockBits), device, account.rawValue])
  }

  /// An SQL expression for whose device wrote a clock last, unless it is the account's own.
  static func otherAuthor(ofClock clock: String) -> String {
    """
    (
      SELECT account FROM sync_devices WHERE bits = \(clock) & 65535
        AND account <> \(DeviceState.account)
    )
    """
  }
}
