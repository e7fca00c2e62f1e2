import Foundation

/// A reminder as the command line prints it in JSON; scripts rely on its shape.
public struct ReminderJSON: Encodable, Hashable, Sendable {
  private let details: ReminderRow
  private let time: LocalTime

  private struct List: Encodable {
    let id: String
    let title: String
  }

  /// A reminder with times in the zone of whoever looks.
  public init(_ details: ReminderRow, in time: LocalTime) {
    self.details = details
    self.time = time
  }

  /// Encodes every key, also those without a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    // Optionals are encoded as null: a key is always there.
    for field in ReminderField.all {
      let key = field == .list ? "list" : field.column
      try container.encode(value(of: field), forKey: Key(stringLiteral: key))
    }
    try container.encode(details.id, forKey: "id")
    try container.encode(details.status.name, forKey: "status")
    try container.encode(details.position.finite, forKey: "position")
    try container.encode(text(details.createdAt), forKey: "createdAt")
    try container.encode(details.updatedAt.map(text), forKey: "updatedAt")
    try container.encode(details.completedAt.map(text), forKey: "completedAt")
  }

  private func value(of field: ReminderField) -> any Encodable {
    let draft = details.reminder.draft
    return switch field.kind {
    case .title(let path), .notes(let path): draft[keyPath: path]
    case .line(let path), .parent(let path): draft[keyPath: path]
    case .due(let path): draft[keyPath: path]?.iso8601(in: time)
    case .recurrence(let path): draft[keyPath: path]?.stored
    case .priority(let path): draft[keyPath: path]?.name
    case .flag(let path): draft[keyPath: path]
    case .tags(let path): draft[keyPath: path]
    case .list: List(id: details.list.id, title: details.list.title)
    }
  }

  private func text(_ moment: Date) -> String {
    moment.iso8601(offset: time.offset(at: moment))
  }
}

/// Any key of an object.
private struct Key: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringLiteral: String) { stringValue = stringLiteral }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
