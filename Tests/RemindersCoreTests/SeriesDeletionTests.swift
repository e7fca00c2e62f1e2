import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersCore

/// What is deleted and brought back while another device completes it.
extension SeriesSyncTests {
  /// The second device deletes the reminder, and takes that back, while the first completes it.
  @Test(
    arguments: ["dDu", "Ddu", "Dud", "dDsu", "Ddsu", "Dsud", "dsDu", "sDdu", "Ddscu", "Dcdsu"],
    [[0, 1], [1, 0]])
  func `what is deleted and brought back while it is completed is done once`(
    steps: String, syncing: [Int]
  ) async throws {
    try await expectOneCompletion(steps, by: [.current, .current], syncing)
  }

  /// It does not know which occurrence it brings back.
  @Test(arguments: ["dDu", "Ddu", "Dud", "sDdu", "dsDu", "Ddsu"], [[0, 1], [1, 0]])
  func `what an earlier app deletes and brings back while it is completed is done once`(
    steps: String, syncing: [Int]
  ) async throws {
    try await expectOneCompletion(steps, by: [.current, .linksAndCovers], syncing)
  }

  @Test func `a date that somebody puts back to a completed day stays`() async throws {
    let devices = try devices([.current, .linksAndCovers])
    let id = try await begin("every+ week", devices)
    _ = try await devices[0].database.setDone(true, [id])
    try await settle(devices)
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.editReminders(
      [id], [.set(\.due, .day(try day("2026-11-21")))])
    try await settle(devices)
    for device in devices {
      #expect(try device.lines() == ["2026-11-21 incomplete", "2026-11-21 completed"])
    }
  }

  private func expectOneCompletion(
    _ steps: String, by schemas: [SchemaVersion], _ syncing: [Int]
  ) async throws {
    let devices = try devices(schemas)
    let id = try await begin("every+ week", devices)
    var deletion: UndoStep?
    for step in steps {
      for device in devices { device.clock.advance(by: 60) }
      switch step {
      case "d": _ = try await devices[0].database.setDone(true, [id])
      case "D": deletion = try await devices[1].database.deleteReminders([id])
      case "u": if let deletion { _ = try await devices[1].database.undo(deletion) }
      default: try await devices[step == "s" ? 0 : 1].sync()
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      let lines = try device.lines()
      #expect(lines == ["2026-11-28 incomplete", "2026-11-21 completed"])
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  /// No day is both done and open, and none is done twice.
  @Test(arguments: 1...16)
  func `no order of completing, deleting, undoing and syncing leaves a day done and open`(
    seed: UInt64
  ) async throws {
    let devices = try devices([.current, .current])
    let id = try await begin("every+ week", devices)
    var random = SplitMix64(seed: seed)
    var steps: [[UndoStep]] = [[], []]
    var log: [String] = []
    for _ in 1...12 {
      for device in devices { device.clock.advance(by: 60) }
      let index = Int.random(in: 0...1, using: &random)
      let database = devices[index].database
      let isThere = try database.fetch(ReminderQuery(id)) != nil
      switch Int.random(in: 0...5, using: &random) {
      case 0 where isThere, 1 where isThere:
        steps[index].append(try await database.setDone(true, [id]))
        log.append("done \(index)")
      case 2 where isThere:
        steps[index].append(try await database.deleteReminders([id]))
        log.append("delete \(index)")
      case 3, 4:
        guard let step = steps[index].popLast() else { continue }
        _ = try await database.undo(step)
        log.append("undo \(index) \(step.label)")
      default:
        try await devices[index].sync()
        log.append("sync \(index)")
      }
    }
    try await settle(devices)
    let lines = try devices[0].lines()
    for device in devices {
      #expect(try device.lines().sorted() == lines.sorted(), "\(log)")
      let days = lines.map { $0.prefix(10) }
      #expect(Set(days).count == days.count, "\(lines) \(log)")
    }
  }
}
