import Foundation
import Testing

@testable import RemindersCore

/// The time of the day of a series, which one device changes with its rule while another one knows
/// nothing of that.
///
/// It is Saturday 21 November 2026, 14:32.
@Suite struct SeriesTimeTests {
  private let fleet = SeriesSyncTests()

  private func begin(
    _ text: String, on devices: [SeriesSyncTests.Device]
  ) async throws -> Reminder.ID {
    let line = QuickAddLine(text, in: berlin())
    let id = try await devices[0].database.addReminder(
      ReminderDraft(title: line.title, due: line.due, recurrence: line.recurrence)
    ).id
    try await fleet.settle(devices)
    return id
  }

  /// As the form and `edit --repeat` do.
  private func set(
    _ rule: String, _ id: Reminder.ID, on device: SeriesSyncTests.Device
  ) async throws {
    let series = try TypedSeries(rule, in: berlin())
    let due = try device.database.fetch(ReminderQuery(id))?.due
    var edits: [ReminderEdit] = [.set(\.recurrence, series.rule)]
    if series.saysDue, let due = series.firstDue(from: due, in: berlin()) {
      edits.append(.set(\.due, due))
    }
    _ = try await device.database.editReminders([id], edits)
  }

  private func perform(
    _ act: String, _ id: Reminder.ID, on device: SeriesSyncTests.Device
  ) async throws {
    device.clock.advance(by: 60)
    switch act {
    case "done": _ = try await device.database.setDone(true, [id])
    case "skip": _ = try await device.database.skip([id])
    case _ where act.hasPrefix("due "):
      let due = try DueDate.parse(String(act.dropFirst(4)), in: berlin())
      _ = try await device.database.editReminders([id], [.set(\.due, due)])
    default: try await set(act, id, on: device)
    }
  }

  @Test(
    arguments: [
      ("Pills every day 8am", "every mon 9am", "done", "2026-11-23 09:00"),
      ("Pills every day 8am", "every mon 9am", "skip", "2026-11-23 09:00"),
      ("Pills every day", "every day 8am", "done", "2026-11-22 08:00"),
      ("Pills every mon 8am", "every mon 9am", "done", "2026-11-30 09:00"),
      ("Pills every mon 8am", "every mon 9am", "skip", "2026-11-30 09:00"),
      ("Pills every day 8am", "due fri 11am", "every tue 9am", "2026-11-24 09:00"),
      ("Pills every day 8am", "every tue 9am", "due fri 11am", "2026-11-27 11:00"),
      ("Pills every day 8am", "every tue 9am", "every wed 10am", "2026-11-25 10:00"),
      // What is skipped stays so, on a day of the new rule, too.
      ("Pills every mon 8am", "every 23rd", "skip", "2026-12-23 08:00"),
      ("Pills every mon 8am", "every 24th", "skip", "2026-11-24 08:00"),
    ], [[0, 1], [1, 0]])
  func `a rule and its time count for what another device does meanwhile`(
    example: (text: String, earlier: String, later: String, due: String), syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current, .current])
    let id = try await begin(example.text, on: devices)
    try await perform(example.earlier, id, on: devices[0])
    try await perform(example.later, id, on: devices[1])
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    let expected = try DueDate.parse(example.due, in: berlin())
    for device in devices {
      #expect(try device.database.fetch(ReminderQuery(id))?.due == expected, "\(example)")
      #expect(try await device.database.rollOver() == 0)
    }
  }
}
