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
}
