import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import RemindersCore

/// Data at random goes out in each format and comes back.
///
/// More of it, or one case again: ROUND_TRIP_SEED=n, ROUND_TRIP_SEEDS=n.
extension InterchangeTests {
  private static let seeds: ClosedRange<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["ROUND_TRIP_SEED"].flatMap(UInt64.init)
    let count = environment["ROUND_TRIP_SEEDS"].flatMap(UInt64.init) ?? (first == nil ? 6 : 1)
    return (first ?? 1)...((first ?? 1) + max(count, 1) - 1)
  }()

  @Test(arguments: seeds, ImportFormat.allCases)
  func `data at random comes back from a format with all that this carries`(
    seed: UInt64, format: ImportFormat
  ) async throws {
    let one = try Fixture(timeZone: berlin().timeZone)
    var random = RandomReminders(seed: seed)
    try await random.fill(one)
    let data = try export(one, try #require(ExportFormat(rawValue: format.rawValue)))
    let other = try Fixture(timeZone: berlin().timeZone)
    let replay: Comment = "Replay: ROUND_TRIP_SEED=\(seed)"
    let result = try await take(data, format, into: other)
    #expect(result.problems == [], replay)
    let (before, after) = (try facts(of: one, in: format), try facts(of: other, in: format))
    #expect(before.count >= RandomReminders.count, replay)
    #expect(after.count == before.count, replay)
    for (before, after) in zip(before, after) where before != after {
      let differences = zip(before, after).filter { $0 != $1 }.map {
        "\($0.debugDescription) ≠ \($1)"
      }
      Issue.record("\(before[0]): \(differences.joined(separator: "; ")). \(replay)")
    }
    if format == .json { #expect(try document(export(other)) == document(data), replay) }
    #expect(try await take(data, format, into: other).reminders == 0, replay)
  }

  @Test func `a series whose time was set elsewhere is at home there after a round trip`()
    async throws
  {
    let one = try Fixture(timeZone: berlin().timeZone)
    let other = try Fixture(timeZone: berlin().timeZone)
    let id = try await one.database.addReminder(
      ReminderDraft(
        title: "Stand-up", due: .at(try day("2026-11-23"), minutes: 9 * 60, in: berlin()),
        recurrence: try Recurrence.parse("every monday", in: berlin()))
    ).id
    one.timeZone = try zone("Asia/Tokyo")
    let tokyo = berlin().moved(to: one.timeZone)
    let moved = DueDate.at(try day("2026-11-23"), minutes: 7 * 60, in: tokyo)
    _ = try await one.database.editReminders([id], [.set(\.due, moved)])
    let data = try export(one)
    try await take(data, .json, into: other)
    #expect(try document(export(other)) == document(data))
    _ = try await other.database.setDone(true, [id])
    #expect(
      try other.details(id).due == .at(day("2026-11-30"), minutes: 7 * 60, in: tokyo))
  }

  /// What a format can say of each reminder, by id.
  private func facts(of fixture: Fixture, in format: ImportFormat) throws -> [[String]] {
    var series: [Reminder.ID: ExportedSeries] = [:]
    if format == .ics { series = try fixture.database.writer.read(ExportedSeries.all) }
    var facts: [[String]] = []
    let query = FilterQuery([.all], showsCompleted: true, time: berlin())
    try fixture.database.forEach(query) { row in
      let (reminder, draft) = (row.reminder, row.reminder.draft)
      func text(_ moment: Date) -> String {
        format == .todotxt ? "\(berlin().wallClock(at: moment).day)" : moment.iso8601UTC
      }
      let isOpen = row.status == .incomplete
      var known = [
        row.id, row.title, draft.due?.iso8601(in: berlin()) ?? "", row.status.name,
        draft.tags.sorted().joined(separator: " "), row.list.title, text(reminder.createdAt),
        isOpen ? "" : text(reminder.completion),
        isOpen || format != .todotxt ? draft.priority?.name ?? "" : "",
      ]
      if format != .todotxt { known.append(draft.notes) }
      if [.ics, .json].contains(format) {
        // A calendar counts from the occurrence that is due.
        let number = series[row.id]?.occurrence?.number ?? 1
        known += [
          draft.alarms.map(\.stored).sorted().joined(separator: ", "), "\(draft.isFlagged)",
          draft.url ?? "", draft.recurrence?.remaining(from: number).stored ?? "",
          draft.parentID ?? "",
        ]
      }
      facts.append(known)
    }
    return facts.sorted { $0[0] < $1[0] }
  }
}

