import Foundation
import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersCore

/// The last occurrence of a series says itself that it is done; other devices go on meanwhile.
@Suite struct SeriesLastTests {
  private let fleet = SeriesSyncTests()

  private func repeats(
    _ device: SeriesSyncTests.Device, _ id: Reminder.ID, _ rule: String?
  ) async throws {
    let rule = try rule.flatMap { try Recurrence.parse($0, in: berlin()) }
    _ = try await device.database.editReminders([id], [.set(\.recurrence, rule)])
  }

  private func complete(
    _ device: SeriesSyncTests.Device, _ id: Reminder.ID, times: Int = 1
  ) async throws {
    for _ in 1...times { _ = try await device.database.setDone(true, [id]) }
  }

  private func skip(_ device: SeriesSyncTests.Device, _ id: Reminder.ID) async throws {
    _ = try await device.database.skip([id])
  }

  private func expect(
    _ lines: [String], on devices: [SeriesSyncTests.Device], syncing: [Int]
  ) async throws {
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices { #expect(try device.lines().sorted() == lines) }
  }

  @Test(arguments: ["every day 2 times", "every day until 22 nov"], [[0, 1], [1, 0]])
  func `the last one stays done where another device comes to it later`(
    rule: String, syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin(rule, devices)
    try await complete(devices[1], id, times: 2)
    devices[0].clock.advance(by: 600)
    try await complete(devices[0], id)
    try await expect(
      ["2026-11-21 completed", "2026-11-22 completed"], on: devices, syncing: syncing)
  }

  @Test(arguments: ["every day 2 times", "every day until 22 nov"], [[0, 1], [1, 0]])
  func `it stays done where another device removes the end and passes it`(
    rule: String, syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin(rule, devices)
    try await complete(devices[1], id, times: 2)
    devices[0].clock.advance(by: 600)
    try await complete(devices[0], id)
    try await repeats(devices[0], id, "every day")
    try await skip(devices[0], id)
    try await expect(
      ["2026-11-21 completed", "2026-11-22 completed", "2026-11-23 incomplete"], on: devices,
      syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `it stays done where another device has ended the series after it`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await repeats(devices[1], id, nil)
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 600)
    try await skip(devices[0], id)
    try await repeats(devices[0], id, nil)
    try await expect(
      ["2026-11-21 completed", "2026-11-22 incomplete"], on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `two that two devices complete as the last one are both done`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await repeats(devices[1], id, nil)
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 600)
    try await skip(devices[0], id)
    try await repeats(devices[0], id, nil)
    try await complete(devices[0], id)
    try await expect(
      ["2026-11-21 completed", "2026-11-22 completed"], on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `it stays done where another device completes it as a plain reminder of another day`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await complete(devices[1], id)
    try await repeats(devices[1], id, nil)
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 600)
    // Ended twice, it says nothing of the series any more.
    for _ in 1...2 { try await repeats(devices[0], id, nil) }
    let due = DueDate.day(try day("2026-11-27"))
    _ = try await devices[0].database.editReminders([id], [.set(\.due, due)])
    try await complete(devices[0], id)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices { #expect(try device.lines().contains("2026-11-22 completed")) }
  }

  @Test func `it can be opened again, and is done again`() async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day 1 times", devices)
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 600)
    _ = try await devices[0].database.editReminders([id], [.set(\.notes, "Blue")])
    try await expect(["2026-11-21 completed"], on: devices, syncing: [0, 1])
    devices[0].clock.advance(by: 600)
    _ = try await devices[0].database.setDone(false, [id])
    try await expect(["2026-11-21 incomplete"], on: devices, syncing: [0, 1])
    devices[1].clock.advance(by: 1200)
    try await complete(devices[1], id)
    try await expect(["2026-11-21 completed"], on: devices, syncing: [1, 0])
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a series that goes on from its completion passes a day that is done by another number`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every! 3 days", devices)
    try await complete(devices[0], id)
    try await skip(devices[0], id)
    // The 27th is the third one here, and the second one where the first was done late.
    try await complete(devices[0], id)
    devices[1].clock.advance(by: 3 * 86_400)
    try await complete(devices[1], id)
    try await expect(
      ["2026-11-21 completed", "2026-11-27 completed", "2026-11-30 incomplete"], on: devices,
      syncing: syncing)
  }
}
