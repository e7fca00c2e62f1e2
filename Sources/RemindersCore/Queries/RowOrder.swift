import GRDB

/// In which order rows are found and shown.
struct RowOrder {
  /// As arranged by hand.
  static let manual = RowOrder(sort: .manual, schema: .lists)

  let sort: ReminderListQuery.Sort
  /// Says which columns there are.
  let schema: SchemaVersion
  /// The time of whoever looks, where rows are in order of due date; else nil.
  var dueTime: LocalTime?
  /// Whether titles are in the order of the alphabet, "Ärzte" before "Zoo": each is looked up,
  /// while an index has the letters by their numbers.
  var foldsTitles = false
  /// How many rows titles are looked up of.
  static let mostFolded = 5000
  /// List after list as those are arranged by hand, and within each in the order.
  var isByList = false

  /// The order of rows of the same list.
  var withinList: RowOrder {
    RowOrder(sort: sort, schema: schema, dueTime: dueTime, foldsTitles: foldsTitles)
  }

  /// What to order the rows of a table by, completed ones last, of each list where lists come one
  /// after the other; ties fall back to the manual order, then to the id.
  ///
  /// - Parameters:
  ///   - common: What makes no difference among the rows, and is left out: SQLite does not see that
  ///     it makes none, and would sort instead of reading along an index.
  ///   - isReversed: Whether the last one comes first.
  func sql(
    of table: String, common: Set<Condition.Common>, isReversed: Bool = false
  ) -> String {
    terms(of: table, common: common).map { column, isDescending in
      column + (isDescending != isReversed ? " DESC" : "")
    }.joined(separator: ", ")
  }

  private typealias Term = (column: String, isDescending: Bool)

  private func terms(of table: String, common: Set<Condition.Common>) -> [Term] {
    if isByList {
      let position = "SELECT coalesce(position, 0) FROM \(SQL.lists(in: schema))"
      return [
        ("(\(position) WHERE id = \(table).remindersListID)", false),
        ("\(table).remindersListID", false),
      ] + withinList.terms(of: table, common: common)
    }
    var terms: [Term] = []
    if !common.contains(.completion) { terms.append((SQL.isCompleted(table), false)) }
    switch sort {
    case .due:
      if !common.contains(.dueDate) { terms.append(("\(table).dueDate IS NULL", false)) }
      terms.append(("\(table).dueDate", false))
    case .manual: break
    case .priority: terms += [("\(table).priority", true), ("\(table).isFlagged", true)]
    case .title where foldsTitles:
      terms.append(("(SELECT title FROM reminderTexts WHERE reminderID = \(table).id)", false))
    case .title: terms.append(("\(table).title COLLATE NOCASE", false))
    case .completion: terms.append((SQL.completion(of: table, in: schema), true))
    }
    return terms + [("\(table).position", false), ("\(table).id", false)]
  }
}

extension ReminderListQuery.Sort {
  /// The order of the rows for whoever looks.
  func order(in time: LocalTime, _ db: Database) throws -> RowOrder {
    RowOrder(sort: self, schema: try db.schemaVersion, dueTime: self == .due ? time : nil)
  }
}

extension ReminderListQuery {
  /// The order of the rows.
  func order(_ db: Database) throws -> RowOrder {
    var order = try sort.order(in: time, db)
    if sort == .title {
      let count = try [true, false].reduce(0) {
        try $0 + kind.count(isCompleted: $1, in: time, db)
      }
      order.foldsTitles = count <= RowOrder.mostFolded
    }
    return order
  }
}

/// The exact order by due date of whoever looks.
///
/// SQL orders by the text of the column, through an index. Where a day begins earlier or later than
/// in UTC, that puts some moments on the wrong side of a day without a time; rows that were found
/// are therefore put in this order. Both orders differ by less than a day.
struct DueOrder: Comparable {
  /// The same for all, unless lists come one after the other.
  private let listPosition: Double
  private let listID: RemindersList.ID
  private let isCompleted: Bool
  private let day: Int
  private let minutes: Int
  private let position: Double
  private let id: Reminder.ID

  init(
    _ status: Reminder.Status, _ due: DueDate?, _ position: Double, _ id: Reminder.ID,
    of list: RemindersList? = nil, in time: LocalTime
  ) {
    listPosition = list?.position ?? 0
    listID = list?.id ?? ""
    isCompleted = status == .completed
    day = due?.day(in: time).number ?? .max
    minutes = due?.minutes(in: time) ?? -1
    self.position = position
    self.id = id
  }

  static func < (one: DueOrder, other: DueOrder) -> Bool {
    if (one.listPosition, one.listID) != (other.listPosition, other.listID) {
      return (one.listPosition, one.listID) < (other.listPosition, other.listID)
    }
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
