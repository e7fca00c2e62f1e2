/// In which order rows are found and shown.
enum RowOrder {
  /// By due date of whoever looks.
  case due(LocalTime)
  case manual
  case priority
  case title

  /// What to order the rows of a table by, completed ones last; ties fall back to the manual
  /// order, then to the id.
  ///
  /// - Parameter common: What makes no difference among the rows, and is left out: SQLite does not
  ///   see that it makes none, and would sort instead of reading along an index.
  func sql(of table: String, common: Set<Condition.Common>) -> String {
    var columns: [String] = []
    if !common.contains(.completion) { columns.append(SQL.isCompleted(table)) }
    switch self {
    case .due:
      if !common.contains(.dueDate) { columns.append("\(table).dueDate IS NULL") }
      columns.append("\(table).dueDate")
    case .manual: break
    case .priority: columns += ["\(table).priority DESC", "\(table).isFlagged DESC"]
    case .title: columns.append("\(table).title COLLATE NOCASE")
    }
    return (columns + ["\(table).position", "\(table).id"]).joined(separator: ", ")
  }
}

extension DetailQuery {
  /// The order of the rows.
  var order: RowOrder {
    switch sort {
    case .due: .due(time)
    case .manual: .manual
    case .priority: .priority
    case .title: .title
    }
  }
}

/// The exact order by due date of whoever looks.
///
/// SQL orders by the text of the column, through an index. Where a day begins earlier or later than
/// in UTC, that puts some moments on the wrong side of a day without a time; rows that were found
/// are therefore put in this order. Both orders differ by less than a day.
struct DueOrder: Comparable {
  private let isCompleted: Bool
  private let day: Int
  private let minutes: Int
  private let position: Double
  private let id: Reminder.ID

  init(
    _ status: Reminder.Status, _ due: DueDate?, _ position: Double, _ id: Reminder.ID,
    in time: LocalTime
  ) {
    isCompleted = status == .completed
    day = due?.day(in: time).number ?? .max
    minutes = due?.minutes(in: time) ?? -1
    self.position = position
    self.id = id
  }

  static func < (one: DueOrder, other: DueOrder) -> Bool {
    if one.isCompleted != other.isCompleted { return other.isCompleted }
    return (one.day, one.minutes, one.position, one.id)
      < (other.day, other.minutes, other.position, other.id)
  }
}

extension Array {
  /// The elements in the order of a key that is made once for each.
  func sorted(by key: (Element) -> some Comparable) -> [Element] {
    zip(self, map(key)).sorted { $0.1 < $1.1 }.map(\.0)
  }
}
