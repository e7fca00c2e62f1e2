import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// Devices of one person that do at random with a series what can be done with one, each over a way
/// to the cloud that fails at random, until all of them get through.
///
/// What is done and what fails follows from the seed. As in the engine's simulation each seed is
/// about a few kinds of trouble, so that what must hold without the others is looked at, too: that
/// it is open once and that no day is there twice in a third of the seeds, which have few acts.
struct SeriesSimulation {
  /// What a device does.
  enum Act: CaseIterable {
    case sync, done, undo, delete, skip, snooze, notes, day, time, rule, end, addPart, donePart
    case list, weather, pause

    /// How often it happens in a seed that has it.
    var weight: Int {
      switch self {
      case .sync: 6
      case .done: 4
      default: 2
      }
    }
  }

  /// What went wrong, and how to see it again.
  struct Violation: Error, CustomStringConvertible {
    let seed: UInt64
    let what: String
    let trace: [String]

    var description: String {
      """
      seed \(seed): \(what)
      \(trace.joined(separator: "\n"))
      Replay: make simulate-series SERIES_SEED=\(seed)
      """
    }
  }

  /// Of a third of the seeds: few acts, after which everything that is checked must hold.
  private static let fewActs: [Set<Act>] = [
    [.done, .delete, .undo], [.done, .skip, .pause], [.done, .snooze, .undo],
    [.done, .skip, .pause, .notes, .addPart, .donePart, .weather],
  ]

  /// What can happen in this seed.
  private let acts: Set<Act>
  /// What has happened.
  private(set) var happened: Set<Act> = []
  private(set) var trace: [String] = []
  private let seed: UInt64
  private let steps: Int
  private var random: SplitMix64
  private var devices: [Member] = []
  /// When each occurrence was due that was completed, whose completion nobody has taken back, by
  /// what stays of it; without the last one of a series, which is the reminder itself.
  private var completed: [Reminder.ID: String] = [:]
  private var id: Reminder.ID = ""
  private var otherList: RemindersList.ID = ""

  init(seed: UInt64, steps: Int) {
    (self.seed, self.steps) = (seed, steps)
    var random = SplitMix64(seed: seed)
    let few = Self.fewActs
    acts =
      seed % 3 == 1
      ? few[Int(seed / 3) % few.count].union([.sync])
      : Set(Act.allCases.filter { [.sync, .done].contains($0) || Bool.random(using: &random) })
    self.random = random
  }

  /// Runs the schedule, heals, and checks; throws the first violation.
  mutating func run() async throws {
    do {
      try await begin()
      for step in 1...steps { try await act(step) }
      try await heal()
      try check()
    } catch {
      throw Violation(seed: seed, what: "\(error)", trace: trace)
    }
  }

  // MARK: - The schedule

