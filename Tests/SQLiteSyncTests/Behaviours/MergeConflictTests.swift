import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Two devices edit one record before they know of each other.
struct MergeConflictTests {
  /// What the second device does first when the other's edit is in the cloud already.
  enum First: CaseIterable {
    case fetch
    case send

    /// A send that comes first is refused, and answered with the other version.
    var troubles: Set<Trouble> { self == .send ? [.refused(.serverRecordChanged)] : [] }
  }

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO reminders (id, title, dueDate, priority) VALUES ('r', 'A', 1, 2)")
    try fleet.settle()
  }

  private func exchange(_ first: First) throws {
    try ben.send()
    switch first {
    case .fetch: try ann.fetch()
    case .send: try ann.send()
    }
    try fleet.settle()
  }

  private func expect(_ row: String, after first: First) throws {
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, dueDate, priority FROM reminders") == [row])
    }
    try fleet.expectExhausted(after: first.troubles)
  }

  @Test(arguments: First.allCases, [true, false])
  func editsOfDifferentFieldsAreBothKeptWithTheirTimes(first: First, annEditsFirst: Bool) throws {
    let start = fleet.clock.now
    if annEditsFirst { try ann.execute("UPDATE reminders SET title = 'B'") }
    try ben.execute("UPDATE reminders SET dueDate = 9")
    if !annEditsFirst { try ann.execute("UPDATE reminders SET title = 'B'") }
    try exchange(first)
    try expect("B|9|2", after: first)
    for device in [ann, ben] {
      let times = try device.times("reminders", "r")
      #expect(times["title"] == start + (annEditsFirst ? 1 : 2))
      #expect(times["dueDate"] == start + (annEditsFirst ? 2 : 1))
    }
  }

  @Test(arguments: First.allCases)
  func theLaterEditOfAFieldWinsWhenItIsTheOtherDevices(first: First) throws {
    try ann.execute("UPDATE reminders SET title = 'earlier'")
    try ben.execute("UPDATE reminders SET title = 'later'")
    let time = fleet.clock.now
    try exchange(first)
    try expect("later|1|2", after: first)
    #expect(try ann.times("reminders", "r")["title"] == time)
  }

  @Test(arguments: First.allCases)
  func theLaterEditOfAFieldWinsWhenItIsTheOwn(first: First) throws {
    try ben.execute("UPDATE reminders SET title = 'earlier'")
    try ann.execute("UPDATE reminders SET title = 'later'")
    try exchange(first)
    try expect("later|1|2", after: first)
  }

  @Test(arguments: First.allCases)
  func nullIsAValueAndCanWin(first: First) throws {
    try ben.execute("UPDATE reminders SET dueDate = NULL")
    try ann.execute("UPDATE reminders SET priority = NULL")
    try exchange(first)
    try expect("A|NULL|NULL", after: first)
  }

  @Test(arguments: First.allCases)
  func oneEditCanLoseOneFieldAndKeepAnother(first: First) throws {
    try ann.execute("UPDATE reminders SET title = 'ann', dueDate = 5")
    try ben.execute("UPDATE reminders SET title = 'ben', priority = 7")
    try exchange(first)
    try expect("ben|5|7", after: first)
  }

  @Test func inOneMillisecondTheDevicesBitsDecideOnBoth() throws {
    try ann.execute("UPDATE reminders SET title = 'ann'")
    ben.skew = -1
    try ben.execute("UPDATE reminders SET title = 'ben'")
    let annWins = ann.container.device.clockBits > ben.container.device.clockBits
    try fleet.settle()
    try expect(annWins ? "ann|1|2" : "ben|1|2", after: .fetch)
  }

  @Test func threeDevicesThatEditOneFieldEndEqual() throws {
    let carl = try fleet.device()
    try carl.sync()
    for (device, title) in [(carl, "first"), (ann, "second"), (ben, "third")] {
      try device.execute("UPDATE reminders SET title = ?", [title])
    }
    for device in [ben, carl, ann] { try device.send() }
    try fleet.settle()
    #expect(try carl.rows("SELECT title FROM reminders") == ["third"])
    try expect("third|1|2", after: .send)
  }

  @Test func whatLostIsKeptInTheHistory() throws {
    try ann.execute("UPDATE reminders SET title = 'earlier'")
    try ben.execute("UPDATE reminders SET title = 'later'")
    try exchange(.fetch)
    #expect(
      try ann.rows("SELECT primaryKey, field, value FROM sync_history WHERE clock <> 0")
        == ["r|title|earlier"])
    try expect("later|1|2", after: .fetch)
  }

  @Test(arguments: First.allCases)
  func aMergeIsReportedWithTheFieldsOfBothSides(first: First) throws {
    try ann.execute("UPDATE reminders SET title = 'ann', dueDate = 5")
    try ben.execute("UPDATE reminders SET title = 'ben'")
    try exchange(first)
    let conflicts = ann.events.compactMap { event in
      if case .merged(let conflicts) = event { conflicts } else { nil }
    }
    #expect(conflicts.count == 1)
    #expect(conflicts.first?.first?.mine == ["dueDate"])
    #expect(conflicts.first?.first?.theirs == ["title"])
    try expect("ben|5|2", after: first)
  }

  @Test(arguments: First.allCases)
  func aMergeThatTheOtherSideWinsAltogetherIsReportedToo(first: First) throws {
    try ann.execute("UPDATE reminders SET title = 'ann'")
    try ben.execute("UPDATE reminders SET title = 'ben'")
    try exchange(first)
    let conflicts = ann.events.flatMap { event -> [SyncEvent.Conflict] in
      if case .merged(let conflicts) = event { conflicts } else { [] }
    }
    #expect(conflicts.map(\.mine) == [[]])
    #expect(conflicts.map(\.theirs) == [["title"]])
    try expect("ben|1|2", after: first)
  }

  @Test func aFetchWithoutConflictReportsNoMerge() throws {
    try ben.execute("UPDATE reminders SET title = 'B'")
    try fleet.settle()
    #expect(
      !(ann.events + ben.events).contains { if case .merged = $0 { true } else { false } })
    try expect("B|1|2", after: .fetch)
  }

  /// Also over an edit made between the two by a device that hears of it only from the cloud.
  @Test func ofTwoDeletionsTheLaterCountsForEverybody() throws {
    let cal = try fleet.device()
    try fleet.settle()
    try ann.execute("DELETE FROM reminders")
    try cal.execute("UPDATE reminders SET title = 'C'")
    try ben.execute("DELETE FROM reminders")
    try ann.sync()
    try ben.sync()
    try cal.sync()
    #expect(try cal.rows("SELECT * FROM reminders") == [])
    try fleet.settle()
    try fleet.expectExhausted()
  }
}
