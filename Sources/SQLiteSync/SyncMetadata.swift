import Foundation
import GRDB
import SQLiteSyncCloud

/// What an engine knows of a row: a record over the view `sync_metadata`.
///
/// ```swift
/// let metadata = try SyncMetadata.fetchOne(db, id: .init(of: "garden", in: Garden.self))
/// ```
///
/// A row that no engine has looked at yet has none.
public struct SyncMetadata: FetchableRecord, TableRecord, Identifiable, Hashable, Sendable {
  /// The view, whose columns are `Columns`.
  public static let databaseTableName = "sync_metadata"

  /// The columns of the view, for requests and for SQL.
  ///
  /// ```swift
  /// let refused = SyncMetadata.filter(SyncMetadata.Columns.error != nil)
  /// ```
  public enum Columns {
    /// The table, as text.
    public static let recordType = Column("recordType")
    /// The primary key; in lower case where it compares without case.
    public static let recordPrimaryKey = Column("recordPrimaryKey")
    /// The name of the record in the cloud: `<primary key>:<table>`.
    public static let recordName = Column("recordName")
    /// The name of the zone that the row lives in; NULL while it is not known where that is.
    public static let zoneName = Column("zoneName")
    /// The account that the zone belongs to, as the cloud spells it: `@ann`, `u1000`.
    public static let ownerName = Column("ownerName")
    /// The share of the zone, encoded; NULL where there is none: see `SyncMetadata.share`.
    public static let share = Column("share")
    /// What this account may do in the zone: `owner`, `write` or `read`; NULL as the zone is.
    public static let permission = Column("permission")
    /// The table of the row that this one depends on, and is shared with.
    public static let parentRecordType = Column("parentRecordType")
    /// The primary key of that row.
    public static let parentRecordPrimaryKey = Column("parentRecordPrimaryKey")
    /// The name of that row's record.
    public static let parentRecordName = Column("parentRecordName")
    /// The version of the record that the cloud has; NULL when it has none yet.
    public static let changeTag = Column("changeTag")
    /// When a field was last edited, on any device: milliseconds since 1970.
    public static let userModificationTime = Column("userModificationTime")
    /// Whether the cloud lacks an edit: 0 or 1.
    public static let isPending = Column("isPending")
    /// Why the cloud refused the row last.
    public static let error = Column("error")
    /// How often the cloud refused the change that is pending; NULL where none is.
    public static let attempts = Column("attempts")
    /// When the row is sent again: milliseconds since 1970, 0 for at once; NULL where nothing is to
    /// be sent.
    public static let nextAttempt = Column("nextAttempt")
  }

  /// Names a row in all tables.
  public struct ID: Hashable, Sendable {
    /// The table.
    public let table: String
    /// The primary key; in lower case where it compares without case.
    public let key: String

    /// A row of a table.
    public init(of key: String, in table: String) {
      (self.table, self.key) = (table, key)
    }

    /// A row of a record type's table.
    public init(of key: String, in type: any TableRecord.Type) {
      self.init(of: key, in: type.databaseTableName)
    }
  }

  /// The row.
  public let id: ID
  /// The name of its record in the cloud: `<primary key>:<table>`.
  public let recordName: String
  /// The zone that it lives in, and its owner; nil while it is not known where that is.
  public let zone: ZoneID?
  /// What this account may do in that zone; nil as long as the zone is.
  public let permission: SyncShare.Access?
  /// The row that it depends on, and is shared with.
  public let parent: ID?
  /// The version of the record that the cloud has; nil when it has none yet.
  public let changeTag: String?
  /// When a field was last edited, on any device.
  public let userModificationDate: Date
  /// Whether the cloud lacks an edit.
  ///
  /// Of edits that no engine has looked at yet this says nothing: see `hasPendingChange`.
  public let isPending: Bool
  /// Why the cloud refused the row last.
  public let error: String?
  /// How often it did.
  public let attempts: Int
  /// When the row is sent again; nil for at once, or when nothing is to be sent.
  public let nextAttempt: Date?
  /// The share of the zone that the row lives in; nil where it is shared with nobody.
  public let share: Share?

  /// Whether the row itself is shared, with all that depends on it.
  public var isShared: Bool { share?.root == recordName }
  /// Whether the cloud has a version of the row.
  public var hasServerRecord: Bool { changeTag != nil }

  /// Decodes a row of the view.
  public init(row: Row) throws {
    id = try ID(of: row.read("recordPrimaryKey"), in: row.read("recordType") as String)
    recordName = try row.read("recordName")
    let owner = try (row.read("ownerName") as String?).flatMap(AccountID.init(rawValue:))
    zone = try owner.flatMap { owner in
      try (row.read("zoneName") as String?).map { ZoneID(name: $0, owner: owner) }
    }
    permission = try (row.read("permission") as String?).flatMap(SyncShare.Access.init(rawValue:))
    parent = try (row.read("parentRecordPrimaryKey") as String?).flatMap { key in
      try (row.read("parentRecordType") as String?).map { ID(of: key, in: $0) }
    }
    changeTag = try row.read("changeTag")
    userModificationDate = try Date(millisecondsSince1970: row.read("userModificationTime"))
    isPending = try row.read("isPending")
    error = try row.read("error")
    attempts = try row.read("attempts") ?? 0
    let next: Int64 = try row.read("nextAttempt") ?? 0
    nextAttempt = next == 0 ? nil : Date(millisecondsSince1970: next)
    share = try (row.read("share") as Data?).flatMap {
      try Share(CloudRecord(stored: $0, in: "\(Zones.table).share"))
    }
  }

  /// The metadata of a row; nil when there is none.
  public static func fetchOne(_ db: Database, id: ID) throws -> SyncMetadata? {
    guard try DeviceState(db: db).exists() else { return nil }
    return try filter(
      Columns.recordType == SchemaRegistry.name(ofTableCalled: id.table, in: db)
        && Columns.recordPrimaryKey == id.key
    ).fetchOne(db)
  }
}

extension TableRecord {
  /// The association from rows to their metadata, where the primary key compares with case.
  ///
  /// ```swift
  /// let request = Plant.including(optional: Plant.syncMetadata())
  /// ```
  ///
  /// The table may be spelled in any case.
  ///
  /// - Parameter key: The name of the column of the primary key.
  public static func syncMetadata(key: String = "id") -> HasOneAssociation<Self, SyncMetadata> {
    let table = databaseTableName
    return hasOne(
      SyncMetadata.self, key: "syncMetadata", using: ForeignKey(["recordPrimaryKey"], to: [key])
    )
    .filterWhenConnected { db in
      try SyncMetadata.Columns.recordType == SchemaRegistry.name(ofTableCalled: table, in: db)
    }
  }
}

extension Date {
  /// A moment given in milliseconds since 1970.
  init(millisecondsSince1970 milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
