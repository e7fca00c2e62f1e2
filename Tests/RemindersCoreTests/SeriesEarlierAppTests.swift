import Foundation
import SQLiteSync
import Testing

@testable import RemindersCore

/// An app of an earlier schema completes what comes again, and cannot say which occurrence.
@Suite struct SeriesEarlierAppTests {
  private let fleet = SeriesSyncTests()

  private func lines(_ device: SeriesSyncTests.Device) throws -> [String] {
    try device.database.fetch(ReminderListQuery(.all, showsCompleted: true, time: berlin())).rows
      .map { "\($0.title) \($0.due?.stored ?? "no date") \($0.status)" }.sorted()
  }

  private func expect(
    _ expected: [String], on devices: [SeriesSyncTests.Device], _ comment: Comment? = nil
  ) throws {
    for device in devices {
      #expect(try lines(device) == expected, comment)
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts(), comment)
    }
  }

  /// The third device is the earlier app.
  @Test(arguments: [[0, 2], [2, 0]], [[0, 1, 2], [2, 1, 0], [0, 2, 1]])
  func `what it completes of a skipped occurrence is done, and the next one is open`(
    acting: [Int], syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current, .linksAndCovers])
    let id = try await fleet.begin("every+ week", devices)
    // The first occurrence of a series, or one in the middle of it.
    let passed = acting[0]
    for _ in 0..<passed {
      _ = try await devices[0].database.skip([id])
      for device in devices { device.clock.advance(by: 7 * 86_400) }
    }
    try await fleet.settle(devices)
    for index in acting {
      devices[index].clock.advance(by: 600)
      if index == 0 {
        _ = try await devices[0].database.skip([id])
      } else {
        _ = try await devices[2].database.setDone(true, [id])
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    let day = try day("2026-11-21").adding(days: 7 * passed)
    try expect(["Bins \(day) completed", "Bins \(day.adding(days: 7)) incomplete"], on: devices)
  }

  /// It was offline for days, and comes first: whoever completed the occurrence as well sees that
  /// their edits met.
  @Test func `what it completes days later is the occurrence that it saw`() async throws {
    let devices = try fleet.devices([.current, .current, .linksAndCovers])
    let id = try await fleet.begin("every+ day", devices)
    _ = try await devices[0].database.setDone(true, [id])
    devices[2].clock.advance(by: 3 * 86_400)
    _ = try await devices[2].database.setDone(true, [id])
    try await devices[2].sync()
    try await fleet.settle(devices)
    try expect(["Bins 2026-11-21 completed", "Bins 2026-11-22 incomplete"], on: devices)
  }

  /// Both go on; the earlier app ticked before it heard of either.
  @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
  func `what several complete it does not complete for a later day`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current, .linksAndCovers])
    let id = try await fleet.begin("every+ week", devices)
    for (minutes, index) in [0, 1, 2].enumerated() {
      devices[index].clock.advance(by: Double(60 + minutes * 60))
      _ = try await devices[index].database.setDone(true, [id])
    }
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    try expect(["Bins 2026-11-21 completed", "Bins 2026-11-28 incomplete"], on: devices)
  }

  @Test(arguments: ["complete 02", "complete 20", "skip 02", "skip 20"], [[0, 2], [2, 0]])
  func `a part that it completes is one of the occurrence that it saw`(
    acts: String, syncing: [Int]
  ) async throws {
    let going = acts.split(separator: " ")[0]
    let acting = acts.hasSuffix("02") ? [0, 2] : [2, 0]
    let devices = try fleet.devices([.current, .current, .linksAndCovers])
    let id = try await fleet.begin("every+ week", devices)
    let bag = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bag", parentID: id)
    ).id
    try await fleet.settle(devices)
    for index in acting {
      devices[index].clock.advance(by: 600)
      let database = devices[index].database
      switch (index, going) {
      case (2, _): _ = try await database.setDone(true, [bag])
      case (_, "skip"): _ = try await database.skip([id])
      default: _ = try await database.setDone(true, [id])
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    try expect(
      ["Bag no date completed", "Bag no date incomplete"]
        + (going == "skip" ? [] : ["Bins 2026-11-21 completed"]) + ["Bins 2026-11-28 incomplete"],
      on: devices)
    // On the day of the next one it is a part of that.
    for device in devices { device.clock.advance(by: 7 * 86_400) }
    _ = try await devices[2].database.setDone(true, [bag])
    try await fleet.settle(devices)
    #expect(try devices[0].database.fetch(ReminderQuery(bag))?.status == .completed)
  }

  @Test func `a part that is completed and then put below what comes again stays so`()
    async throws
  {
    let devices = try fleet.devices([.current])
    let id = try await fleet.begin("every+ week", devices)
    _ = try await devices[0].database.skip([id])
    let bag = try await devices[0].database.addReminder(ReminderDraft(title: "Bag")).id
    _ = try await devices[0].database.setDone(true, [bag])
    _ = try await devices[0].database.editReminders([bag], [.set(\.parentID, id)])
    #expect(try await devices[0].database.rollOver() == 0)
    #expect(try lines(devices[0]) == ["Bag no date completed", "Bins 2026-11-28 incomplete"])
  }
}
