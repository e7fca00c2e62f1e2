import RemindersCore

/// One line of the pane with the reminders.
enum ReminderLine: Equatable, Sendable {
  case heading(String)
  /// The line with the title.
  case title(ReminderRow)
  /// The line below, with the notes and the tags.
  case details(ReminderRow)

  /// The reminder that the line belongs to.
  var id: Reminder.ID? {
    switch self {
    case .heading: nil
    case .title(let row), .details(let row): row.id
    }
  }

  /// - Parameter isCompact: Whether only a countdown gets a second line.
  static func lines(
    of shown: HomeState.Shown, isCompact: Bool, in time: LocalTime
  ) -> [ReminderLine] {
    groups(of: shown, in: time).flatMap { heading, rows in
      (heading.map { [.heading($0)] } ?? [])
        + rows.flatMap { row -> [ReminderLine] in
          let hasDetails = row.status == .completing || !isCompact && row.hasDetails(in: time)
          return hasDetails ? [.title(row), .details(row)] : [.title(row)]
        }
    }
  }

  private static func groups(
    of shown: HomeState.Shown, in time: LocalTime
  ) -> [(heading: String?, rows: [ReminderRow])] {
    let rows = shown.detail.rows
    if shown.query.sort == .completion { return days(of: rows, in: time) }
    if shown.query.kind == .completed { return [(nil, rows)] }
    if shown.query.sort == .due {
      return shown.detail.groups(in: time).map { ($0.urgency.heading, $0.rows) }
    }
    let open = rows.prefix { $0.status != .completed || $0.isUnderParent }
    let completed = rows.dropFirst(open.count)
    return [(nil, Array(open))] + (completed.isEmpty ? [] : [("COMPLETED", Array(completed))])
  }

  /// Reminders by the day on which they were completed.
  private static func days(
    of rows: [ReminderRow], in time: LocalTime
  ) -> [(heading: String?, rows: [ReminderRow])] {
    rows.reduce(into: []) { days, row in
      let day = time.wallClock(at: row.reminder.completion).day
      let heading = DueDate.day(day).relativeDayText(in: time).uppercased()
      if days.last?.heading == heading {
        days[days.count - 1].rows.append(row)
      } else {
        days.append((heading, [row]))
      }
    }
  }
}

extension ReminderListQuery.Kind {
  /// Whether all reminders are of the same list, so that it need not be said.
  var isOneList: Bool {
    if case .list = self { true } else { false }
  }
}

extension ReminderRow {
  /// Whether there is more to show than the title line.
  func hasDetails(in time: LocalTime) -> Bool {
    !self.tags.isEmpty || self.recurrence != nil || snooze(in: time) != nil
      || parentTitle != nil && !isUnderParent || self.notes.contains { !$0.isWhitespace }
      || !reminder.draft.lines.isEmpty
  }
}

extension Urgency {
  /// What stands above the group.
  var heading: String {
    switch self {
    case .overdue: "OVERDUE"
    case .today: "TODAY"
    case .tomorrow: "TOMORROW"
    case .later: "LATER"
    case .noDate: "NO DATE"
    case .completed: "COMPLETED"
    }
  }
}
