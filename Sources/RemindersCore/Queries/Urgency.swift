/// How soon a reminder is due: the groups of a list that is sorted by due date.
public enum Urgency: Int, CaseIterable, Comparable, Sendable {
  /// Due on a day that is over.
  case overdue
  /// Due today.
  case today
  /// Due tomorrow.
  case tomorrow
  /// Due after tomorrow.
  case later
  /// Without a due date.
  case noDate
  /// Completed, whenever it was due.
  case completed

  /// The urgency of a reminder at a time.
  public init(due: DueDate?, status: Reminder.Status, in time: LocalTime) {
    guard status != .completed else {
      self = .completed
      return
    }
    guard let due else {
      self = .noDate
      return
    }
    self =
      switch due.day(in: time).number - time.today.number {
      case ..<0: .overdue
      case 0: .today
      case 1: .tomorrow
      default: .later
      }
  }

  /// The more urgent is the smaller.
  public static func < (one: Urgency, other: Urgency) -> Bool {
    one.rawValue < other.rawValue
  }
}

extension ReminderListQuery.Value {
  /// The rows by urgency, the most urgent first and no group empty; in each the order of the rows.
  public func groups(in time: LocalTime) -> [(urgency: Urgency, rows: [ReminderRow])] {
    // A part stays with what it is a part of.
    var groups: [Urgency: [ReminderRow]] = [:]
    var urgency = Urgency.noDate
    for row in rows {
      if !row.isUnderParent { urgency = Urgency(due: row.due, status: row.status, in: time) }
      groups[urgency, default: []].append(row)
    }
    return groups.sorted { $0.key < $1.key }.map { (urgency: $0.key, rows: $0.value) }
  }
}
