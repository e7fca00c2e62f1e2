import Foundation

/// A reminder as the command line prints it in JSON; scripts rely on its shape.
public struct ReminderJSON: Encodable, Hashable, Sendable {
  private let details: ReminderDetails
  private let time: LocalTime

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
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(details.id, forKey: "id")
    for field in ReminderField.all { try encode(field, in: &container) }
    try container.encode(details.status.name, forKey: "status")
    // Optionals are encoded as null: a key is always there.
    try container.encode(details.position.finite, forKey: "position")
    try container.encode(text(details.createdAt), forKey: "createdAt")
    try container.encode(details.updatedAt.map(text), forKey: "updatedAt")
  }

  private func encode(
    _ field: ReminderField, in container: inout KeyedEncodingContainer<Key>
  ) throws {
    let (draft, key) = (details.reminder.draft, Key(stringLiteral: field.column))
    switch field.kind {
    case .title(let path), .notes(let path): try container.encode(draft[keyPath: path], forKey: key)
    case .line(let path): try container.encode(draft[keyPath: path], forKey: key)
    case .due(let path):
      try container.encode(draft[keyPath: path]?.iso8601(in: time), forKey: key)
    case .priority(let path): try container.encode(draft[keyPath: path]?.name, forKey: key)
    case .flag(let path): try container.encode(draft[keyPath: path], forKey: key)
    case .tags(let path): try container.encode(draft[keyPath: path], forKey: key)
    case .list:
      try container.encode(List(id: details.list.id, title: details.list.title), forKey: "list")
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
