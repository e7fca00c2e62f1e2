import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncHashing

/// Finds what the file knows of synchronization, whether or not an engine runs.
public struct SyncQuery: Query {
  /// Which device the file is, whose data is in it, and what waits to be synchronized.
  public struct Value: Hashable, Sendable {
    /// The device, in every cloud.
    public var device: UUID
    /// What the device has told the others that it is called; nil before that.
    public var deviceName: String?
    /// Whose data it is.
    public var account: SyncAccount
    /// The account's other devices, as far as changes of theirs came here.
    public var otherDevices: [SyncDevice]
    /// How many records wait for what.
    public var counts: SyncCounts
  }

  /// The query.
  public init() {}

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Value {
    let device = try SyncEngine.device(of: db)
    let account = try SyncAccount(db)
    let devices = try SyncDevice.all(db)
    return Value(
      device: device, deviceName: devices.first { $0.id == device }?.name, account: account,
      otherDevices: devices.filter { $0.account == account.id && $0.id != device },
      counts: try SyncCounts(
        db, tables: AppDatabase.synchronizedTables + AppDatabase.privateTables))
  }
}

extension SyncDevice {
  /// What people call it; where nobody has told, `device 9f1c`, the beginning of its id.
  public var label: String { name ?? id.deviceLabel }
}

extension UUID {
  /// What a device is called that has told no name.
  public var deviceLabel: String { "device \(lowercaseString.prefix(4))" }
}

/// Finds which device the file is, and whose data is in it.
///
/// `SyncQuery` counts besides: where much is unsent, that takes a good part of sending it.
public struct IdentityQuery: Query {
  /// Which device the file is, and whose data is in it.
  public struct Value: Hashable, Sendable {
    /// The device, in every cloud.
    public var device: UUID
    /// Whose data it is.
    public var account: SyncAccount
  }

  /// The query.
  public init() {}

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Value {
    Value(device: try SyncEngine.device(of: db), account: try SyncAccount(db))
  }
}

/// Finds whose data it is.
public struct AccountQuery: Query {
  /// The query.
  public init() {}

  /// Finds it.
  public func fetch(_ db: Database) throws -> SyncAccount { try SyncAccount(db) }
}

extension SyncAccount {
  /// Who is signed in, as people read it; nil while nobody is.
  public var name: String? { isSignedOut ? nil : id?.displayName }
}

/// Finds what the file holds of the cloud, for a check of it; nil unless it holds all of it.
public struct CloudStateQuery: Query {
  /// The query.
  public init() {}

  /// Finds it.
  public func fetch(_ db: Database) throws -> [SyncEngine.CloudState] {
    try SyncEngine.cloudStates(of: db)
  }
}

/// The zones that this device keeps in step with, for a check of the cloud.
public struct FollowedZonesQuery: Query {
  /// The query.
  public init() {}

  /// Finds them.
  public func fetch(_ db: Database) throws -> Set<SyncEngine.CloudZone> {
    try SyncEngine.followedZones(of: db)
  }
}

/// The bytes with a hash that a row of this device has, for a repair of the cloud.
public struct AssetBytesQuery: Query {
  /// Their SHA-256 in lower-case hexadecimal digits.
  public var sha256: String

  /// The query.
  public init(sha256: String) {
    self.sha256 = sha256
  }

  /// Finds them.
  public func fetch(_ db: Database) throws -> Data? {
    try SyncEngine.bytes(ofAsset: sha256, in: db)
  }
}
