import Foundation
import GRDB
import SQLiteSyncCloud

/// What an engine is made of besides the account: it stays when another signs in.
struct EngineSetup: Sendable {
  let database: any DatabaseWriter
  let tables: [String]
  let privateTables: [String]
  let configuration: SyncConfiguration
  var logger = SyncLogger.off

  /// The work of synchronization for an account.
  ///
  /// Metadata and triggers are installed, as in every initializer.
  func synchronizer(for container: CloudContainer) throws -> Synchronizer {
    try Synchronizer(
      database: database, tables: tables, privateTables: privateTables, container: container,
      configuration: configuration)
  }

  /// Installs metadata and triggers, for nobody yet: what is written is captured.
  @discardableResult
  func install(in db: Database) throws -> TableOrder {
    try MetadataSchema.install(in: db, device: UUID())
    return try Installation(
      db: db, device: SyncEngine.device(of: db), now: configuration.now(),
      timeSQL: configuration.editTimeSQL,
      mergePolicies: configuration.mergePolicies
    ).install(tables, private: privateTables)
  }

  /// The tables that nobody has said anything about.
  func unlistedTables(in db: Database) throws -> [String] {
    let listed = Set((tables + privateTables + configuration.localTables).map(\.asciiLowercased))
    return try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
            AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'sync_*' AND name NOT GLOB 'grdb_*'
          ORDER BY name
          """)
    ).filter { !listed.contains($0.asciiLowercased) }
  }

  /// Signs out in the database: with the account's data, or leaving it for when it comes back.
  func signOut(discarding accepted: Int, keepingRows: Bool) throws {
    do {
      try database.write { db in
        let signOut = SignOut(db: db, tables: try install(in: db))
        if keepingRows {
          try signOut.leave()
        } else {
          try signOut.removeData(discarding: accepted)
        }
      }
    } catch {
      throw SignOut.explain(error)
    }
  }

  /// Removes the data of the account for which a synchronizer works; it stays signed in.
  func deleteLocalData(of synchronizer: Synchronizer, discarding accepted: Int) throws {
    do {
      try database.write { db in
        let known = try SyncAccount(db)
        try SignOut(db: db, tables: try install(in: db)).removeData(discarding: accepted)
        try SyncAccount.signIn(synchronizer.container.account, zone: synchronizer.zone.id, in: db)
        if let cloud = known.cloud { try SyncAccount.remember(cloud: cloud, in: db) }
      }
    } catch {
      throw SignOut.explain(error)
    }
  }

  /// Signs out in the database, and leaves the rows to the account that signs in next.
  func handOver() throws {
    try database.write { db in
      try SignOut(db: db, tables: try install(in: db)).handOver()
    }
  }

  /// Signs in, in the database and in the cloud, and returns what works for the account.
  ///
  /// - Throws: `accountChanged` while another account's data is here, errors of the cloud when it
  ///   cannot be opened, `cloudChanged` when it is not the one that the data here is of. Nothing
  ///   has changed then.
  func signIn(_ container: CloudContainer) throws -> Synchronizer {
    let known = try database.readSnapshot(SyncAccount.init)
    try known.requireFree(for: container.account)
    // A cloud that was there once and is not now is a disk that is not mounted.
    let cloud = try container.open(expecting: known.cloud)
    if known.hasData { try Synchronizer.requireSame(cloud: cloud, as: known.cloud) }
    let synchronizer = try synchronizer(for: container)
    try database.write { db in
      try SyncAccount.signIn(container.account, zone: synchronizer.zone.id, in: db)
      try SyncAccount.remember(cloud: cloud, in: db)
    }
    return synchronizer
  }
}
