import Foundation
import GRDB
import SQLiteSync
import Synchronization

struct Plant: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "plants"
  var id: String
  var name: String
}

struct PlantInfo: FetchableRecord {
  var plant: Plant
  var metadata: SyncMetadata?

  init(row: Row) throws {
    plant = try Plant(row: row)
    metadata = row["syncMetadata"]
  }
}

func isSent(_ plant: Plant, _ db: Database) throws -> Bool {
  try SyncMetadata.fetchOne(db, id: .init(of: plant.id, in: Plant.self))?.hasServerRecord ?? false
}

func notSent(_ db: Database) throws -> [String] {
  try String.fetchAll(
    db,
    sql: """
      SELECT name FROM plants
      LEFT JOIN sync_metadata ON recordType = 'plants' AND recordPrimaryKey = plants.id
      WHERE changeTag IS NULL OR isPending ORDER BY name
      """)
}

final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var logger: SyncLogger {
    SyncLogger { text in self.lines.withLock { $0.append(text) } }
  }

  func contain(_ word: String) -> Bool { lines.withLock { $0.contains { $0.contains(word) } } }
}

let database = try DatabaseQueue(configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: "CREATE TABLE plants (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '')")
}
let lines = Lines()
let engine = try SyncEngine(
  for: database, tables: [Plant.self],
  cloud: CloudContainer(store: MemoryStore(), account: "ann", device: UUID(), app: "Plants 1.0"),
  startImmediately: false, logger: lines.logger)

let rose = Plant(id: "1", name: "Rose")
try database.write { try rose.insert($0) }
try database.read { db in
  print("Not sent:", try notSent(db), "pending:", try SyncCounts(db).pending)
}
let result = try await engine.syncChanges()
print("Sent:", result.sent)
try database.read { db in
  print("Not sent:", try notSent(db), "sent:", try isSent(rose, db))
  let all = try Plant.including(optional: Plant.syncMetadata())
    .asRequest(of: PlantInfo.self).fetchAll(db)
  print(all.map { "\($0.plant.name) by \($0.metadata?.zone?.owner.description ?? "nobody")" })
}
print("Logged:", lines.contain("sentRecordZoneChanges"), lines.contain("Rose"))
