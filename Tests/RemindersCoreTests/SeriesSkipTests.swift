import Foundation
import Testing

@testable import RemindersCore

/// What one device skips of a series while another one, which knows nothing of that, is at an
/// earlier occurrence.
@Suite struct SeriesSkipTests {
  /// What the other device does with the first occurrence.
  enum Act: CaseIterable {
    case done
    case skip
  }

  private let fleet = SeriesSyncTests()

  private func perform(
    _ acts: [Act], _ id: Reminder.ID, on device: SeriesSyncTests.Device
  ) async throws {
    for act in acts {
      device.clock.advance(by: 60)
      _ =
        act == .done
        ? try await device.database.setDone(true, [id]) : try await device.database.skip([id])
    }
  }

  private func lines(_ device: SeriesSyncTests.Device) throws -> [String] {
    try device.database.fetch(ReminderListQuery(.all, showsCompleted: true, time: berlin())).rows
      .map { "\($0.title) \($0.due?.stored ?? "no date") \($0.status)" }.sorted()
  }

  private func expect(
    _ expected: [String], _ id: Reminder.ID, on devices: [SeriesSyncTests.Device], syncing: [Int]
  ) async throws {
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(try lines(device) == expected)
      #expect(try await device.database.rollOver() == 0)
    }
  }

  private static let ways: [(ahead: [Act], behind: [Act], completed: [Int])] = [
    ([.done, .skip], [.done], [21]), ([.skip, .skip], [.done], [21]),
    ([.done, .skip], [.skip], [21]), ([.skip, .skip], [.skip], []),
    ([.done, .skip, .skip], [.done], [21]), ([.done, .skip, .done], [.done], [21, 23]),
    ([.skip, .done, .skip], [.done], [21, 22]), ([.done, .done, .skip], [.done], [21, 22]),
    ([.skip, .skip, .skip], [.done, .done], [21, 22]),
    ([.done, .skip, .skip], [.done, .skip], [21]),
  ]

  @Test(arguments: ways, [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
  func `what is skipped stays so where another device goes on from before it, later`(
    way: (ahead: [Act], behind: [Act], completed: [Int]), syncing: [Int]
  ) async throws {
    for isLater in [true, false] {
      let fleet = SeriesSkipTests()
      let devices = try fleet.fleet.devices([.current, .current, .current])
      let id = try await fleet.fleet.begin("every+ day", devices)
      devices[isLater ? 1 : 0].clock.advance(by: 3600)
      try await perform(way.ahead, id, on: devices[0])
      try await perform(way.behind, id, on: devices[1])
      try await fleet.expect(
        way.completed.map { "Bins 2026-11-\($0) completed" }
          + ["Bins 2026-11-\(21 + way.ahead.count) incomplete"],
        id, on: devices, syncing: syncing)
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `the parts of it go on with it`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day", devices)
    let part = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bag", due: .day(try day("2026-11-21")), parentID: id)
    ).id
    try await fleet.settle(devices)
    devices[1].clock.advance(by: 3600)
    try await perform([.done, .skip], id, on: devices[0])
    try await perform([.done], id, on: devices[1])
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(try device.database.fetch(ReminderQuery(id))?.due == .day(try day("2026-11-23")))
      #expect(try device.database.fetch(ReminderQuery(part))?.due == .day(try day("2026-11-23")))
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `one that was moved before it was skipped elsewhere is still to be done`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day", devices)
    devices[1].clock.advance(by: 3600)
    try await perform([.skip, .skip], id, on: devices[0])
    _ = try await devices[1].database.editReminders(
      [id], [.set(\.due, .day(try day("2026-11-22")))])
    try await expect(["Bins 2026-11-22 incomplete"], id, on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `one that is skipped and moved goes where it was moved`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day", devices)
    devices[1].clock.advance(by: 3600)
    try await perform([.skip, .skip], id, on: devices[0])
    _ = try await devices[0].database.editReminders(
      [id], [.set(\.due, .day(try day("2026-11-25")))])
    try await perform([.done], id, on: devices[1])
    try await expect(
      ["Bins 2026-11-21 completed", "Bins 2026-11-25 incomplete"], id, on: devices,
      syncing: syncing)
  }
}
