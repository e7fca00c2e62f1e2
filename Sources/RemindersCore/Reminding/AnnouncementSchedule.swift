import Foundation
import SQLiteSyncHashing

/// What there is to announce, and when: decided from the reminders, their alarms and what has been
/// announced or snoozed, on whichever device.
public struct AnnouncementSchedule: Equatable, Sendable {
  /// A reminder that can be announced.
  public struct Item: Hashable, Sendable {
    /// Which reminder.
    public var id: Reminder.ID
    /// What is to be done.
    public var title: String
    /// The list it is in.
    public var list: String
    /// When it is due.
    public var due: DueDate?
    /// Its own alarms.
    public var alarms: [Alarm]
    /// When this person last changed it; nil when somebody else did.
    public var editedAt: Date?
    /// When this person moved it to when it is due; nil when it was made so, or somebody else did.
    var movedAt: Date?
    /// Its alarms at moments that were over when this person gave it them.
    var lateAlarms: Set<Alarm> = []

    /// A reminder that is not done.
    public init(
      id: Reminder.ID, title: String, list: String = "", due: DueDate? = nil, alarms: [Alarm] = [],
      editedAt: Date? = nil
    ) {
      self.id = id
      self.title = title
      self.list = list
      self.due = due
      self.alarms = alarms
      self.editedAt = editedAt
    }
  }

  /// A moment at which a reminder is to be announced, and was not.
  struct Pending: Hashable, Sendable {
    let moment: Date
    let notice: Notice.ID
    let item: Item
    var isSnoozed = false
  }

  /// The earliest first.
  private(set) var pending: [Pending] = []

  /// Nothing.
  public init() {}

  /// Decides what is to be announced.
  ///
  /// A reminder that is snoozed is announced at that time, and at none before. What was missed for
  /// longer than `Notice.longestMissed` is not announced any more. What somebody entered after its
  /// moment comes with the next of its alarms, or when it is due, if that is still to come: who
  /// makes a reminder for today in the afternoon need not hear of it. But one whose time has come
  /// is announced whenever it was entered; and not at all where somebody has moved it to a time
  /// that was over by then, as to today what was due yesterday.
  public init(
    _ items: [Item], notices: [Notice.ID: Notice], rules: AlarmRules, in time: LocalTime
  ) {
    let earliest = time.now.addingTimeInterval(-Notice.longestMissed)
    pending = items.flatMap { item in
      Self.pending(of: item, notices, rules, in: time)
    }.filter { $0.moment > earliest }.sorted { ($0.moment, $0.notice) < ($1.moment, $1.notice) }
  }

  /// Nobody moves anything to a time with seconds.
  static let aMinute: TimeInterval = 60

  private static func pending(
    of item: Item, _ notices: [Notice.ID: Notice], _ rules: AlarmRules, in time: LocalTime
  ) -> [Pending] {
    func moment(_ alarm: Alarm) -> Date? {
      alarm.moment(of: item.due, dayMinutes: rules.dayMinutes, in: time)
    }
    let alarms = item.alarms.isEmpty ? rules.alarms(for: item.due) : item.alarms
    let edited = item.editedAt ?? .distantPast
    let next = (alarms + [.whenDue]).compactMap(moment).filter { $0 > edited }.min()
    var pending = alarms.compactMap { alarm -> Pending? in
      guard let own = moment(alarm) else { return nil }
      let isMovedBack = alarm == .whenDue && item.movedAt.map { $0 > own + aMinute } ?? false
      let isLate = isMovedBack || item.lateAlarms.contains(alarm)
      let isExact = alarm.isExact(of: item.due) && !isLate
      guard let moment = own > edited || isExact ? own : next else { return nil }
      return Pending(
        moment: moment, notice: Notice.id(of: alarm, item.id, due: item.due), item: item)
    }
    if let until = notices[Notice.snoozeID(of: item.id, due: item.due)]?.snoozedUntil {
      pending.removeAll { $0.moment <= until }
      pending.append(
        Pending(
          moment: until, notice: Notice.id(of: .at(until), item.id, due: item.due), item: item,
          isSnoozed: true))
    }
    return pending.filter { notices[$0.notice]?.announcedAt == nil }
  }

  /// What is to be announced now: each reminder once, however many of its moments were missed.
  public func due(at now: Date) -> [Announcement] {
    let missed = pending.prefix { $0.moment <= now }
    return Dictionary(grouping: missed, by: \.item.id).values.compactMap { moments in
      moments.last.map { last in
        Announcement(
          reminderID: last.item.id, title: last.item.title, list: last.item.list,
          due: last.item.due, moment: last.moment, notices: moments.map(\.notice))
      }
    }.sorted { ($0.moment, $0.reminderID) < ($1.moment, $1.reminderID) }
  }

  /// The next moment after this one at which something is to be announced; nil for none.
  public func next(after now: Date) -> Date? { pending.first { $0.moment > now }?.moment }

  /// Until when a reminder is snoozed; nil for one that is not.
  public func snoozedUntil(_ id: Reminder.ID) -> Date? {
    pending.first { $0.isSnoozed && $0.item.id == id }?.moment
  }
}

/// Something to tell a person: that a reminder's moment has come.
public struct Announcement: Hashable, Sendable {
  /// Which reminder.
  public let reminderID: Reminder.ID
  /// What is to be done.
  public let title: String
  /// The list it is in.
  public let list: String
  /// When it is due.
  public let due: DueDate?
  /// When it was to be announced.
  public let moment: Date
  /// What records that it was.
  public let notices: [Notice.ID]
}

/// What is recorded of an announcement, on all devices of a person: that it was made, or until when
/// a reminder is snoozed.
///
/// A row for each alarm of each due date, whose id is made of these, so that devices that announce
/// or snooze offline agree; rows are never in each other's way. An alarm at a moment of its own has
/// one row, whenever the reminder is due.
public struct Notice: Hashable, Sendable {
  /// A lower-case UUID.
  public typealias ID = String

  /// When it was announced.
  public var announcedAt: Date?
  /// Until when it is snoozed.
  public var snoozedUntil: Date?

  /// A notice.
  public init(announcedAt: Date? = nil, snoozedUntil: Date? = nil) {
    self.announcedAt = announcedAt
    self.snoozedUntil = snoozedUntil
  }

  /// How long something is announced that was missed: 30 days, in seconds.
  static let longestMissed: TimeInterval = 30 * 86_400

  /// The id of what an alarm of a reminder is recorded in.
  static func id(of alarm: Alarm, _ reminder: Reminder.ID, due: DueDate?) -> ID {
    guard case .at = alarm else { return id("\(reminder) \(alarm.stored) \(due?.stored ?? "")") }
    return id("\(reminder) \(alarm.stored)")
  }

  /// The id of what is recorded of snoozing a reminder, as long as it is due then.
  static func snoozeID(of reminder: Reminder.ID, due: DueDate?) -> ID {
    id("\(reminder) snooze \(due?.stored ?? "")")
  }

  private static func id(_ name: String) -> ID {
    UUID(name: "notice \(name)").lowercaseString
  }
}