  private mutating func begin() async throws {
    let cloud = MemoryStore()
    let places = ["Europe/Berlin", "America/New_York", "Pacific/Auckland"]
    let isAtHome = isOne(in: 2)
    let count = isOne(in: 2) ? 2 : 3
    let hasEarlierApp = isOne(in: 2)
    let chances = chances()
    for index in 0..<count {
      devices.append(
        try Member(
          hasEarlierApp && index == count - 1 ? .linksAndCovers : .current, cloud,
          seed: random.next(), in: try zone(places[isAtHome ? 0 : index])))
    }
    let phrase = pick(
      "every+ day", "every+ week", "every! 3 days", "every day", "every mon and thu")
    let day = try day("2026-11-21")
    let due: DueDate = isOne(in: 2) ? .day(day) : .at(day, minutes: 540, in: berlin())
    id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Bins", due: due, tags: ["home"],
        recurrence: try Recurrence.parse(phrase, in: berlin()))
    ).id
    _ = try await devices[0].database.addReminder(ReminderDraft(title: "Bag", parentID: id))
    otherList = try await devices[0].database.addList(title: "Work").id
    for device in devices { try await device.sync() }
    for device in devices { device.faults.chances = chances }
    trace.append("\(phrase) \(due.stored) on \(devices.map(\.schema.rawValue)), \(chances)")
  }

  private mutating func chances() -> RandomFaults.Chances {
    var chances = RandomFaults.Chances()
    guard isOne(in: 2) else { return chances }
    chances.failure = number(upTo: 100)
    chances.lostAnswer = number(upTo: 150)
    chances.later = number(upTo: 100)
    chances.repeated = number(upTo: 200)
    (chances.cut, chances.longestCut) = (number(upTo: 40), 10)
    return chances
  }

  private mutating func act(_ step: Int) async throws {
    for device in devices { device.clock.advance(by: 60) }
    let index = number(upTo: devices.count - 1)
    let (device, act) = (devices[index], next())
    var note = ""
    switch act {
    case .sync: note = try await device.syncIfPossible()
    case .pause: for device in devices { device.clock.advance(by: 86_400) }
    case .weather:
      device.faults.weather = RandomFaults.Weather.allCases.randomElement(using: &random) ?? .fine
      note = "\(device.faults.weather)"
    case .undo: note = try await undo(on: device)
    default:
      guard let row = try device.columns(of: id), act == .delete || row.isOpen else { return }
      guard let made = try await edit(act, step, row, on: device) else { return }
      device.steps.append(made)
      note = made.step.label
    }
    happened.insert(act)
    trace.append("\(step) \(index) \(act) \(note) → \(try device.line(of: id))")
  }

  private mutating func undo(on device: Member) async throws -> String {
    guard let last = device.steps.popLast() else { return "nothing" }
    if let occurrence = last.completed { completed[occurrence] = nil }
    let inverse = try await device.database.undo(last.step)
    if isOne(in: 3) { device.steps.append(Member.Step(step: inverse, completed: nil)) }
    return last.step.label
  }

  /// What somebody does with the series; nil for what an earlier app cannot.
  private mutating func edit(
    _ act: Act, _ step: Int, _ row: RowChange.Columns, on device: Member
  ) async throws -> Member.Step? {
    let (database, time) = (device.database, device.time)
    let due = DueDate(stored: row.text("dueDate"))
    var edit: ReminderEdit?
    switch act {
    case .done:
      let occurrence = Occurrence(stored: row.text("occurrence"))
      let made = try await database.setDone(true, [id])
      guard let occurrence, try device.columns(of: occurrence.completedID) != nil else {
        return Member.Step(step: made)
      }
      completed[occurrence.completedID] = due?.stored ?? ""
      return Member.Step(step: made, completed: occurrence.completedID)
    case .delete: return Member.Step(step: try await database.deleteReminders([id]))
    case .notes: edit = .set(\.notes, "step \(step)")
    case .list: edit = .set(\.listID, otherList)
    case .day:
      let day = try day("2026-11-21").adding(days: number(upTo: 6))
      edit = .set(\.due, due.map { $0.moved(to: day, in: time) } ?? .day(day))
    case .donePart:
      guard let part = try device.parts(of: id).randomElement(using: &random) else { return nil }
      return Member.Step(step: try await database.setDone(true, [part]))
    case _ where device.schema != .current: return nil
    case .skip where row.text("recurrence") != nil:
      return Member.Step(step: try await database.skip([id]))
    case .snooze:
      return Member.Step(
        step: try await database.snooze([id], until: device.clock.now + 600))
    case .addPart:
      let (_, made) = try await database.addReminder(
        ReminderDraft(title: "Part \(step)", parentID: id))
      return Member.Step(step: made)
    case .time where due?.minutes(in: time) != nil:
      edit = due.map { .set(\.due, .at($0.day(in: time), minutes: step * 30, in: time)) }
    case .rule:
      let phrase = pick("every+ 2 days", "every week", "every! 3 days", "every+ mon")
      edit = .set(\.recurrence, try Recurrence.parse(phrase, in: time))
    case .end: edit = .set(\.recurrence, nil)
    default: break
    }
    guard let edit else { return nil }
    return Member.Step(step: try await database.editReminders([id], [edit]))
  }

  // MARK: - Chance

  private mutating func next() -> Act {
    let acts = Act.allCases.filter(acts.contains)
    var pick = number(upTo: acts.reduce(0) { $0 + $1.weight } - 1)
    for act in acts {
      pick -= act.weight
      if pick < 0 { return act }
    }
    return .sync
  }

  private mutating func pick(_ phrases: String...) -> String {
    phrases.randomElement(using: &random) ?? ""
  }

  private mutating func number(upTo last: Int) -> Int { Int.random(in: 0...last, using: &random) }
  private mutating func isOne(in count: Int) -> Bool { number(upTo: count - 1) == 0 }

  // MARK: - What must hold

  /// Lets everybody get through until nothing changes any more.
  private func heal() async throws {
    for device in devices { device.heal() }
    var before: [[String]] = []
    for _ in 1...8 {
      for device in devices { try await device.sync() }
      let now = try devices.map { try $0.rows(in: $0.schema) }
      if now == before { return }
      before = now
    }
    throw Wrong("It does not come to rest.")
  }

  private func check() throws {
    for device in devices {
      let counts = try device.database.fetch(SyncQuery()).counts
      guard counts == SyncCounts() else { throw Wrong("\(counts)") }
      let (one, other) = (
        try devices[0].rows(in: device.schema), try device.rows(in: device.schema)
      )
      guard one == other else {
        let differences = Set(one).symmetricDifference(other).sorted().joined(separator: "\n")
        throw Wrong("the devices differ:\n\(differences)")
      }
    }
    let rows = try devices[0].series()
    let text = rows.map { "\($0.day) \($0.isOpen ? "open" : "done")" }.joined(separator: ", ")
    if acts.isDisjoint(with: [.delete, .end, .undo]), rows.count(where: \.isOpen) != 1 {
      throw Wrong("it is not open once: \(text)")
    }
    // Where nobody puts a day where another one is; an app that knows no series deletes it and puts
    // back a reminder that does not come again, of a day that others may have done (seed 157).
    let isPutBackAlone =
      acts.isSuperset(of: [.delete, .undo]) && devices.contains { $0.schema != .current }
    if acts.isDisjoint(with: [.day, .time, .rule, .end]), !isPutBackAlone,
      Set(rows.map(\.day)).count != rows.count
    {
      throw Wrong("a day is there twice: \(text)")
    }
    // Where the series has ended, the last one is the reminder itself.
    for (copy, day) in completed {
      let isThere = rows.contains { row in
        !row.isOpen && (row.id == copy || row.id == id && row.day == day)
      }
      guard isThere else {
        throw Wrong("what was done is not: \(day) in \(text)")
      }
    }
  }
}

