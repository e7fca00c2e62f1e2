import Foundation
import GRDB
import SQLiteSync

struct Photo: TableRecord { static let databaseTableName = "photos" }

func phone(_ database: DatabaseQueue, _ store: some ObjectStore) throws -> SyncEngine {
  var configuration = SyncConfiguration()
  configuration.assetPolicy = .onDemand(above: 100_000, keeping: 500_000_000)
  return try SyncEngine(
    for: database, tables: [Photo.self],
    cloud: CloudContainer(store: store, account: "ann", device: UUID(), app: "Photos 1.0"),
    configuration: configuration, startImmediately: false)
}

func describe(_ key: String, _ db: Database) throws -> String {
  let asset = try SyncAsset.fetchOne(db, column: "image", of: .init(of: key, in: Photo.self))
  guard let asset else { return "no picture" }
  return "\(asset.byteCount) bytes, \(asset.isHere ? "here" : "in the cloud")"
}

func database() throws -> DatabaseQueue {
  let database = try DatabaseQueue(configuration: .synchronized)
  try database.write { db in
    try db.execute(
      sql: "CREATE TABLE photos (id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB) STRICT")
  }
  return database
}
let (store, own, small) = (MemoryStore(), try database(), try database())
let cloud = CloudContainer(store: store, account: "ann", device: UUID(), app: "Photos 1.0")
let camera = try SyncEngine(
  for: own, tables: [Photo.self], cloud: cloud, startImmediately: false)
try own.write { db in
  try db.execute(
    sql: "INSERT INTO photos VALUES ('sea', 'The sea', ?)", arguments: [Data(count: 2_000_000)])
}
try await camera.syncChanges()
let engine = try phone(small, store)
try await engine.syncChanges()
print(try small.read { try describe("sea", $0) })
print(try await engine.asset("image", of: .init(of: "sea", in: Photo.self))?.count ?? 0, "bytes")
print(try small.read { try describe("sea", $0) })
