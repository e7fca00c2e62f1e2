import Foundation
import SQLiteSyncHashing

// Ids that are made of what they name: devices that complete an occurrence offline make one row.

extension Occurrence {
  /// The id of the reminder that stays of it when it is completed.
  ///
  /// The same on every device, so that two of them that complete it offline make one reminder.
  var completedID: Reminder.ID { UUID(name: name).lowercaseString }

  /// What tells a rule from others in the name of its series.
  static func mark(of rule: Recurrence?) -> String {
    String(UUID(name: "rule \(rule?.stored ?? "none")").lowercaseString.prefix(8))
  }

  /// The id of a series with a rule that takes the place of another.
  static func seriesID(of rule: Recurrence?, replacing series: some StringProtocol) -> String {
    UUID(name: "\(series) > \(rule?.endless.stored ?? "none")").lowercaseString
  }

  /// The same, of the occurrence that a series says it is at; of the first when it says nothing.
  static func completedID(stored occurrence: String?, series: Reminder.ID) -> Reminder.ID {
    (Occurrence(stored: occurrence) ?? Occurrence(day: CalendarDay(number: 0), series: series))
      .completedID
  }

  /// The id of the join of a tag with that reminder.
  func joinID(of tag: Tag.ID) -> String {
    UUID(name: "\(name) #\(tag.lowercasedASCII)").lowercaseString
  }

  /// The id of what stays of a part of it that was completed.
  func completedID(ofPart part: Reminder.ID) -> Reminder.ID {
    UUID(name: "\(name) /\(part)").lowercaseString
  }

  /// The id of the join of a tag with that part.
  func joinID(of tag: Tag.ID, ofPart part: Reminder.ID) -> String {
    UUID(name: "\(name) /\(part) #\(tag.lowercasedASCII)").lowercaseString
  }
}

extension UUID {
  /// The name of the app's ids of version 5, made once for it at random.
  private static let namespace: [UInt8] = [
    0x6b, 0x1d, 0x0e, 0x5c, 0x52, 0x8f, 0x4d, 0x3a, 0x9c, 0x6e, 0x2f, 0x41, 0xd7, 0x83, 0xb0, 0x1a,
  ]

  /// A UUID of version 5 (RFC 9562, 5.5): the same for the same name, everywhere.
  init(name: String) {
    var bytes = Array(SHA1.digest(of: Self.namespace + Array(name.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
