import GRDB

/// How many records wait for what: to be observed by an app, also while no engine runs.
public struct SyncCounts: Hashable, Sendable {
  /// Records with edits that the cloud does not have yet, and shares with news of which nobody has
  /// been told.
  public var pending = 0
  /// Records that wait for something that may come.
  ///
  /// A parent, a version of the app that knows what they depend on, or bytes that are not where the
  /// cloud should have them.
  public var waiting = 0
  /// Records that a local constraint refuses, or whose deletion it refuses; among them those that
  /// lack a value, or have what another row has and only one may have.
  public var quarantined = 0
  /// Those of the pending records that cannot be synchronized, or that the cloud refuses for good:
  /// see `SyncRefusal`.
  public var notSynchronized = 0

  /// Nothing waits.
  public init() {}

  /// Counts what the metadata holds.
  ///
  /// All zero before an engine has installed it.
  public init(_ db: Database) throws {
    guard try EditEntries(db: db).exists() else { return }
    pending = try Int.fetchOne(db.cachedStatement(sql: "SELECT \(Outbox.count)")) ?? 0
    // Files of an earlier version have no shares.
    if try SharedZones(db: db).isInstalled() {
      pending +=
        try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM (\(Zones.unsent))")) ?? 0
    }
    let quarantine = Quarantine(db: db)
    waiting =
      try quarantine.count(.waiting) + StaleCopies(db: db).waitingCount()
      + KnownAssets(db: db).lost().count
    quarantined = try quarantine.count(.quarantined)
    let refused = try SyncRefusal.count(db)
    pending += refused.rows
    notSynchronized = refused.rows + refused.edits
  }

  /// Counts what the metadata holds, and the rows of tables that no engine has seen yet: they are
  /// all pending.
  public init(_ db: Database, tables: [any TableRecord.Type]) throws {
    try self.init(db)
    let known = try Set(SchemaRegistry.synchronizedTables(in: db).map(\.name))
    for name in tables.map({ $0.databaseTableName }) where !known.contains(name) {
      guard try db.hasTable(name) else { continue }
      let sql = "SELECT count(*) FROM main.\(name.quotedIdentifier)"
      pending += try Int.fetchOne(db, sql: sql) ?? 0
    }
  }
}
