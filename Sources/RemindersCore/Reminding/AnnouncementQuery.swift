import Foundation
import GRDB
import SQLiteSync

/// Finds what there is to announce: the alarms of reminders that are not done.
///
/// It looks two days ahead, besides at reminders with alarms of their own: whoever follows it asks
/// again when the day has changed.
public struct AnnouncementQuery: Query {
  /// What is announced without an alarm of its own.
  public var rules: AlarmRules
  /// The day it is, where.
  public var time: LocalTime

  /// The query for whoever looks at this time.
  public init(rules: AlarmRules, time: LocalTime) {
    self.rules = rules
    self.time = time
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> AnnouncementSchedule {
    let schema = try db.schemaVersion
    guard schema.fields.contains(.alarms) else { return AnnouncementSchedule() }
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: Self.sql),
      arguments: [
        "first": day(-Int(Notice.longestMissed) / 86_400 - 2), "end": day(4),
        "open": Reminder.Status.incomplete.rawValue,
      ])
    let lists = try NamedRows.lists(
      Set(rows.map { try $0.read(2) }), title: SQL.beginning(of: "list.title"), schema, db)
    let named = try rows.compactMap { row in try lists[row.read(2)].map { (row, $0) } }
    var items = try named.map { row, list in
      try AnnouncementSchedule.Item(
        id: row.read(0), title: row.read(1), list: list.title, due: DueDate(stored: row.read(3)),
        alarms: Alarm.list(row.read(4)),
        editedAt: row.hasNull(atIndex: 6)
          ? (row.read(5) as Int64?).map(Date.init(milliseconds:)) : nil)
    }
    let shared = Set(try SharesQuery().fetch(db).map(\.id))
    let areShared = named.map { shared.contains($1.id) }
    try noteMoves(&items, areShared, db)
    try noteLateAlarms(&items, areShared, db)
    return AnnouncementSchedule(items, notices: try notices(db), rules: rules, in: time)
  }

  private func day(_ count: Int) -> String { time.today.adding(days: count).description }

  /// Notes when this person has moved what was edited after its time: few, as a rule.
  private func noteMoves(
    _ items: inout [AnnouncementSchedule.Item], _ areShared: [Bool], _ db: Database
  ) throws {
    let late = items.indices.filter { index in
      guard case .moment(let moment)? = items[index].due else { return false }
      return items[index].editedAt.map { $0 > moment } ?? false
    }
    guard !late.isEmpty else { return }
    let edits = try SyncRowEdits.all(
      db, of: Reminder.databaseTableName, keys: late.map { items[$0].id })
    for (index, edits) in zip(late, edits) {
      // What goes on to its next occurrence was not moved by anybody.
      guard let moved = edits.fields["dueDate"], moved != edits.made,
        moved != edits.fields["occurrence"],
        moved.isHere || !areShared[index], let latest = edits.fields["updatedAt"]
      else { continue }
      // Of the clock of edits only how much later one was than another.
      let since = Double(latest.milliseconds - moved.milliseconds) / 1000
      items[index].movedAt = items[index].editedAt?.addingTimeInterval(-since)
    }
  }

  /// Notes which alarms at moments this person has set after these: few, as a rule.
  private func noteLateAlarms(
    _ items: inout [AnnouncementSchedule.Item], _ areShared: [Bool], _ db: Database
  ) throws {
    var late: [(index: Int, alarm: Alarm, moment: Date)] = []
    for index in items.indices {
      for case .at(let moment) in items[index].alarms
      where items[index].editedAt.map({ $0 > moment }) ?? false {
        late.append((index, .at(moment), moment))
      }
    }
    guard !late.isEmpty else { return }
    let set = try SyncRowEdits.all(
      db, of: ReminderAlarm.databaseTableName,
      keys: late.map { ReminderAlarm.id(of: $0.alarm, items[$0.index].id) })
    let edited = try SyncRowEdits.all(
      db, of: Reminder.databaseTableName, keys: late.map { items[$0.index].id })
    for ((index, alarm, moment), (set, edited)) in zip(late, zip(set, edited)) {
      guard let made = set.made, made.isHere || !areShared[index],
        let latest = edited.fields["updatedAt"], let editedAt = items[index].editedAt
      else { continue }
      // Of the clock of edits only how much later one was than another.
      let since = Double(latest.milliseconds - made.milliseconds) / 1000
      if editedAt.addingTimeInterval(-since) > moment + AnnouncementSchedule.aMinute {
        items[index].lateAlarms.insert(alarm)
      }
    }
  }

  private func notices(_ db: Database) throws -> [Notice.ID: Notice] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT id, announcedAt, snoozedUntil FROM reminderNotices")
    return try Dictionary(
      rows.map { row in
        let (announced, until): (Int64?, Int64?) = try (row.read(1), row.read(2))
        return try (
          row.read(0),
          Notice(
            announcedAt: announced.map(Date.init(milliseconds:)),
            snoozedUntil: until.map(Date.init(milliseconds:)))
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  // The text of a due date may be of any zone: the days around are read, too.
  private static let sql = """
    SELECT found.id, \(SQL.beginning(of: "found.title")), found.remindersListID, found.dueDate,
      \(Alarm.columnSQL(of: "found.id")), coalesce(found.updatedAt, found.createdAt),
      \(SyncEngine.latestEditor(table: Reminder.databaseTableName, key: "found.id"))
    FROM reminders AS found
    WHERE found.status = :open AND found.id IN (
      SELECT id FROM reminders
      WHERE \(SQL.isCompleted) = 0 AND (dueDate IS NULL) = 0 AND dueDate >= :first
        AND dueDate < :end
      UNION SELECT reminderID FROM reminderAlarms
      UNION SELECT reminderID FROM reminderNotices WHERE snoozedUntil NOTNULL
    )
    """
}

/// What a row of a reminder says, as one column, of its rows in a table that came with the alarms.
protocol AlarmColumn {
  /// An SQL expression for it, given one for the reminder's id.
  static func columnSQL(of id: String) -> String

  /// An SQL condition: whether any reminder has something of the kind.
  static var isAnySQL: String { get }
}

extension AlarmColumn {
  /// The column, or nothing where the schema has no alarms.
  static func columnSQL(of id: String, in schema: SchemaVersion) -> String {
    schema.fields.contains(.alarms) ? columnSQL(of: id) : "NULL"
  }

  /// The same, for very many rows: nothing is looked up for each where nobody has any.
  static func columnSQL(
    of id: String, in schema: SchemaVersion, _ db: Database
  ) throws -> String {
    guard schema.fields.contains(.alarms),
      try Bool.fetchOne(db, sql: "SELECT \(isAnySQL)") == true
    else { return "NULL" }
    return columnSQL(of: id)
  }
}

extension Alarm: AlarmColumn {
  /// An SQL expression for all alarms of a reminder.
  static func columnSQL(of id: String) -> String {
    """
    (
      SELECT group_concat(alarm, '\(separator)') FROM (
        SELECT DISTINCT alarm FROM reminderAlarms WHERE reminderID = \(id)
      )
    )
    """
  }

  static let isAnySQL = "EXISTS (SELECT 1 FROM reminderAlarms)"

  /// The alarms in such a column.
  static func list(_ texts: String?) -> [Alarm] {
    (texts ?? "").split(separator: separator).compactMap { Alarm(stored: String($0)) }.inOrder
  }

  /// Stands between alarms in one column.
  private static let separator: Character = "\u{1F}"
}

extension Sequence<Alarm> {
  /// Each once, in an order of their own: the same on every device.
  var inOrder: [Alarm] { Set(self).sorted { $0.place < $1.place } }
}

extension Alarm {
  /// Where it stands among others: by the due date first, the earlier ones first.
  fileprivate var place: (Int, Int, Int, Double) {
    switch self {
    case .offset(let days, let seconds): (0, days, seconds, 0)
    case .clock(let daysBefore, let minutes): (1, -daysBefore, minutes, 0)
    case .never: (3, 0, 0, 0)
    case .at(let moment): (2, 0, 0, moment.timeIntervalSince1970)
    }
  }
}
