import Foundation
import SQLiteSyncCloud

// Compact text for clocks and names in the metadata.

extension MetadataStore {
  /// Decodes the fields without a column.
  static func unknown(_ bytes: Data) throws -> CloudRecord {
    try CloudRecord(stored: bytes, in: "\(table).unknown")
  }

  /// `clock name` lines; a name comes last so that it may hold anything but a line break.
  static func encode(_ clocks: [String: FieldClock]) -> String? {
    guard !clocks.isEmpty else { return nil }
    return clocks.sorted { $0.key < $1.key }
      .map { "\($0.value.rawValue) \(escape($0.key))" }.joined(separator: "\n")
  }

  static func decodeClocks(_ text: String?) -> [String: FieldClock] {
    var clocks: [String: FieldClock] = [:]
    for line in lines(of: text ?? "") {
      guard let space = line.firstIndex(of: " "), let clock = Int64(String(line[..<space])) else {
        continue
      }
      clocks[unescape(line[line.index(after: space)...])] = FieldClock(rawValue: clock)
    }
    return clocks
  }

  static func encode(names: Set<String>?) -> String? {
    names.map { $0.sorted().map(escape).joined(separator: "\n") }
  }

  static func decodeNames(_ text: String?) -> Set<String>? {
    text.map { Set(lines(of: $0).map(unescape)) }
  }

  /// Scalar by scalar: as characters, "\r\n" is one and no line break.
  private static func lines(of text: String) -> [Substring.UnicodeScalarView] {
    text.unicodeScalars.split(separator: "\n")
  }

  private static func escape(_ name: String) -> String {
    guard name.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\\" }) else { return name }
    var result = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func unescape(_ name: Substring.UnicodeScalarView) -> String {
    guard name.contains("\\") else { return String(name) }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in name {
      if isEscaped {
        result.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
