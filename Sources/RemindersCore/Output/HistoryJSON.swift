import Foundation
import SQLiteSyncHashing

/// An entry of the history as the command line prints it in JSON; scripts rely on its shape.
public struct HistoryJSON: Encodable, Hashable, Sendable {
  private let entry: HistoryEntry
  private let time: LocalTime

  private enum Key: String, CodingKey {
    case entry, kind, id, title, event, field, lost, kept, lostBy, wonBy, isConflict
  }

  /// An entry with times in the zone of whoever looks.
  public init(_ entry: HistoryEntry, in time: LocalTime) {
    self.entry = entry
    self.time = time
  }

  /// Encodes the keys that say something of the event; `lostBy` also when it is not known.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(entry.id, forKey: .entry)
    try container.encode(entry.subject.kind.rawValue, forKey: .kind)
    try container.encode(entry.subject.key, forKey: .id)
    try container.encode(entry.subject.title, forKey: .title)
    switch entry.content {
    case .deletion: try container.encode("deleted", forKey: .event)
    case .completionUndone: try container.encode("completionUndone", forKey: .event)
    case .tag(let tag):
      try container.encode("untagged", forKey: .event)
      try container.encode(tag, forKey: .lost)
    case .value(let column, let lost, let kept):
      try container.encode("overwritten", forKey: .event)
      try container.encode(column, forKey: .field)
      try container.encode(lost, forKey: .lost)
      try container.encode(kept, forKey: .kept)
    }
    try container.encode(entry.loser.map { EditStampJSON($0, in: time) }, forKey: .lostBy)
    try container.encode(EditStampJSON(entry.winner, in: time), forKey: .wonBy)
    try container.encode(entry.isConflict, forKey: .isConflict)
  }
}

/// Who edited a field last, as the command line prints it in JSON.
public struct FieldEditJSON: Encodable, Hashable, Sendable {
  private let field: String
  private let value: StoredValue
  private let setBy: EditStampJSON

  /// An edit with its time in the zone of whoever looks.
  public init(_ edit: FieldEdit, in time: LocalTime) {
    field = edit.column
    value = edit.value
    setBy = EditStampJSON(edit.edit, in: time)
  }
}

private struct EditStampJSON: Encodable, Hashable, Sendable {
  private let at: String
  private let isHere: Bool
  private let device: String?
  private let deviceName: String?
  private let account: String?

  init(_ stamp: EditStamp, in time: LocalTime) {
    at = stamp.moment.iso8601(offset: time.offset(at: stamp.moment))
    isHere = stamp.isHere
    device = stamp.device?.lowercaseString
    deviceName = stamp.deviceName
    account = stamp.account
  }
}
