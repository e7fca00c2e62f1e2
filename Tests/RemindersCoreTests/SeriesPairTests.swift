import Foundation
import SQLiteSync
import Testing

@testable import RemindersCore

/// What two devices make of one occurrence while they are offline: every pair, in either order.
///
/// The occurrence is that of Saturday 21 November at 9:00 of something that comes every Saturday.
/// Which columns each of them writes is what `Sources/Architecture.md` says of series.
@Suite struct SeriesPairTests {
  /// What somebody does with it on a device.
  enum Act: String, CaseIterable {
    case done
    case skip
    /// To Wednesday 25.
    case move
    /// From 9:00 to 10:00.
    case time
    /// From Saturdays to Wednesdays, and with it to the first of these.
    case rule
    /// Until Friday 27.
    case until
    /// No more after this one.
    case end
  }

  /// The earlier act, the later one, and what all devices have then: what is completed (✓) and what
  /// is open, with its rule.
  static let pairs: [(Act, Act, String)] = [
    // What was done is done, whatever else was made of it, and the next one is on the rule.
    (.done, .done, "✓21 09:00, 28 09:00 sat"),
    (.done, .skip, "✓21 09:00, 28 09:00 sat"), (.skip, .done, "✓21 09:00, 28 09:00 sat"),
    (.done, .move, "✓21 09:00, 28 09:00 sat"), (.move, .done, "✓21 09:00, 28 09:00 sat"),
    (.done, .time, "✓21 09:00, 28 10:00 sat"), (.time, .done, "✓21 09:00, 28 10:00 sat"),
    (.done, .rule, "✓21 09:00, 25 09:00 wed"), (.rule, .done, "✓21 09:00, 25 09:00 wed"),
    // The end is the end.
    (.done, .until, "✓21 09:00"), (.until, .done, "✓21 09:00"),
    (.done, .end, "✓21 09:00"), (.end, .done, "✓21 09:00"),
    // A skipped one leaves nothing: the later act decides whether it is still to be done.
    (.skip, .skip, "28 09:00 sat"),
    (.skip, .move, "25 09:00 sat"), (.move, .skip, "28 09:00 sat"),
    (.skip, .time, "21 10:00 sat"), (.time, .skip, "28 10:00 sat"),
    // Nothing that is open goes: where the rule ends later, it is due when it was put.
    (.skip, .rule, "25 09:00 wed"), (.rule, .skip, "25 09:00 wed"),
    (.skip, .until, "28 09:00 until"), (.until, .skip, "28 09:00 until"),
    (.skip, .end, "28 09:00 once"), (.end, .skip, "28 09:00 once"),
    // The date is one field, of which the later edit wins; the time is that of the series, too.
    (.move, .move, "25 09:00 sat"),
    (.move, .time, "21 10:00 sat"), (.time, .move, "25 10:00 sat"),
    (.move, .rule, "25 09:00 wed"), (.rule, .move, "25 09:00 wed"),
    (.move, .until, "25 09:00 until"), (.until, .move, "25 09:00 until"),
    (.move, .end, "25 09:00 once"), (.end, .move, "25 09:00 once"),
    (.time, .time, "21 10:00 sat"),
    (.time, .rule, "25 10:00 wed"), (.rule, .time, "25 10:00 wed"),
    (.time, .until, "21 10:00 until"), (.until, .time, "21 10:00 until"),
    (.time, .end, "21 10:00 once"), (.end, .time, "21 10:00 once"),
    // Of two rules the later one, on the day to which a rule has brought it.
    (.rule, .rule, "25 09:00 wed"), (.until, .until, "21 09:00 until"),
    (.end, .end, "21 09:00 once"),
    (.rule, .until, "25 09:00 until"), (.until, .rule, "25 09:00 wed"),
    (.rule, .end, "25 09:00 once"), (.end, .rule, "25 09:00 wed"),
    (.until, .end, "21 09:00 once"), (.end, .until, "21 09:00 until"),
  ]

  private static let sat = "every+ sat"
  private static let rules = ["sat": sat, "wed": "every+ wed", "until": "\(sat) until 27 nov"]
  private let fleet = SeriesSyncTests()

  private func perform(
    _ act: Act, _ id: Reminder.ID, on device: SeriesSyncTests.Device
  ) async throws {
    let time = berlin()
    func due(_ text: String) throws -> ReminderEdit {
      .set(\.due, try DueDate.parse(text, in: time))
    }
    func rule(_ text: String?) throws -> ReminderEdit {
      .set(\.recurrence, try text.flatMap { try Recurrence.parse($0, in: time) })
    }
    device.clock.advance(by: 60)
    let database = device.database
    switch act {
    case .done: _ = try await database.setDone(true, [id])
    case .skip: _ = try await database.skip([id])
    case .move: _ = try await database.editReminders([id], [try due("2026-11-25 09:00")])
    case .time: _ = try await database.editReminders([id], [try due("2026-11-21 10:00")])
    case .rule: _ = try await database.editReminders([id], [try rule(Self.rules["wed"])])
    case .until: _ = try await database.editReminders([id], [try rule(Self.rules["until"])])
    case .end: _ = try await database.editReminders([id], [try rule(nil)])
    }
  }

