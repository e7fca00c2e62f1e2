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
/// it is open once and that no day is there twice in a third of the seeds, which have few acts; and
/// in every other seed rules have ends, which come and go and change nothing of that.
struct SeriesSimulation {
  private typealias Device = SeriesSimulationDevice

  /// What a device does.
  enum Act: CaseIterable {
    case sync, done, undo, delete, skip, snooze, notes, day, time, rule, end, addPart, donePart
    case list, weather, pause
    /// The rule gets an end, another one, or none any more.
    case limit

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
  private var devices: [Device] = []
  /// When each occurrence was due that was completed, whose completion nobody has taken back.
  ///
  /// Two days may have one number, where one device skips several days at once.
  private var completed: [Occurrence: String] = [:]
  /// Those of them that were the last one for the device that completed them.
  private var lasts: Set<Occurrence> = []
  private var id: Reminder.ID = ""
  private var otherList: RemindersList.ID = ""

  init(seed: UInt64, steps: Int) {
    (self.seed, self.steps) = (seed, steps)
    var random = SplitMix64(seed: seed)
    let few = Self.fewActs
    let others = Act.allCases.filter { $0 != .limit }
    var acts =
      seed % 3 == 1
      ? few[Int(seed / 3) % few.count].union([.sync])
      : Set(others.filter { [.sync, .done].contains($0) || Bool.random(using: &random) })
    if seed.isMultiple(of: 2) { acts.insert(.limit) }
    self.acts = acts
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
        try Device(
          hasEarlierApp && index == count - 1 ? .linksAndCovers : .current, cloud,
          seed: random.next(), in: try zone(places[isAtHome ? 0 : index])))
    }
    let phrase = pick(
      "every+ day", "every+ week", "every! 3 days", "every day", "every mon and thu")
    var rule = try #require(try Recurrence.parse(phrase, in: berlin()))
    if acts.contains(.limit) { rule.end = try limit() }
    let day = try day("2026-11-21")
    let due: DueDate = isOne(in: 2) ? .day(day) : .at(day, minutes: 540, in: berlin())
    id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Bins", due: due, tags: ["home"],
        recurrence: rule)
    ).id
    _ = try await devices[0].database.addReminder(ReminderDraft(title: "Bag", parentID: id))
    otherList = try await devices[0].database.addList(title: "Work").id
    for device in devices { try await device.sync() }
    for device in devices { device.faults.chances = chances }
    trace.append("\(rule.stored) \(due.stored) on \(devices.map(\.schema.rawValue)), \(chances)")
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
      guard let made = try await editIfPossible(act, step, row, on: device) else { return }
      device.steps.append(made)
      note = made.step.label
    }
    happened.insert(act)
    trace.append("\(step) \(index) \(act) \(note) → \(try device.line(of: id))")
  }

  private mutating func undo(on device: Device) async throws -> String {
    guard let last = device.steps.popLast() else { return "nothing" }
    if let occurrence = last.completed { completed[occurrence] = nil }
    // An app that knows no series opens the last one for all, as it does any reminder.
    if device.schema != .current { for last in lasts { completed[last] = nil } }
    let inverse = try await device.database.undo(last.step)
    if isOne(in: 3) { device.steps.append(Device.Step(step: inverse, completed: nil)) }
    return last.step.label
  }

  /// The same as `edit`; nil for what the app refuses: to skip the last one, or a past end.
  private mutating func editIfPossible(
    _ act: Act, _ step: Int, _ row: RowChange.Columns, on device: Device
  ) async throws -> Device.Step? {
    do {
      return try await edit(act, step, row, on: device)
    } catch let error as AppError where error.kind == .invalidInput {
      return nil
    }
  }

  /// What somebody does with the series; nil for what an earlier app cannot.
  private mutating func edit(
    _ act: Act, _ step: Int, _ row: RowChange.Columns, on device: Device
  ) async throws -> Device.Step? {
    let (database, time) = (device.database, device.time)
    let due = DueDate(stored: row.text("dueDate"))
    var edit: ReminderEdit?
    switch act {
    case .done:
      let made = try await database.setDone(true, [id])
      guard let occurrence = Occurrence(stored: row.text("occurrence")) else {
        return Device.Step(step: made)
      }
      if try device.columns(of: id)?.isOpen == false { lasts.insert(occurrence) }
      completed[occurrence] = due?.stored ?? ""
      return Device.Step(step: made, completed: occurrence)
    case .delete:
      // What was done last goes with the reminder that says so.
      if !row.isOpen {
        for occurrence in completed.keys
        where try device.columns(of: occurrence.completedID) == nil {
          completed[occurrence] = nil
        }
      }
      return Device.Step(step: try await database.deleteReminders([id]))
    case .notes: edit = .set(\.notes, "step \(step)")
    case .list: edit = .set(\.listID, otherList)
    case .day:
      let day = try day("2026-11-21").adding(days: number(upTo: 6))
      edit = .set(\.due, due.map { $0.moved(to: day, in: time) } ?? .day(day))
    case .donePart:
      guard let part = try device.parts(of: id).randomElement(using: &random) else { return nil }
      return Device.Step(step: try await database.setDone(true, [part]))
    case _ where device.schema != .current: return nil
    case .skip where row.text("recurrence") != nil:
      return Device.Step(step: try await database.skip([id]))
    case .snooze:
      return Device.Step(
        step: try await database.snooze([id], until: device.clock.now + 600))
    case .addPart:
      let (_, made) = try await database.addReminder(
        ReminderDraft(title: "Part \(step)", parentID: id))
      return Device.Step(step: made)
    case .time where due?.minutes(in: time) != nil:
      edit = due.map { .set(\.due, .at($0.day(in: time), minutes: step * 30, in: time)) }
    case .rule:
      let phrase = pick("every+ 2 days", "every week", "every! 3 days", "every+ mon")
      edit = .set(\.recurrence, try Recurrence.parse(phrase, in: time))
    case .end: edit = .set(\.recurrence, nil)
    case .limit:
      guard var rule = Recurrence(stored: row.text("recurrence")) else { return nil }
      rule.end = try limit()
      edit = .set(\.recurrence, rule)
    default: break
    }
    guard let edit else { return nil }
    return Device.Step(step: try await database.editReminders([id], [edit]))
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

  /// When the rule comes no more.
  private mutating func limit() throws -> Recurrence.End? {
    switch number(upTo: 2) {
    case 0: .until(try day("2026-11-21").adding(days: number(upTo: 6)))
    case 1: .count(1 + number(upTo: 3))
    default: nil
    }
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
    let text = rows.map { row in
      "\(row.day) \(row.isOpen ? "open" : "done")"
        + (row.occurrence.map { " (\($0.number) \($0.day))" } ?? "")
    }.joined(separator: ", ")
    let open = acts.contains(.limit) ? 0...1 : 1...1
    if acts.isDisjoint(with: [.delete, .end, .undo]), !open.contains(rows.count(where: \.isOpen)) {
      throw Wrong("it is not open once: \(text)")
    }
    // Where nobody puts a day where another one is. Not where an app that knows no series deletes
    // it and puts it back: that is without its rule and its occurrence, which such an app does not
    // know, so that nothing says of which series its day was (seed 157).
    let isPutBackAlone =
      acts.isSuperset(of: [.delete, .undo]) && devices.contains { $0.schema != .current }
    if acts.isDisjoint(with: [.day, .time, .rule, .end]), !isPutBackAlone,
      Set(rows.map(\.day)).count != rows.count
    {
      throw Wrong("a day is there twice: \(text)")
    }
    // Where the series has ended, the last one is the reminder itself.
    let isDeleted = !rows.contains { $0.id == id }
    for (occurrence, day) in completed where !(isDeleted && lasts.contains(occurrence)) {
      let isThere = rows.contains { row in
        guard !row.isOpen else { return false }
        let copy = occurrence.completedID
        // The day says which one it is, whatever number it has got.
        if row.occurrence?.seriesName == occurrence.seriesName {
          return row.occurrence?.day == occurrence.day
        }
        return row.id == copy
          || row.id == id && (row.day == day || row.occurrence?.completedID == copy)
      }
      guard isThere else {
        throw Wrong("what was done is not: \(occurrence.number) \(occurrence.day) in \(text)")
      }
    }
  }
}

/// What does not hold.
private struct Wrong: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
