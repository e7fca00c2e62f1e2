import Foundation

/// JSON for other programs, which may show it in a terminal.
package enum JSONText {
  /// A document, on several lines and with sorted keys.
  ///
  /// What would command a terminal or reorder its line is escaped: `\u009b`.
  package static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.isEscapedInJSON) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isEscapedInJSON {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// JSON's own line ends lie between its strings; in them, all of ASCII is escaped as JSON does.
  var isEscapedInJSON: Bool { value >= 0x7F && commandsTerminal }
}

extension Double {
  /// The number, or nil for infinity and what is not a number: JSON has neither.
  var finite: Double? { isFinite ? self : nil }
}