  private func begin(
    on devices: [SeriesSyncTests.Device], passing count: Int
  ) async throws -> Reminder.ID {
    let time = berlin()
    let first = try day("2026-11-21").adding(days: -7 * count)
    let id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Bins", due: .at(first, minutes: 540, in: time),
        recurrence: try Recurrence.parse(Self.sat, in: time))
    ).id
    for _ in 0..<count { _ = try await devices[0].database.skip([id]) }
    try await fleet.settle(devices)
    return id
  }

  /// What a device has: what is completed, then what is open, with its rule.
  private func state(of device: SeriesSyncTests.Device) throws -> String {
    let time = berlin()
    let names = try Dictionary(
      uniqueKeysWithValues: Self.rules.map { (try Recurrence.parse($1, in: time), $0) })
    let rows = try device.database.fetch(
      ReminderListQuery(.all, showsCompleted: true, time: time)
    ).rows
    return rows.map { row in
      let due = row.due.map { due in
        let clock = SeriesClock(due, in: time)?.text().prefix(5)
        return "\(due.day(in: time).components.day) \(clock ?? "")"
      }
      return row.status == .completed
        ? "✓\(due ?? "")"
        : "\(due ?? "") \(row.recurrence.map { names[$0] ?? $0.stored } ?? "once")"
    }.sorted { ($0.hasPrefix("✓") ? 0 : 1, $0) < ($1.hasPrefix("✓") ? 0 : 1, $1) }
      .joined(separator: ", ")
  }

  @Test func `every pair is in the table`() {
    for one in Act.allCases {
      for other in Act.allCases {
        #expect(Self.pairs.count { $0.0 == one && $0.1 == other } == 1, "\(one) \(other)")
      }
    }
  }

  @Test(arguments: pairs, [[0, 1], [1, 0]])
  func `two devices make one thing of an occurrence`(
    pair: (Act, Act, String), syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current, .current])
    // The first occurrence of a series, or one in the middle of it.
    let id = try await begin(on: devices, passing: 2 * syncing[0])
    try await perform(pair.0, id, on: devices[0])
    try await perform(pair.1, id, on: devices[1])
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(try state(of: device) == pair.2, "\(pair.0) \(pair.1)")
      #expect(try await device.database.rollOver() == 0)
    }
    try await expectToGoOn(from: pair.2, id, devices)
  }

  /// What is completed then comes again by its rule, at its time.
  private func expectToGoOn(
    from state: String, _ id: Reminder.ID, _ devices: [SeriesSyncTests.Device]
  ) async throws {
    guard let open = try devices[0].database.fetch(ReminderQuery(id)), open.status == .incomplete
    else { return }
    _ = try await devices[2].database.setDone(true, [id])
    try await fleet.settle(devices)
    let after = try self.state(of: devices[0])
    #expect(try self.state(of: devices[1]) == after)
    let ends = state.hasSuffix("until") || state.hasSuffix("once")
    func count(_ state: String) -> Int { state.split(separator: ",").count }
    #expect(count(after) == count(state) + (ends ? 0 : 1))
    guard !ends, let next = try devices[0].database.fetch(ReminderQuery(id)) else { return }
    let time = berlin()
    #expect(next.due?.minutes(in: time) == open.due?.minutes(in: time))
    #expect(next.due?.day(in: time).weekday == (state.hasSuffix("wed") ? 2 : 5))
  }

  /// Otherwise devices in two zones would put right for ever what the other has.
  @Test func `a series has the time of the place where it was set, wherever it is looked at`() {
    let berlin = berlin()
    let newYork = LocalTime(now: berlin.now, timeZone: TimeZone(identifier: "America/New_York")!)
    let due = DueDate.at(berlin.today, minutes: 600, in: berlin)
    let text = due.seriesTime(in: berlin)
    #expect(text == "10:00 Europe/Berlin")
    #expect(due.at(seriesTime: text, in: newYork) == due)
    let moved = DueDate.at(berlin.today, minutes: 540, in: berlin)
    #expect(moved.at(seriesTime: text, in: newYork) == due)
    #expect(DueDate.day(berlin.today).at(seriesTime: text, in: newYork) == due)
    #expect(due.at(seriesTime: "none", in: berlin) == .day(berlin.today))
    for other in ["10:00", "10:00 Nowhere/Else", "25:00 Europe/Berlin", ""] {
      #expect(due.at(seriesTime: other, in: berlin) == nil)
    }
  }
}
