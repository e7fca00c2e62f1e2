import Foundation
import GRDB

/// A value of any column as it is stored, and in words.
public enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Bytes, of which only the number is told.
  case bytes(Int)

  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let integer): self = .integer(integer)
    case .double(let real): self = .real(real)
    case .string(let text): self = .text(text)
    case .blob(let bytes): self = .bytes(bytes.count)
    }
  }
}

extension StoredValue: Encodable {
  /// Encodes a number, a text or null; bytes as a text that says how many.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .integer(let integer): try container.encode(integer)
    case .real(let real): try container.encode(real.finite)
    case .text(let text): try container.encode(text)
    case .bytes(let count): try container.encode("\(count) bytes")
    }
  }
}

extension StoredValue {
  /// The same with as much of a text as a line of a screen can show: notes of megabytes are not to
  /// be made one line with every frame.
  public var beginning: StoredValue {
    guard case .text(let text) = self else { return self }
    let rest = text.unicodeScalars.dropFirst(Self.shownScalars)
    return rest.isEmpty ? self : .text(String(text[..<rest.startIndex]))
  }

  private static let shownScalars = 1000

  /// The value of a column in words.
  ///
  /// `lists`: the titles of lists, by id.
  public func words(
    of column: String, in time: LocalTime, lists: [RemindersList.ID: String] = [:]
  ) -> String {
    let field = ReminderField.named(column)
    if let words = field?.words(self, in: time, lists: lists) { return words }
    return switch (column, self) {
    case (_, .null): "none"
    case ("status", .integer(let number)):
      Reminder.Status(stored: Int(clamping: number)) == .incomplete ? "open" : "completed"
    case ("color", .integer(let rgb)): ListColor(rgb: Int(clamping: rgb)).digits
    case (_, .integer(let integer)): "\(integer)"
    case (_, .real(let real)): "\(real)"
    case (_, .text(let text)): text.isEmpty ? "nothing" : text.oneLine
    case (_, .bytes(let count)): "\(count) bytes"
    }
  }
}
