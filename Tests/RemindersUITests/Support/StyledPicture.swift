import Foundation
import RemindersTerminal
import Testing

extension Frame {
  /// A picture of the screen: its text, and below that the looks of the text.
  ///
  /// Each line of looks names rows, and in them columns with what they mean, counted from 1; plain
  /// text is left out. `7: 32 done, 36-38 priority; over 28-100 cursor`
  var styledText: String {
    (surface.lines + ["---"] + lookLines + [caretLine]).joined(separator: "\n") + "\n"
  }

  private var caretLine: String {
    cursor.map { "caret: row \($0.row + 1), column \($0.column + 1)" } ?? "no caret"
  }

  /// Rows that look alike share a line.
  private var lookLines: [String] {
    var rows: [(looks: String, numbers: [Int])] = []
    for (index, runs) in surface.styledLines.enumerated() {
      let looks = Self.looks(of: runs)
      if looks.isEmpty { continue }
      if let known = rows.firstIndex(where: { $0.looks == looks }) {
        rows[known].numbers.append(index + 1)
      } else {
        rows.append((looks, [index + 1]))
      }
    }
    return rows.map { "\(Self.ranges($0.numbers)): \($0.looks)" }
  }

  private static func looks(of runs: [StyledRun]) -> String {
    let own = spans(of: runs) { $0.look }
    let over = spans(of: runs) { $0.overlay?.rawValue }
    return [own, over.isEmpty ? "" : "over " + over].filter { !$0.isEmpty }
      .joined(separator: "; ")
  }

  /// `32 done, 36-38 priority`.
  private static func spans(of runs: [StyledRun], _ name: (Style) -> String?) -> String {
    var spans: [(name: String, first: Int, last: Int)] = []
    var column = 1
    for run in runs {
      let end = column + TextWidth.columns(of: run.text)
      defer { column = end }
      guard end > column, let name = name(run.style) else { continue }
      if let last = spans.last, last.name == name, last.last == column - 1 {
        spans[spans.count - 1].last = end - 1
      } else {
        spans.append((name, column, end - 1))
      }
    }
    return spans.map { "\(span($0.first, $0.last)) \($0.name)" }.joined(separator: ", ")
  }

  /// `2-10,14`.
  private static func ranges(_ numbers: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = ranges.last, last.upperBound == number - 1 {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { span($0.lowerBound, $0.upperBound) }.joined(separator: ",")
  }

  private static func span(_ first: Int, _ last: Int) -> String {
    first == last ? "\(first)" : "\(first)-\(last)"
  }
}

extension Style {
  /// The look without what lies over it; nil for plain text.
  fileprivate var look: String? {
    // Two pixels of a photograph: which, the tests of images say.
    if foreground != nil, background != nil { return "pixels" }
    let names: [(Attributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reverse, "reverse"),
      (.italic, "italic"),
    ]
    let parts =
      [role == .text ? nil : role.rawValue, foreground.map { "#" + $0.digits }]
      + names.map { attributes.contains($0) ? $1 : nil }
    let look = parts.compactMap(\.self).joined(separator: "+")
    return look.isEmpty ? nil : look
  }
}

extension RGB {
  fileprivate var digits: String {
    [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// Compares a picture to the file with a name; `UPDATE_SCREENS=1` writes the file instead.
func expectPicture(
  _ picture: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Screens/\(name).txt").standardized
  if ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1" {
    try Data(picture.utf8).write(to: file)
    return
  }
  let expected = try String(contentsOf: file, encoding: .utf8)
  #expect(
    picture == expected, "\(name):\n\(picture)\nexpected:\n\(expected)",
    sourceLocation: sourceLocation)
}