/// What does not hold.
private struct Wrong: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A device in a simulation, with its own way to the cloud.
private final class Member {
  /// Something that can be undone.
  struct Step {
    let step: UndoStep
    /// The occurrence that it completed.
    var completed: Reminder.ID?
  }

  let schema: SchemaVersion
  let faults: RandomFaults
  var steps: [Step] = []
  private let device: SeriesSyncTests.Device
  private let store: FaultyStore
  private let timeZone: TimeZone

  init(_ schema: SchemaVersion, _ cloud: MemoryStore, seed: UInt64, in timeZone: TimeZone) throws {
    (self.schema, self.timeZone) = (schema, timeZone)
    let faults = RandomFaults(seed: seed)
    self.faults = faults
    store = FaultyStore(cloud) { faults.plan($0, canBeStale: false) }
    var environment = CloudEnvironment.live
    environment.pause = { _ in }
    device = try SeriesSyncTests.Device(
      schema, store, timeZone: timeZone, environment: environment)
  }

  var database: AppDatabase { device.database }
  var clock: ManualClock { device.clock }
  var time: LocalTime { LocalTime(now: clock.now, timeZone: timeZone) }

  func sync() async throws { try await device.sync() }

  /// Synchronizes as far as its way to the cloud lets it; returns what that met.
  func syncIfPossible() async throws -> String {
    do {
      try await sync()
      return "everything"
    } catch let error as CloudError
      where [.networkUnavailable, .quotaExceeded].contains(error.code)
    {
      return error.reason
    }
  }

  /// Lets it meet no more faults, and the cloud carry out what it has got.
  func heal() {
    store.landLate()
    store.restart()
  }

  // MARK: - What it has

  func columns(of id: Reminder.ID) throws -> RowChange.Columns? {
    try database.writer.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM reminders WHERE id = ?", arguments: [id])
        .map { row in Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }) }
    }
  }

  func line(of id: Reminder.ID) throws -> String {
    guard let row = try columns(of: id) else { return "gone" }
    return "\(row.text("dueDate") ?? "no date") status \(row["status"] ?? .null) "
      + (row.text("occurrence") ?? "")
  }

  func parts(of id: Reminder.ID) throws -> [Reminder.ID] {
    guard schema == .current else { return [] }
    return try database.writer.read { db in
      try String.fetchAll(
        db, sql: "SELECT id FROM reminders WHERE parentID = ? ORDER BY title, id", arguments: [id])
    }
  }

  /// All that devices must agree on, as far as a schema has it.
  func rows(in schema: SchemaVersion) throws -> [String] {
    try database.writer.read { db in
      let known = Set(schema.ownColumns + schema.columnFields.map(\.column) + ["id"])
      return try schema.tables.flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table.name)").map { row in
          let names = row.columnNames.filter { table != .reminders || known.contains($0) }
          return "\(table.name) "
            + names.map { "\($0)=\(row[$0] as DatabaseValue)" }
            .joined(separator: " ")
        }
      }.sorted()
    }
  }

  /// The reminder and what was completed of it.
  func series() throws -> [(id: Reminder.ID, day: String, isOpen: Bool)] {
    try database.writer.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT id, dueDate, status FROM reminders WHERE title = 'Bins'
          ORDER BY dueDate, id
          """
      ).map { ($0[0], $0[1] ?? "", $0[2] == 0) }
    }
  }
}

extension RowChange.Columns {
  fileprivate var isOpen: Bool {
    self["status"] == Reminder.Status.incomplete.rawValue.databaseValue
  }
}
