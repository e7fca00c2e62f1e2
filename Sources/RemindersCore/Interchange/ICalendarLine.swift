import Foundation

extension ICalendarFile {
  /// `DUE;TZID=Europe/Berlin:20261225T180000`.
  struct Line {
    let name: String
    var parameters: [String: String]
    var value: String
    /// The name with the parameters as they stand there.
    let head: String

    init?(_ text: String) {
      var isQuoted = false
      var colon: String.Index?
      for index in text.indices {
        if text[index] == "\"" { isQuoted.toggle() }
        if text[index] == ":", !isQuoted {
          colon = index
          break
        }
      }
      guard let colon else { return nil }
      let parts = text[..<colon].split(separator: ";")
      guard let name = parts.first else { return nil }
      self.name = name.uppercased()
      head = self.name + text[name.endIndex..<colon]
      var parameters: [String: String] = [:]
      for part in parts.dropFirst() {
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { continue }
        parameters[pair[0].uppercased()] = String(pair[1].replacing("\"", with: ""))
      }
      self.parameters = parameters
      value = String(text[text.index(after: colon)...])
    }
  }

  /// Bytes in a line that is read: each of its characters may be escaped.
  private static let longest = 2 * TextLines.longest

  /// The lines of a file, those that are too long left out and named.
  ///
  /// Long ones are folded: their rest begins with white space, which may stand between the bytes of
  /// one character (RFC 5545, 3.1).
  static func lines(
    of data: Data, _ name: String, _ problems: inout [String]
  ) throws -> [String] {
    var lines: [String] = []
    var current = Data()
    func end() throws {
      if current.count > longest {
        let head = try TextLines.text(current.prefix { isPartOfName($0) }, name)
        problems.append("a line \(head.prefix(60)) of more than 2 MB was left out")
      } else if !current.isEmpty {
        lines.append(try TextLines.text(current, name))
      }
    }
    for line in TextLines.split(data) {
      if line.first.map({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) == true {
        // Only that it is too long is of interest.
        current += line.dropFirst().prefix(max(0, longest + 1 - current.count))
      } else {
        try end()
        current = line
      }
    }
    try end()
    return lines
  }

  /// How many VTODOs begin in a file, by its bytes alone: what they say takes much longer to read.
  static func countOfTodos(in data: Data) -> Int {
    data.withUnsafeBytes { bytes in
      var (count, start) = (0, 0)
      while start < bytes.count {
        let line = bytes[start...]
        let isTodo = zip(line, beginOfTodo).allSatisfy { $0 & ~0x20 == $1 & ~0x20 }
        if isTodo, line.count >= beginOfTodo.count { count += 1 }
        start = (line.firstIndex { $0 == UInt8(ascii: "\n") } ?? bytes.count) + 1
      }
      return count
    }
  }

  private static let beginOfTodo = Array("BEGIN:VTODO".utf8)

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }
}
