import Foundation

/// A reminder as the command line prints it in JSON; scripts rely on its shape.
package struct ReminderJSON: Sendable {
  /// A member of the object: a key, and what writes its value.
  package struct Member: Sendable {
    let key: String
    let write: @Sendable (ReminderRow, LocalTime, inout JSONDocument) throws -> Void

    /// A member.
    package init(
      _ key: String,
      _ write: @escaping @Sendable (ReminderRow, LocalTime, inout JSONDocument) throws -> Void
    ) {
      self.key = key
      self.write = write
    }
  }

  private let members: [Member]

  /// The shape of reminders in a document.
  ///
  /// - Parameter others: Members that they have besides those of a reminder.
  package init(with others: [Member] = []) {
    members = others.isEmpty ? Self.members : Self.sorted(Self.members + others)
  }

  /// Writes a reminder, with times in the zone of whoever looks.
  package func write(
    _ details: ReminderRow, in time: LocalTime, to document: inout JSONDocument
  ) throws {
    try document.object { document in
      for member in members {
        document.key(member.key)
        try member.write(details, time, &document)
      }
    }
  }

  /// Every key is always there; what has no value is null.
  private static let members = sorted(
    ReminderField.all.map { field in
      Member(field.key) { details, time, document in
        write(field, of: details, in: time, to: &document)
      }
    } + [
      Member("id") { details, _, document in document.value(details.reminder.id) },
      Member("status") { details, _, document in document.value(details.reminder.status.name) },
      Member("position") { details, _, document in document.value(details.reminder.position.finite)
      },
      Member("createdAt") { details, time, document in
        document.value(text(details.reminder.createdAt, in: time))
      },
      Member("updatedAt") { details, time, document in
        document.value(details.reminder.updatedAt.map { text($0, in: time) })
      },
      Member("completedAt") { details, time, document in
        document.value(details.reminder.completedAt.map { text($0, in: time) })
      },
      Member("snoozedUntil") { details, time, document in
        document.value(details.snooze(in: time).map { text($0, in: time) })
      },
    ])

  private static func sorted(_ members: [Member]) -> [Member] {
    members.sorted { $0.key < $1.key }
  }

  private static func write(
    _ field: ReminderField, of details: ReminderRow, in time: LocalTime,
    to document: inout JSONDocument
  ) {
    let draft = details.reminder.draft
    switch field.kind {
    case .title(let path), .notes(let path): document.value(draft[keyPath: path])
    case .line(let path), .parent(let path): document.value(draft[keyPath: path])
    case .due(let path): document.value(draft[keyPath: path]?.iso8601(in: time))
    case .recurrence(let path): document.value(draft[keyPath: path]?.stored)
    case .priority(let path): document.value(draft[keyPath: path]?.name)
    case .flag(let path): document.value(draft[keyPath: path])
    case .tags(let path): document.value(draft[keyPath: path])
    case .alarms(let path): document.value(draft[keyPath: path].map { $0.iso8601(in: time) })
    case .list:
      document.object { document in
        document.key("id")
        document.value(details.list.id)
        document.key("title")
        document.value(details.list.title)
      }
    }
  }

  /// Reads a field of what `write` has written, and tells of a value that is none.
  ///
  /// What the list and the parent are called is for whoever reads the whole document.
  static func read(
    _ field: ReminderField, of object: KeyedDecodingContainer<Key>, into draft: inout ReminderDraft,
    problems: inout [String]
  ) throws {
    let key = Key(stringLiteral: field.key)
    func value<Value: Decodable>(_: Value.Type = Value.self) throws -> Value? {
      try object.decodeIfPresent(Value.self, forKey: key)
    }
    func parsed<Value>(_ text: String?, as noun: String, _ parse: (String) -> Value?) -> Value? {
      guard let text else { return nil }
      let value = parse(text)
      if value == nil { problems.append("“\(draft.title.oneLine)”: “\(text)” is not \(noun)") }
      return value
    }
    switch field.kind {
    case .title(let path): draft[keyPath: path] = try object.decode(String.self, forKey: key)
    case .notes(let path): draft[keyPath: path] = try value() ?? ""
    case .line(let path): draft[keyPath: path] = try value()
    case .due(let path):
      draft[keyPath: path] = parsed(try value(), as: "a due date") { DueDate(stored: $0) }
    case .recurrence(let path):
      draft[keyPath: path] = parsed(try value(), as: "a rule") { Recurrence(stored: $0) }
    case .priority(let path):
      draft[keyPath: path] = parsed(try value(), as: "a priority", Reminder.Priority.init(name:))
    case .flag(let path): draft[keyPath: path] = try value() ?? false
    case .tags(let path): draft[keyPath: path] = try value() ?? []
    case .alarms(let path):
      draft[keyPath: path] = (try value([String].self) ?? []).compactMap { text in
        parsed(text, as: "an alarm", Alarm.init(stored:))
      }
    case .list, .parent: break
    }
  }

  private static func text(_ moment: Date, in time: LocalTime) -> String {
    moment.iso8601(offset: time.offset(at: moment))
  }
}

extension ReminderJSON {
  /// A key of the object.
  struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral key: String) { stringValue = key }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
