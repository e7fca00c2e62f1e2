import Foundation
import GRDB
import SQLiteSync

struct Note: TableRecord { static let databaseTableName = "notes" }

let store = MemoryStore()

func cloud(of account: AccountID, in store: MemoryStore = store) -> CloudContainer {
  CloudContainer(
    store: store, account: account, device: UUID(), deviceName: "desk", app: "Notes 1.0")
}

func signOut(_ engine: SyncEngine, _ database: DatabaseQueue) async throws {
  do {
    try await engine.signOut()
  } catch let error as SyncError where error.reason == .unsentEdits {
    let pending = try await database.read { try SyncCounts($0).pending }
    print("Not sent yet: \(pending). Ask the person, or sync first.")
    try await engine.syncChanges()
    try await engine.signOut()
  }
}

func goOn(_ engine: SyncEngine, at place: CloudContainer) async throws {
  try await engine.changeCloud(to: place)
  print("Sent to the new cloud:", try await engine.syncChanges().sent)
}

final class Household: SyncEngineDelegate {
  func syncEngine(
    _ engine: SyncEngine, decideAbout change: SyncAccountChange
  ) async -> SyncAccountDecision {
    print("\(change.from) makes way for \(change.to).")
    return .clear
  }
}

let database = try DatabaseQueue(configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL DEFAULT '')")
}
let household = Household()  // an engine keeps its delegate weakly
let engine = try SyncEngine(
  for: database, tables: [Note.self], cloud: cloud(of: "ann"), startImmediately: false,
  delegate: household)
try await engine.syncChanges()
try database.write { db in
  try db.execute(sql: "INSERT INTO notes VALUES ('1', 'Buy milk')")
}
try await engine.syncChanges()

try await engine.signIn(cloud(of: "ben"))
try await engine.syncChanges()
print("ben sees", try database.read { try Note.fetchCount($0) })

try database.write { db in
  try db.execute(sql: "INSERT INTO notes VALUES ('2', 'Mow the lawn')")
}
try await signOut(engine, database)
print("Nobody sees", try database.read { try Note.fetchCount($0) })

try await engine.signIn(cloud(of: "ann"))
try await engine.syncChanges()
print("ann sees", try database.read { try String.fetchAll($0, sql: "SELECT text FROM notes") })

try await goOn(engine, at: cloud(of: "ann", in: MemoryStore()))
