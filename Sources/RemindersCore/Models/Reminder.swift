import Foundation
import GRDB

/// Something to remember.
@dynamicMemberLookup
public struct Reminder: Identifiable, Hashable, Sendable {
  /// A lower-case UUID.
  public typealias ID = String

  /// How much it matters; the numbers are the stored ones, and sort.
  public enum Priority: Int, CaseIterable, Comparable, Sendable {
    case low = 1
    case medium = 2
    case high = 3

    /// The less important is the smaller.
    public static func < (one: Priority, other: Priority) -> Bool {
      one.rawValue < other.rawValue
    }

    /// The word for it on the command line and in JSON.
    public var name: String {
      switch self {
      case .low: "low"
      case .medium: "medium"
      case .high: "high"
      }
    }

    /// The priority so many steps above another, as far as there are more.
    public static func moved(_ priority: Priority?, by steps: Int) -> Priority? {
      Priority(rawValue: min(max(0, (priority?.rawValue ?? 0) + steps), allCases.count))
    }

    /// The priority with this name.
    public init?(name: String) {
      guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = match
    }
  }

  /// Where a reminder stands; the numbers are the stored ones.
  public enum Status: Int, CaseIterable, Sendable {
    case incomplete = 0
    /// Done a moment ago, and still easy to take back: the grace period.
    case completing = 1
    case completed = 2

    /// The word for it in JSON.
    public var name: String {
      switch self {
      case .incomplete: "incomplete"
      case .completing: "completing"
      case .completed: "completed"
      }
    }
  }

  /// The primary key.
  public var id: ID
  /// What people say of it; its members are the reminder's own.
  public var draft: ReminderDraft
  /// Whether it is done.
  public var status: Status
  /// The place in the manual order over all lists; smaller is higher.
  public var position: Double
  /// When it was made.
  public var createdAt: Date
  /// When this app last changed it, here or on another device.
  public var updatedAt: Date?
  /// When it was completed; nil for one that is not, or that an earlier schema completed.
  public var completedAt: Date?

  /// A reminder as it stands in its row.
  public init(
    id: ID, _ draft: ReminderDraft, status: Status = .incomplete, position: Double = 0,
    createdAt: Date, updatedAt: Date? = nil, completedAt: Date? = nil
  ) {
    self.id = id
    self.draft = draft
    self.status = status
    self.position = position
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.completedAt = completedAt
  }

  /// The best that is known of when it was completed: at the latest when it last changed.
  public var completion: Date { completedAt ?? updatedAt ?? createdAt }

  /// What people say of it.
  @inlinable
  public subscript<Value>(dynamicMember path: WritableKeyPath<ReminderDraft, Value>) -> Value {
    get { draft[keyPath: path] }
    set { draft[keyPath: path] = newValue }
  }
}

/// What people say of a reminder, new or not: `ReminderField` is the table of it.
public struct ReminderDraft: Hashable, Sendable {
  /// What is to be done, in one line.
  public var title: String
  /// Whether a new one is done already.
  public var isDone = false
  /// More about it, in any number of lines.
  public var notes: String
  /// The day, or the moment, it is due.
  public var due: DueDate?
  /// Flagged as important by hand.
  public var isFlagged: Bool
  /// How much it matters.
  public var priority: Reminder.Priority?
  /// A link that belongs to it.
  public var url: String?
  /// The list it is in; nil for the first list, which is made when there is none.
  public var listID: RemindersList.ID?
  /// Its tags by title; those that do not exist are made.
  public var tags: [Tag.ID]
  /// When it is announced; none for when it is due, or as the person decided.
  public var alarms: [Alarm]
  /// How it comes again; nil when it does not.
  public var recurrence: Recurrence?
  /// The reminder that it is a part of; nil for an ordinary one.
  public var parentID: Reminder.ID?

  /// A draft.
  public init(
    title: String = "", notes: String = "", due: DueDate? = nil, isFlagged: Bool = false,
    priority: Reminder.Priority? = nil, url: String? = nil, listID: RemindersList.ID? = nil,
    tags: [Tag.ID] = [], alarms: [Alarm] = [], recurrence: Recurrence? = nil,
    parentID: Reminder.ID? = nil
  ) {
    self.title = title
    self.notes = notes
    self.due = due
    self.isFlagged = isFlagged
    self.priority = priority
    self.url = url
    self.listID = listID
    self.tags = tags
    self.alarms = alarms
    self.recurrence = recurrence
    self.parentID = parentID
  }
}

extension Reminder: TableRecord {
  /// The table.
  public static var databaseTableName: String { "reminders" }

  /// The columns that people do not fill in, and the first version of the schema that has each.
  static let ownColumns: [(column: String, since: SchemaVersion)] = [
    ("id", .lists), ("status", .lists), ("position", .lists), ("createdAt", .lists),
    ("updatedAt", .lists), ("completedAt", .everyDay), ("occurrence", .everyDay),
    ("seriesTime", .everyDay),
  ]
}

// A newer version of the app on another device may write numbers that this one does not know.
// They are shown as the nearest thing that does no harm, and stay as they are in the row.
extension Reminder.Priority {
  init?(stored number: Int?) {
    guard let number else { return nil }
    self.init(rawValue: min(number, Self.high.rawValue))
  }
}

extension Reminder.Status {
  init(stored number: Int) {
    self = Self(rawValue: number) ?? .incomplete
  }
}

extension Date {
  /// The moment so many milliseconds after 1970 began, the unit of `createdAt` and `updatedAt`.
  init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The greatest number that is one of `Int64` too.
  private static let most = Double(sign: .plus, exponent: 63, significand: 1).nextDown

  /// Whole milliseconds since 1970 began.
  var milliseconds: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    return milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -Self.most), Self.most))
  }
}