/// Makes reminders of what trips programs up.
private struct RandomReminders {
  static let count = 40
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Adds lists, reminders and parts of them, and completes some, at several moments.
  mutating func fill(_ fixture: Fixture) async throws {
    let database = fixture.database
    var lists: [RemindersList.ID] = []
    for place in 1...3 {
      let title = "\(place) \(words())"
      lists.append(try await database.addList(title: title, color: number(upTo: 0xFF_FFFF)).id)
    }
    var tops: [RemindersList.ID: [Reminder.ID]] = [:]
    for _ in 1...Self.count {
      fixture.clock.advance(by: Double(number(upTo: 50_000)))
      guard let list = lists.randomElement(using: &random) else { return }
      var draft = try draft(at: fixture.clock.now)
      draft.listID = list
      if isOne(in: 4) { draft.parentID = tops[list]?.randomElement(using: &random) }
      if draft.parentID != nil { draft.recurrence = nil }
      let id = try await database.addReminder(draft).id
      if draft.parentID == nil { tops[list, default: []].append(id) }
      if isOne(in: 3) { _ = try await database.setDone(true, [id]) }
    }
  }

  private mutating func draft(at now: Date) throws -> ReminderDraft {
    var draft = ReminderDraft(title: words(), isFlagged: isOne(in: 4), tags: tags())
    if isOne(in: 2) {
      draft.notes = (0...number(upTo: 3)).map { _ in words() }.joined(separator: "\n")
    }
    if isOne(in: 2) { draft.priority = Reminder.Priority.allCases.randomElement(using: &random) }
    if isOne(in: 4) { draft.url = Self.links.randomElement(using: &random) }
    let time = berlin(now)
    if !isOne(in: 3) {
      let day = time.today.adding(days: number(upTo: 400) - 30)
      // Not at midnight, which taskwarrior takes for a day.
      draft.due =
        isOne(in: 2) ? DueDate.day(day) : DueDate.at(day, minutes: 1 + number(upTo: 1438), in: time)
    }
    if draft.due != nil, isOne(in: 2), let rule = Self.rules.randomElement(using: &random) {
      draft.recurrence = try Recurrence.parse(rule, in: time)
    }
    draft.alarms = alarms(of: draft.due, at: now)
    return draft
  }

  private mutating func alarms(of due: DueDate?, at now: Date) -> [Alarm] {
    if isOne(in: 8) { return [.never] }
    var alarms: Set<Alarm> = []
    for _ in 0..<number(upTo: 3) {
      switch number(upTo: due == nil ? 0 : 3) {
      case 0: alarms.insert(.at(now.addingTimeInterval(Double(number(upTo: 9_999_999)))))
      case 1: alarms.insert(.offset(days: -number(upTo: 9), seconds: -number(upTo: 90_000)))
      case 2: alarms.insert(.clock(daysBefore: number(upTo: 9), minutes: number(upTo: 1439)))
      default: alarms.insert(.whenDue)
      }
    }
    return Array(alarms)
  }

  private mutating func tags() -> [String] {
    var tags: [String] = []
    for _ in 0..<number(upTo: 3) {
      tags += Self.tagTitles.randomElement(using: &random).map { [$0] } ?? []
    }
    return Set(tags).sorted()
  }

  /// Some words, with one space between them or more.
  private mutating func words() -> String {
    var text = Self.words.randomElement(using: &random) ?? ""
    for _ in 0..<number(upTo: 6) {
      text += isOne(in: 4) ? "  " : " "
      text += Self.words.randomElement(using: &random) ?? ""
    }
    return text
  }

  private mutating func number(upTo last: Int) -> Int { Int.random(in: 0...last, using: &random) }
  private mutating func isOne(in count: Int) -> Bool { number(upTo: count - 1) == 0 }

  private static let words = [
    "Milk", "a,b;c", #"\n"#, #"\"#, #"\\,"#, #""x""#, "it's", "x", "(A)", "(z)", "+1", "@home",
    "#12",
    "due:soon", "due:2026-12-01", "at:9", "id:1", "2026-01-01", "Ärzte", "e\u{301}te\u{301}", "🙂",
    "👩‍👩‍👧", "🇩🇪", "שלום", "\u{202E}abc\u{202C}", "مرحبا", "日本語", "%20", "<b>", "&amp;",
    "=1+1", "-",
    "BEGIN:VTODO", "END:VTODO", "{", "[]", "null", ":", "my_list", "_", #"\_"#,
    "\u{2067}RTL\u{2069}",
    String(repeating: "long", count: 30), String(repeating: "ü", count: 80),
  ]
  private static let tagTitles = [
    "shop", "night-out", "Ärzte", "🙂", "a,b", "x;y", #"back\slash"#, "a_b", "+1", "due:x", "שלום",
    "\"q\"", "1",
  ]
  private static let links = [
    "https://example.org/a,b;c?d=%20#e", "mailto:bob@example.org", #"https://x.org/\n"#,
    "https://example.org/Ärzte", "https://[::1]:8080/" + String(repeating: "a", count: 100),
  ]
  private static let rules = [
    "every day", "every+ mon and thu", "every! 3 days", "monthly on the last fri", "every 31st",
    "every 25 dec", "every day 5 times", "every mon until 2029-03-01", "every 2 weeks on tue",
    "every weekday", "every+ 3 months", "every! 2 years",
  ]
}
