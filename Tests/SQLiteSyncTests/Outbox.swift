import GRDB
import RemindersTestSupport
import SQLiteSyncCloud

@testable import SQLiteSync

extension Device {
  /// What waits to be sent, once the edit log is folded: `save r:reminders: notes, title`.
  func outbox() throws -> Set<String> {
    try fold()
    return try database.readSnapshot { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT p.kind, p.fields, r.primaryKey || ':' || t.name AS name FROM sync_pending p
          JOIN sync_records r ON r.id = p.recordID JOIN sync_tables t ON t.id = r.tableID
          """)
      return Set(
        rows.map { row in
          let name: String = row["name"]
          guard row["kind"] == PendingChange.Kind.save.rawValue else { return "delete \(name)" }
          let fields = MetadataStore.decodeNames(row["fields"])
          return "save \(name): " + (fields?.sorted().joined(separator: ", ") ?? "all")
        })
    }
  }

  /// When fields were edited, in milliseconds; `life` and `death` for those clocks.
  func times(_ table: String, _ key: String) throws -> [String: Int64] {
    try fold()
    return try database.readSnapshot { db in
      guard let schema = synchronizer.tables[table],
        let record = try MetadataStore(db: db).record(tableID: schema.id, key: key)
      else { return [:] }
      var times = ["life": record.life.milliseconds]
      times["death"] = record.death?.milliseconds
      for column in schema.columns where record.clock(of: column.name) != record.life {
        times[column.name] = record.clock(of: column.name).milliseconds
      }
      return times
    }
  }

  /// The 16 bits of this device in the clock of a field.
  func bits(_ table: String, _ key: String, _ field: String) throws -> UInt16? {
    try fold()
    return try database.readSnapshot { db in
      try synchronizer.tables[table].flatMap {
        try MetadataStore(db: db).record(tableID: $0.id, key: key)?.clock(of: field).device
      }
    }
  }

  private func fold() throws {
    let bits = container.device.clockBits
    _ = try database.write { db in
      try EditLog(tables: synchronizer.tables, device: bits, now: 0).fold(in: db)
    }
  }
}
