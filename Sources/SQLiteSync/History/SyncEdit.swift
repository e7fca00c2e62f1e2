import Foundation
import GRDB
import SQLiteSyncCloud

/// Who edited something, and when.
public struct SyncEdit: Hashable, Sendable {
  /// Milliseconds since 1970, by the clock of the device that made the edit.
  public let milliseconds: Int64
  /// Whether it was made on this device.
  public let isHere: Bool
  /// The device, when this one has met a commit of it.
  public let device: UUID?
  /// What people call the device, when it has told: see `SyncDevice.name`.
  public let deviceName: String?
  /// Whose edit it was, as people know the account, when it is known.
  public let account: String?
}

/// The latest edit of each field of a row.
public struct SyncRowEdits: Hashable, Sendable {
  /// When the row was made, or came back after a deletion; nil when nothing is known of it.
  public let made: SyncEdit?
  /// The latest edit of each column.
  public let fields: [String: SyncEdit]

  /// Reads the edits of a row that is there, those included that no engine has taken in yet.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - table: The name of a synchronized table.
  ///   - key: The primary key; in lower case where it compares without case.
  public init(_ db: Database, of table: String, key: String) throws {
    self = try Self.all(db, of: table, keys: [key])[0]
  }

  /// Reads the edits of several rows, which costs little more than those of one.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - table: The name of a synchronized table.
  ///   - keys: The primary keys; in lower case where they compare without case.
  /// - Returns: The edits of each, in the order of the keys.
  public static func all(
    _ db: Database, of table: String, keys: [String]
  ) throws -> [SyncRowEdits] {
    let log = EditEntries(db: db)
    guard try log.exists(),
      let tableID = try SchemaRegistry.table(called: table, in: db)?.id
    else { return keys.map { _ in SyncRowEdits() } }
    let columns = try SchemaRegistry.columnNames(ofTable: tableID, in: db)
    let entries = try log.entries(tableID: tableID, keys: keys)
    let authors = try Authors(db)
    return try keys.map { key in
      let known =
        try MetadataStore(db: db).record(tableID: tableID, key: key)
        ?? RecordMetadata(tableID: tableID, key: key, life: .zero)
      let record = FoldedEdit(entries[ExactString(key)] ?? [], names: columns)
        .applied(to: known, pending: nil, device: authors.ownBits).record
      return SyncRowEdits(record, of: Array(columns.values), by: authors)
    }
  }

  private init() {
    (made, fields) = (nil, [:])
  }

  private init(_ record: RecordMetadata, of columns: [String], by authors: Authors) {
    made = authors.edit(record.life)
    fields = columns.reduce(into: [:]) { $0[$1] = authors.edit(record.clock(of: $1)) }
  }
}

/// Tells by a clock who made an edit.
struct Authors {
  /// The bits of this device.
  let ownBits: UInt16
  private let ownDevice: UUID
  private let ownAccount: AccountID?
  private let others: [UInt16: (device: UUID, account: AccountID?)]
  private let names: [UUID: String]

  init(_ db: Database) throws {
    ownDevice = try SyncEngine.device(of: db)
    ownBits = ownDevice.clockBits
    ownAccount = try DeviceState(db: db).account()
    names = try DeviceNames(db: db).all()
    others = Dictionary(
      try KnownDevices(db: db).all().map { ($0.bits, ($0.device, $0.account)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The edit with this clock; nil for no edit at all.
  ///
  /// - Parameter account: Whose it is when the device is not known.
  func edit(_ clock: FieldClock, account: AccountID? = nil) -> SyncEdit? {
    guard clock > .zero else { return nil }
    if clock.device == ownBits {
      return SyncEdit(
        milliseconds: clock.milliseconds, isHere: true, device: ownDevice,
        deviceName: names[ownDevice], account: ownAccount?.displayName)
    }
    let author = others[clock.device]
    return SyncEdit(
      milliseconds: clock.milliseconds, isHere: false, device: author?.device,
      deviceName: author.flatMap { names[$0.device] },
      account: (author?.account ?? account)?.displayName)
  }
}
