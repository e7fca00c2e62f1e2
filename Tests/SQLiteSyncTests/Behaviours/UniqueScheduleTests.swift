import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Devices that write, change and delete rows with few values between them, in random orders: they
/// all end with the same rows, and those follow from the records in the cloud alone.
struct UniqueScheduleTests {
  private static let seeds = 1...30

  @Test func devicesAgreeOnWhoStays() throws {
    for seed in Self.seeds {
      try run(seed: UInt64(seed))
    }
  }

  private func run(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fleet = try Fleet(schema: UniqueTests.schema) { configuration in
      if seed.isMultiple(of: 2) { configuration.plainRun = 1 }
    }
    let devices = try (0..<Int.random(in: 2...3, using: &random)).map { _ in try fleet.device() }
    for _ in 0..<60 {
      guard let device = devices.randomElement(using: &random) else { continue }
      switch Int.random(in: 0..<10, using: &random) {
      case 0...6: try edit(device, using: &random)
      case 7: try device.fetch()
      case 8: try device.sync()
      default: try device.relaunch()
      }
    }
    for _ in 0..<8 {
      fleet.clock.advance(milliseconds: 600_000)
      for device in devices { try device.sync() }
    }
    let records = try CloudImage.copies(in: devices[0].zone).values.compactMap { copy in
      if case .record(let record) = copy.content { record } else { nil }
    }
    for device in devices {
      let place = Comment("seed \(seed), device \(device.container.device)")
      #expect(try device.contents() == devices[0].contents(), place)
      #expect(try device.counts().pending == 0, place)
      #expect(try device.strays() == [], place)
      #expect(try device.rows("PRAGMA foreign_key_check") == [], place)
      #expect(try unstable(records, on: device) == [], place)
    }
  }

  private func edit(_ device: Device, using random: inout SplitMix64) throws {
    func one(_ values: String...) -> String { values.randomElement(using: &random) ?? "" }
    let (list, title) = (one("a", "b", "c", "d"), one("Home", "Work"))
    let (reminder, parent) = (one("r", "s", "t"), one("'a'", "'b'", "NULL"))
    let food = one("Milk", "Tea")
    let (node, name) = (one("m", "n", "o", "p"), one("x", "X", "any"))
    let sql = one(
      "INSERT OR IGNORE INTO lists VALUES ('\(list)', '\(title)', 1)",
      "INSERT OR REPLACE INTO lists VALUES ('\(list)', '\(title)', 2)",
      "UPDATE OR IGNORE lists SET title = '\(title)' WHERE id = '\(list)'",
      "UPDATE OR REPLACE lists SET title = '\(title)' WHERE id = '\(list)'",
      """
      UPDATE OR IGNORE lists SET title = 'Home ' || id WHERE title = 'Home';
      UPDATE OR IGNORE lists SET title = 'Home' WHERE title = 'Work';
      UPDATE OR IGNORE lists SET title = 'Work' WHERE title LIKE 'Home _';
      """,
      "UPDATE lists SET color = \(one("3", "4", "5")) WHERE id = '\(list)'",
      "DELETE FROM lists WHERE id = '\(list)'",
      "INSERT OR IGNORE INTO reminders VALUES ('\(reminder)', '\(food)', \(parent), NULL)",
      "UPDATE OR IGNORE reminders SET listID = \(parent) WHERE id = '\(reminder)'",
      "DELETE FROM reminders WHERE id = '\(reminder)'",
      "INSERT OR IGNORE INTO images VALUES ('\(reminder)', \(parent), '\(one("x", "y"))', NULL)",
      "UPDATE OR IGNORE images SET bytes = randomblob(5000) WHERE id = '\(reminder)'",
      "INSERT OR IGNORE INTO nodes VALUES ('\(node)', '\(name)', (SELECT max(id) FROM nodes))",
      "UPDATE OR IGNORE nodes SET name = '\(name)' WHERE id = '\(node)'",
      "UPDATE OR IGNORE nodes SET parentID = (SELECT min(id) FROM nodes) WHERE id = '\(node)'",
      "DELETE FROM nodes WHERE id = '\(node)'")
    do {
      try device.execute(sql)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // Nothing is changed.
    }
  }

  // MARK: - Who stays

  /// The records whose rows are there and should not be, or the other way round.
  private func unstable(_ records: [CloudRecord], on device: Device) throws -> [String] {
    let rows = try Set(
      device.tables.flatMap { table in
        try device.rows("SELECT id FROM \(table)").map { "\($0):\(table)" }
      })
    let byName = Dictionary(uniqueKeysWithValues: records.map { ($0.name, $0) })
    return records.filter { record in
      let hasParents = parents(of: record).allSatisfy { rows.contains($0) || $0 == record.name }
      let isBeaten = records.contains { other in
        rows.contains(other.name) && other.name != record.name && sameValues(other, record)
          && rank(other, byName) < rank(record, byName)
      }
      return rows.contains(record.name) != (hasParents && !isBeaten)
    }.map(\.name).sorted()
  }

  private func text(_ record: CloudRecord, _ field: String) -> String? {
    record.fields[field]?.value.text
  }

  private func parents(of record: CloudRecord) -> [String] {
    [text(record, "listID").map { "\($0):lists" }, text(record, "parentID").map { "\($0):nodes" }]
      .compactMap { $0 }
  }

  private func sameValues(_ one: CloudRecord, _ other: CloudRecord) -> Bool {
    func same(_ fields: String...) -> Bool {
      fields.allSatisfy { text(one, $0) != nil && text(one, $0) == text(other, $0) }
    }
    guard one.type == other.type else { return false }
    switch one.type {
    case "lists": return same("title")
    case "reminders": return same("listID", "title")
    case "images": return same("listID", "name")
    default:
      let names = [one, other].compactMap { text($0, "name") }.filter { $0 != "any" }
      return names.count == 2 && names[0].lowercased() == names[1].lowercased()
    }
  }

  private func rank(
    _ record: CloudRecord, _ records: [String: CloudRecord]
  ) -> (FieldClock, Int, String) {
    var life = record.life
    var seen: Set = [record.name]
    var next = text(record, "parentID").map { "\($0):nodes" }
    while let name = next, seen.insert(name).inserted, let above = records[name] {
      life = max(life, above.life)
      next = text(above, "parentID").map { "\($0):nodes" }
    }
    return (life, seen.count, record.name)
  }
}
