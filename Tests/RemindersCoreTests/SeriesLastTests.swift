import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersCore

/// The last occurrence of a series says itself that it is done; other devices go on meanwhile.
@Suite struct SeriesLastTests {
  private let fleet = SeriesSyncTests()

  private func skip(_ device: SeriesSyncTests.Device, _ id: Reminder.ID) async throws {
    _ = try await device.database.skip([id])
  }

  /// One device completes both occurrences, and later the other, which has not heard, the first.
  private func lastDoneOnOne(
    _ rule: String
  ) async throws -> (devices: [SeriesSyncTests.Device], id: Reminder.ID) {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin(rule, devices)
    try await devices[1].complete(id, times: 2)
    devices[0].clock.advance(by: 600)
    try await devices[0].complete(id)
    return (devices, id)
  }

  @Test(arguments: ["every day 2 times", "every day until 22 nov"], [[0, 1], [1, 0]])
  func `the last one stays done where another device comes to it later`(
    rule: String, syncing: [Int]
  ) async throws {
    let (devices, _) = try await lastDoneOnOne(rule)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 completed"], on: devices, syncing: syncing)
  }

  @Test(arguments: ["every day 2 times", "every day until 22 nov"], [[0, 1], [1, 0]])
  func `it stays done where another device removes the end and passes it`(
    rule: String, syncing: [Int]
  ) async throws {
    let (devices, id) = try await lastDoneOnOne(rule)
    try await devices[0].repeats(id, "every day")
    try await skip(devices[0], id)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 completed", "2026-11-23 incomplete"], on: devices,
      syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `it stays done where another device has ended the series after it`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await devices[1].repeats(id, nil)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 600)
    try await skip(devices[0], id)
    try await devices[0].repeats(id, nil)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 incomplete"], on: devices, syncing: syncing)
  }

  /// Two devices complete the 21st and the 22nd, each as the last one.
  private func twoLast(syncing: [Int]) async throws -> [SeriesSyncTests.Device] {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await devices[1].repeats(id, nil)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 600)
    try await skip(devices[0], id)
    try await devices[0].repeats(id, nil)
    try await devices[0].complete(id)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 completed"], on: devices, syncing: syncing)
    return devices
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `two that two devices complete as the last one are both done`(syncing: [Int]) async throws {
    _ = try await twoLast(syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]], [0, 1])
  func `one of two last ones can be opened again`(syncing: [Int], opening: Int) async throws {
    let devices = try await twoLast(syncing: syncing)
    let first = DueDate.day(try day("2026-11-21"))
    let done = try devices[opening].database.fetch(ReminderListQuery(.completed, time: berlin()))
    let copy = try #require(done.rows.first { $0.due == first }).id
    devices[opening].clock.advance(by: 1200)
    _ = try await devices[opening].database.setDone(false, [copy])
    try await fleet.expect(
      ["2026-11-21 incomplete", "2026-11-22 completed"], on: devices, syncing: [0, 1])
    for device in devices {
      #expect(try device.database.fetch(OverdueRolloversQuery(time: berlin())).isEmpty)
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `an earlier day stays done that has the number of the last one`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day until 25 nov", devices)
    try await devices[1].complete(id, times: 2)
    devices[0].clock.advance(by: 3 * 86_400)
    // The 25th is the second one where all that was late is skipped at once.
    try await skip(devices[0], id)
    try await devices[0].complete(id)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 completed", "2026-11-25 completed"], on: devices,
      syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `an earlier day stays done that has the number of the last one of another device`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day until 25 nov", devices)
    try await devices[1].complete(id, times: 2)
    devices[0].clock.advance(by: 3 * 86_400)
    try await skip(devices[0], id)
    try await devices[0].complete(id)
    devices[1].clock.advance(by: 3 * 86_400 + 600)
    try await devices[1].complete(id)
    try await fleet.expect(
      ["21", "22", "23", "25"].map { "2026-11-\($0) completed" }, on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `the last day is done once, whatever number it has on each device`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day until 25 nov", devices)
    try await skip(devices[0], id)
    devices[1].clock.advance(by: 3 * 86_400)
    try await skip(devices[1], id)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 3 * 86_400 + 600)
    try await skip(devices[0], id)
    try await fleet.expect(["2026-11-25 completed"], on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `two last days of one number are both done`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every! 3 days 2 times", devices)
    try await devices[1].complete(id, times: 2)
    devices[0].clock.advance(by: 86_400)
    try await devices[0].complete(id, times: 2)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-24 completed", "2026-11-25 completed"], on: devices,
      syncing: syncing)
    // What was kept under another number can be deleted.
    let kept = DueDate.day(try day("2026-11-24"))
    let done = try devices[0].database.fetch(ReminderListQuery(.completed, time: berlin()))
    let copy = try #require(done.rows.first { $0.due == kept && $0.id != id }).id
    devices[0].clock.advance(by: 600)
    _ = try await devices[0].database.deleteReminders([copy])
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-25 completed"], on: devices, syncing: syncing)
  }

  /// Both go on by the same rule, one from the first day and one from the last, with other numbers.
  @Test(arguments: [[0, 1], [1, 0]])
  func `no day is passed over where the end goes and days are done meanwhile`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day until 23 nov", devices)
    try await devices[0].complete(id, times: 2)
    devices[1].clock.advance(by: 600)
    try await devices[1].repeats(id, "every+ day")
    try await devices[1].complete(id, times: 2)
    devices[0].clock.advance(by: 1200)
    try await devices[0].complete(id)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      let lines = try device.lines()
      #expect(lines.filter { $0.hasSuffix(" incomplete") } == ["2026-11-24 incomplete"])
      #expect(lines.contains("2026-11-23 completed"))
    }
  }

  @Test func `parts of the last one are no last ones themselves`() async throws {
    let devices = try fleet.devices([.current])
    let id = try await fleet.begin("every day 1 times", devices)
    let part = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bag", parentID: id)
    ).id
    try await devices[0].complete(id)
    let text = try await devices[0].database.writer.read { db in
      try String.fetchOne(
        db, sql: "SELECT occurrence FROM reminders WHERE id = ?", arguments: [part])
    }
    #expect(Occurrence(stored: text) != nil)
    #expect(text.map(Occurrence.isLast) == false)
  }

  @Test(arguments: [[1, 1, 1], [1, 2, 1, 2]])
  func `what is decided again and again is done once`(decisions: [Int]) {
    var (left, done) = (decisions[...], [Int]())
    OverdueRollover.untilSettled {
      [left.popFirst() ?? 1]
    } act: {
      done.append($0)
    }
    #expect(done == Array(Set(decisions)).sorted())
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `it stays done where another device completes it as a plain reminder of another day`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await devices[1].complete(id)
    try await devices[1].repeats(id, nil)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 600)
    // Ended twice, it says nothing of the series any more.
    for _ in 1...2 { try await devices[0].repeats(id, nil) }
    let due = DueDate.day(try day("2026-11-27"))
    _ = try await devices[0].database.editReminders([id], [.set(\.due, due)])
    try await devices[0].complete(id)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices { #expect(try device.lines().contains("2026-11-22 completed")) }
  }

  @Test func `it can be opened again, and is done again`() async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day 1 times", devices)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 600)
    _ = try await devices[0].database.editReminders([id], [.set(\.notes, "Blue")])
    try await fleet.expect(["2026-11-21 completed"], on: devices, syncing: [0, 1])
    devices[0].clock.advance(by: 600)
    _ = try await devices[0].database.setDone(false, [id])
    try await fleet.expect(["2026-11-21 incomplete"], on: devices, syncing: [0, 1])
    devices[1].clock.advance(by: 1200)
    try await devices[1].complete(id)
    try await fleet.expect(["2026-11-21 completed"], on: devices, syncing: [1, 0])
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a series that goes on from its completion passes a day that is done by another number`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every! 3 days", devices)
    try await devices[0].complete(id)
    try await skip(devices[0], id)
    // The 27th is the third one here, and the second one where the first was done late.
    try await devices[0].complete(id)
    devices[1].clock.advance(by: 3 * 86_400)
    try await devices[1].complete(id)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-27 completed", "2026-11-30 incomplete"], on: devices,
      syncing: syncing)
  }

  @Test(arguments: ["every+ 2 days", "every+ day 5 times"], [[0, 1], [1, 0]])
  func `a day that nobody did is open where the one before was the last one elsewhere`(
    rule: String, syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day", devices)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 600)
    try await devices[0].repeats(id, "every+ day 1 times")
    try await devices[0].complete(id)
    devices[1].clock.advance(by: 1200)
    try await devices[1].repeats(id, rule)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 incomplete"], on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `two last days of one number are the days that were done`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every! 3 days 2 times", devices)
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 86_400)
    try await devices[0].complete(id, times: 2)
    devices[1].clock.advance(by: 86_400 + 600)
    try await devices[1].complete(id)
    try await fleet.expect(
      ["21", "24", "25"].map { "2026-11-\($0) completed" }, on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `what stays of the last one has its date where another device has gone on`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day 1 times", devices)
    try await devices[1].repeats(id, "every+ day")
    try await skip(devices[1], id)
    devices[0].clock.advance(by: 600)
    try await devices[0].complete(id)
    devices[1].clock.advance(by: 1200)
    try await devices[1].complete(id)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 completed", "2026-11-23 incomplete"], on: devices,
      syncing: syncing)
  }

  /// Seed 1420 of the simulation.
  @Test func `each of three days stays done that three devices complete as the last one`()
    async throws
  {
    let devices = try fleet.devices([.current, .current, .current])
    let id = try await fleet.begin("every! 3 days 3 times", devices)
    try await devices[1].complete(id)
    try await devices[1].sync()
    devices[2].clock.advance(by: 120)
    try await devices[2].repeats(id, "every! 3 days once")
    try await devices[2].complete(id)
    devices[1].clock.advance(by: 300)
    try await devices[1].complete(id)
    try await devices[1].sync()
    try await devices[1].complete(id)
    devices[0].clock.advance(by: 86_400)
    try await devices[0].sync()
    try await devices[2].sync()
    try await devices[0].complete(id)
    try await fleet.expect(
      ["21", "24", "27"].map { "2026-11-\($0) completed" }, on: devices, syncing: [2, 0])
  }
}
