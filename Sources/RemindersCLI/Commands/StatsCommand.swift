import ArgumentParser
import RemindersCore

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "stats", abstract: "Look back: what was done, and how much was overdue.",
    discussion: """
      For example: reminders stats; reminders stats --json

      By day and by week; by list and by tag what is open, what is overdue, and what was done in \
      the last four weeks. How much was overdue is told by the dates that reminders have today.
      """)

  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    try await session.settleBeforeReading()
    let stats = try session.database.fetch(StatsQuery(time: session.time))
    if json {
      try JSONOutput.print(StatsJSON(stats))
    } else {
      try Output.write(StatsText(stats, in: session.time).lines)
    }
  }
}

/// The numbers in words and bars.
private struct StatsText {
  let lines: [String]

  private static let barColumns = 40

  init(_ stats: Stats, in time: LocalTime) {
    func name(_ day: CalendarDay) -> String { time.localeFormat.text(of: day) }
    let sections = [
      ["Done by day"] + Self.bars(stats.days.map { (name($0.first), $0.done) }),
      ["Done by week"]
        + Self.bars(zip(stats.weekNames(in: time), stats.weeks).map { ($0, $1.done) }),
      ["Overdue at the end of the day"]
        + Self.bars(stats.overdue.map { (name($0.day), $0.count) }),
      ["Lists"] + stats.lists.map { Self.line($0, $0.title) },
      ["Tags"] + stats.tags.map { Self.line($0, "#" + $0.title) },
    ]
    lines = Array(sections.filter { $0.count > 1 }.joined(separator: [""]))
  }

  private static func bars(_ rows: [(name: String, number: Int)]) -> [String] {
    let width = rows.map(\.name.count).max() ?? 0
    let most = rows.map(\.number).max() ?? 0
    return rows.map { name, number in
      let cells = Stats.cells(number, of: most, in: barColumns)
      let blanks = String(repeating: " ", count: width - name.count)
      let bar = String(repeating: "█", count: cells) + (cells > 0 ? " " : "")
      return "  \(blanks)\(name)  \(bar)\(number)"
    }
  }

  private static func line(_ group: Stats.Group, _ name: String) -> String {
    "  \(name.printable) · \(group.open) open · \(group.overdue) overdue · "
      + "\(group.done) done in four weeks"
  }
}

/// The numbers as the command line prints them in JSON; scripts rely on their shape.
private struct StatsJSON: Encodable {
  struct Day: Encodable { let date: String, done: Int }
  struct Week: Encodable { let from: String, to: String, done: Int }
  struct Late: Encodable { let date: String, count: Int }
  struct List: Encodable { let id: String, title: String, open: Int, overdue: Int, done: Int }
  struct Tag: Encodable { let title: String, open: Int, overdue: Int, done: Int }

  let days: [Day]
  let weeks: [Week]
  let overdue: [Late]
  let lists: [List]
  let tags: [Tag]

  init(_ stats: Stats) {
    days = stats.days.map { Day(date: $0.first.description, done: $0.done) }
    weeks = stats.weeks.map {
      Week(from: $0.first.description, to: $0.last.description, done: $0.done)
    }
    overdue = stats.overdue.map { Late(date: $0.day.description, count: $0.count) }
    lists = stats.lists.map {
      List(id: $0.id, title: $0.title, open: $0.open, overdue: $0.overdue, done: $0.done)
    }
    tags = stats.tags.map {
      Tag(title: $0.title, open: $0.open, overdue: $0.overdue, done: $0.done)
    }
  }
}
