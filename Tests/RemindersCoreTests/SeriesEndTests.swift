import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// A series whose rule gets an end, another one, or none any more: its occurrences stay the same.
@Suite struct SeriesEndTests {
  private static let rules = ["every+ day", "every+ day 9 times", "every+ day until 5 dec"]
  private let fleet = SeriesSyncTests()

  private static let changes = rules.flatMap { rule in rules.map { [rule, $0] } }

  @Test(arguments: changes, [[0, 1], [1, 0]])
  func `days that were done meanwhile are done once`(
    rules: [String], syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin(rules[0], devices)
    try await devices[1].complete(id, times: 3)
    devices[0].clock.advance(by: 600)
    try await devices[0].repeats(id, rules[1])
    try await devices[0].complete(id)
    try await fleet.expect(
      ["21", "22", "23"].map { "2026-11-\($0) completed" } + ["2026-11-24 incomplete"],
      on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0]])
  func `days are done once where two devices change the end and the third goes on`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current, .current])
    let id = try await fleet.begin("every+ day", devices)
    try await devices[0].complete(id)
    try await devices[0].repeats(id, "every+ day 9 times")
    try await devices[0].complete(id)
    devices[1].clock.advance(by: 600)
    try await devices[1].repeats(id, "every+ day until 5 dec")
    try await devices[1].complete(id)
    devices[2].clock.advance(by: 1200)
    try await devices[2].complete(id, times: 3)
    try await fleet.expect(
      ["21", "22", "23"].map { "2026-11-\($0) completed" } + ["2026-11-24 incomplete"],
      on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `an occurrence keeps its date where its end is changed`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every! 3 days", devices)
    try await devices[1].complete(id, times: 2)
    devices[0].clock.advance(by: 86_400)
    try await devices[0].complete(id)
    devices[1].clock.advance(by: 86_400 + 600)
    try await devices[1].repeats(id, "every! 3 days 4 times")
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-24 completed", "2026-11-27 incomplete"], on: devices,
      syncing: syncing)
  }

  @Test func `so many times are counted from when that was set`() async throws {
    let devices = try fleet.devices([.current])
    let id = try await fleet.begin("every+ day", devices)
    try await devices[0].complete(id, times: 2)
    try await devices[0].repeats(id, "every+ day 3 times")
    let time = berlin()
    let days = try day("2026-11-21")...(try day("2026-11-30"))
    let agenda = try devices[0].database.fetch(AgendaQuery(days, time: time))
    #expect(agenda.days.map(\.day.components.day) == [23, 24, 25])
    try await devices[0].complete(id, times: 2)
    #expect(try devices[0].lines().contains("2026-11-25 incomplete"))
    try await devices[0].complete(id)
    let done = ["21", "22", "23", "24", "25"].map { "2026-11-\($0) completed" }
    #expect(try devices[0].lines().sorted() == done)
    // Where it goes on after all, these were no last ones.
    try await devices[0].repeats(id, "every+ day")
    try await fleet.expect(done + ["2026-11-26 incomplete"], on: devices, syncing: [0])
  }

  @Test func `an occurrence that was moved stays where it is`() async throws {
    let devices = try fleet.devices([.current])
    let id = try await fleet.begin("every+ sat", devices)
    let due = DueDate.day(try day("2026-11-23"))
    _ = try await devices[0].database.editReminders([id], [.set(\.due, due)])
    try await devices[0].repeats(id, "every+ sat until 20 dec")
    #expect(try devices[0].lines() == ["2026-11-23 incomplete"])
    try await devices[0].complete(id)
    #expect(try devices[0].lines().contains("2026-11-28 incomplete"))
  }

  @Test func `the name of an occurrence says nothing of the end`() throws {
    let time = berlin()
    let due = DueDate.at(time.today, minutes: 570, in: time)
    let rule = try #require(Recurrence(stored: "+ FREQ=DAILY"))
    let first = Occurrence(of: rule, due: due, replacing: nil, id: "a", in: time)
    let third = Occurrence(number: 3, day: first.day.adding(days: 2), series: first.series)
    for end in ["COUNT=3", "UNTIL=20261231"] {
      let ending = try #require(Recurrence(stored: "+ FREQ=DAILY;\(end)"))
      let ended = try #require(third.ended(by: ending))
      #expect(ended.belongs(to: ending) && !ended.belongs(to: rule) && !third.belongs(to: ending))
      #expect(ended.name == third.name && ended.completedID == third.completedID)
      #expect(ended.clock == third.clock && ended.counted == 1)
      #expect(ended.ended(by: rule) == third)
      #expect(Occurrence(stored: ended.stored) == ended)
      let begun = Occurrence(of: ending, due: due, replacing: nil, id: "a", in: time)
      #expect(begun.name == first.name && begun.counted == 1)
      // An earlier version wrote one mark of the rule with its end.
      let former = Occurrence(number: 3, day: third.day, series: "a^\(Occurrence.mark(of: ending))")
      #expect(former.belongs(to: ending) && !former.belongs(to: rule))
      #expect(former.ended(by: rule) == nil && former.counted == 3)
    }
    #expect(third.ended(by: Recurrence(stored: "++ FREQ=DAILY;COUNT=3")) == nil)
    #expect(third.ended(by: nil) == nil)
  }

  /// A series of an earlier version, in whose name the end is.
  @Test(arguments: [[0, 1], [1, 0]])
  func `a series goes on that an earlier version has begun`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day 9 times", devices)
    let rule = try Recurrence.parse("every+ day 9 times", in: berlin())
    let series = "1 2026-11-21 77ab^\(Occurrence.mark(of: rule))"
    try await devices[0].database.writer.write { db in
      try db.execute(
        sql: "UPDATE reminders SET occurrence = ? WHERE id = ?", arguments: [series, id])
    }
    try await fleet.settle(devices)
    try await devices[0].complete(id, times: 2)
    devices[1].clock.advance(by: 600)
    try await devices[1].complete(id)
    try await fleet.expect(
      ["2026-11-21 completed", "2026-11-22 completed", "2026-11-23 incomplete"], on: devices,
      syncing: syncing)
    try await devices[0].repeats(id, "every+ day until 23 nov")
    try await devices[0].complete(id)
    try await fleet.expect(
      ["21", "22", "23"].map { "2026-11-\($0) completed" }, on: devices, syncing: syncing)
  }

  @Test(arguments: [
    ("4 2026-11-24 x^aa.1.bb", 3), ("4 2026-11-24 x^aa", 4), ("4 2026-11-24 x", 4),
    ("4 2026-11-24 x^aa.500.bb", 1), ("1 2026-11-21 x^aa.9223372036854775807.bb", 1),
    ("0 2026-11-21 x^aa.7.bb", 0),
  ])
  func `whatever a text says, one that is counted is the first one or later`(
    text: String, counted: Int
  ) throws {
    #expect(try #require(Occurrence(stored: text)).counted == counted)
  }

  @Test(arguments: [
    "x^.MARK", "x^MARK..cc", "x^MARK.7", "x^MARK.7.cc.dd", "x^", "x^..", "x^.MARK.",
  ])
  func `whatever a text says, it is one of the rule afterwards or of no such rule`(
    series: String
  ) throws {
    let rule = try #require(try Recurrence.parse("every+ day 3 times", in: berlin()))
    let due = DueDate.day(try day("2026-11-21"))
    let mark = Occurrence(of: rule.endless, due: due, replacing: nil, id: "", in: berlin()).series
    let text = "2 2026-11-21 " + series.replacing("MARK", with: mark.dropFirst())
    let ended = try #require(Occurrence(stored: text)).ended(by: rule)
    #expect(ended?.belongs(to: rule) != false)
  }
}
