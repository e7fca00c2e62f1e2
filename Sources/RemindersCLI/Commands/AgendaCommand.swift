import ArgumentParser
import Foundation
import RemindersCore

struct AgendaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "agenda", abstract: "Show what is due day by day, from today on.",
    discussion: """
      For example: reminders agenda; reminders agenda --days 7 --json

      What is overdue comes first. [>] stands before what is still to come of reminders that come \
      again, once each is completed. Of a day, and of what is overdue, the first 50 are shown.
      """)

  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("So many days.", valueName: "number"))
  var days = 14
  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private static let possibleDays = 1...366

  func validate() throws {
    guard Self.possibleDays.contains(days) else {
      throw ValidationError("--days takes a number from 1 to \(Self.possibleDays.upperBound).")
    }
  }

  func run() async throws {
    let session = try Session(options.choices)
    try await session.settleBeforeReading()
    let today = session.time.today
    let agenda = try session.database.fetch(
      AgendaQuery(
        today...today.adding(days: days - 1), time: session.time, readsWholeTexts: json))
    if json { try printJSON(agenda, session) } else { try printText(agenda, session) }
    if agenda.isIncomplete {
      Messages.write("More reminders come again than are looked at: some of theirs are missing.")
    }
  }

  // MARK: - Text

  private func printText(_ agenda: Agenda, _ session: Session) throws {
    var sections: [[String]] = []
    let text = ReminderText(in: session.time, style: session.style)
    func lines(_ entries: [Agenda.Entry]) -> [String] {
      entries.map { entry in
        let line = text.line(entry.occurrence, isProjected: entry.isProjected)
        return entry.isProjected ? session.style.dim(line) : line
      }
    }
    if agenda.overdueCount > 0 {
      let rest = agenda.overdueCount - agenda.overdue.count
      sections.append(
        ["Overdue · \(agenda.overdueCount)"] + lines(agenda.overdue)
          + (rest > 0 ? ["and \(rest) more"] : []))
    }
    for day in agenda.days {
      sections.append(
        [title(of: day.day, session.time)] + lines(day.entries)
          + (day.hasMore ? ["and more"] : []))
    }
    if sections.isEmpty { sections = [["Nothing is due."]] }
    try Output.write([sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")])
  }

  /// `today · Sat 21 Nov`.
  private func title(of day: CalendarDay, _ time: LocalTime) -> String {
    let date = DueDate.day(day).dateText(in: time)
    let words = DueDate.day(day).relativeDayText(in: time)
    return words == date ? date : "\(words.prefix(1).uppercased())\(words.dropFirst()) · \(date)"
  }

  // MARK: - JSON

  private func printJSON(_ agenda: Agenda, _ session: Session) throws {
    try JSONOutput.write { document in
      try document.object { document in
        document.key("days")
        try document.array { document in
          for day in agenda.days {
            document.element()
            try document.object { document in
              document.key("date")
              document.value(day.day.description)
              document.key("hasMore")
              document.value(day.hasMore)
              document.key("reminders")
              try write(day.entries, session, to: &document)
            }
          }
        }
        document.key("overdue")
        try write(agenda.overdue, session, to: &document)
        document.key("overdueCount")
        document.value(agenda.overdueCount)
      }
    }
  }

  /// Each as `list --json` has it, besides whether it is projected; then its `dueDate` is that of
  /// the occurrence.
  private func write(
    _ entries: [Agenda.Entry], _ session: Session, to document: inout JSONDocument
  ) throws {
    try document.array { document in
      for entry in entries {
        document.element()
        let isProjected = ReminderJSON.Member("isProjected") { _, _, document in
          document.value(entry.isProjected)
        }
        try ReminderJSON(with: [isProjected])
          .write(entry.occurrence, in: session.time, to: &document)
      }
    }
  }
}

extension Agenda.Entry {
  /// The reminder as it is due on this day.
  fileprivate var occurrence: ReminderRow {
    var row = row
    row.reminder.draft.due = due
    return row
  }
}
