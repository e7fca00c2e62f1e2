import Foundation

/// A reminder as the command line prints it in JSON; scripts rely on its shape.
public struct ReminderJSON: Encodable, Hashable, Sendable {
  private let details: ReminderDetails
  private let time: LocalTime

  private enum Key: String, CodingKey {
    case id, title, notes, url, dueDate, isFlagged, priority, status, list, tags, position
    case createdAt, updatedAt
  }

  private struct List: Encodable {
    let id: String
    let title: String
  }

  /// A reminder with times in the zone of whoever looks.
  public init(_ details: ReminderDetails, in time: LocalTime) {
    self.details = details
    self.time = time
  }

  /// Encodes every key, also those without a value.
  public func encode(to encoder: any Encoder) throws {
    let reminder = details.reminder
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(reminder.id, forKey: .id)
    try container.encode(reminder.title, forKey: .title)
    try container.encode(reminder.notes, forKey: .notes)
    // Optionals are encoded as null: a key is always there.
    try container.encode(reminder.url, forKey: .url)
    try container.encode(reminder.due?.iso8601(in: time), forKey: .dueDate)
    try container.encode(reminder.isFlagged, forKey: .isFlagged)
    try container.encode(reminder.priority?.name, forKey: .priority)
    try container.encode(reminder.status.name, forKey: .status)
    try container.encode(
      List(id: details.list.id, title: details.list.title), forKey: .list)
    try container.encode(details.tags, forKey: .tags)
    try container.encode(reminder.position.finite, forKey: .position)
    try container.encode(text(reminder.createdAt), forKey: .createdAt)
    try container.encode(reminder.updatedAt.map(text), forKey: .updatedAt)
  }

  private func text(_ moment: Date) -> String {
    moment.iso8601(offset: time.offset(at: moment))
  }
}
