import Foundation
import GRDB
import SQLiteSync

struct Plant: TableRecord { static let databaseTableName = "plants" }

func filesHold(_ word: String, under directory: URL) throws -> Bool {
  try FileManager.default.subpathsOfDirectory(atPath: directory.path).contains { path in
    let bytes = FileManager.default.contents(atPath: directory.appending(path: path).path)
    return bytes.map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
  }
}

let folder = FileManager.default.temporaryDirectory.appending(path: "cloud-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let database = try DatabaseQueue(configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: """
      CREATE TABLE plants (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '');
      INSERT INTO plants VALUES ('1', 'Deadly nightshade');
      """)
}
let cloud = CloudContainer(directory: folder, account: "ann", device: UUID(), app: "Plants 1.0")
let engine = try SyncEngine(
  for: database, tables: [Plant.self], cloud: cloud, startImmediately: false)
try await engine.syncChanges()
print("In plain text:", try filesHold("Deadly nightshade", under: folder))
let report = try CloudCheck(cloud).run()
print("Commits: \(report.commits), records: \(report.records), findings: \(report.findings.count)")
