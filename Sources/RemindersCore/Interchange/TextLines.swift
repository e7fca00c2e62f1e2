import Foundation

/// The lines of a text file, found by its bytes.
///
/// Line feeds and carriage returns end them (RFC 5545, 3.1; todo.txt has no other either). What
/// Unicode counts among the ends of lines besides is text: it stays in the title.
package enum TextLines {
  /// Bytes in a line that is read: more than a reminder can have and still be synchronized.
  static let longest = 1 << 20

  /// The lines that are not empty.
  static func split(_ data: Data) -> [Data] {
    data.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  }

  /// A text without what Windows puts before it.
  package static func withoutMark(_ data: Data) -> Data {
    let mark = Data("\u{FEFF}".utf8)
    return data.starts(with: mark) ? data.dropFirst(mark.count) : data
  }

  /// What a line says.
  ///
  /// - Throws: `AppError` that names the file, where it is not UTF-8.
  static func text(_ line: Data, _ name: String) throws -> String {
    guard let text = String(data: line, encoding: .utf8) else {
      throw AppError(
        .cannotRead, "\(name) is not in UTF-8.",
        hint: "iconv -f ISO-8859-1 -t UTF-8 makes it so, if it is of the Latin kind.")
    }
    return text
  }

  /// The encoding of a text of two bytes a character; nil for other data.
  ///
  /// It has a mark at its beginning, or every other byte of its ASCII is 0.
  static func wideEncoding(of data: Data) -> String? {
    if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    let start = Array(data.prefix(64))
    guard start.count >= 4 else { return nil }
    let (even, odd) = (0..<start.count / 2).reduce(into: (0, 0)) { zeros, index in
      if start[2 * index] == 0 { zeros.0 += 1 }
      if start[2 * index + 1] == 0 { zeros.1 += 1 }
    }
    let most = start.count * 3 / 8
    return odd > most && even == 0 ? "UTF-16LE" : even > most && odd == 0 ? "UTF-16BE" : nil
  }

  /// The words of a line, between white space.
  ///
  /// By its bytes where all are ASCII: to find where characters end takes many times as long.
  static func words(of line: String) -> [Substring] {
    guard line.utf8.allSatisfy({ $0 < 0x80 }) else {
      return line.split(whereSeparator: \.isWhitespace)
    }
    return line.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }.map { Substring($0) }
  }
}
