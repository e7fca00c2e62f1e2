import Foundation

/// The one table that `make bench` prints, and the same for programs.
struct Report {
  /// What was measured, what it came to, and what it is held against.
  private struct Line: Encodable {
    let name: String
    let median: Double
    let least: Double
    let most: Double
    let unit: String
    let reference: String
  }

  private var lines: [Line] = []
  private var rows = [["", "median (least–most)", "held against"], ["---", "---", "---"]]

  /// - Parameters:
  ///   - name: What was measured.
  ///   - measured: What it came to.
  ///   - text: How a person reads it, where that is more than the median, the least and the most.
  ///   - reference: What it is held against.
  mutating func add(
    _ name: String, _ measured: Measurement, as text: String? = nil, against reference: String
  ) {
    let text = text ?? measured.text
    lines.append(
      Line(
        name: name, median: measured.median, least: measured.least, most: measured.most,
        unit: measured.unit.rawValue, reference: reference))
    rows.append([name, text, reference])
    FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
  }

  /// The table, in Markdown.
  var text: String {
    rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  /// An array of objects in the order of the table; what had no round is `"nan"`.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(lines) + Data("\n".utf8)
  }
}
