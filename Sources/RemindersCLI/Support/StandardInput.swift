import Foundation
import RemindersCore

/// What another program wrote, for commands that are given `-`.
enum StandardInput {
  /// Whether a name stands for standard input: `-`, or what the system calls it.
  static func isMeant(by file: String) -> Bool { ["-", "/dev/stdin"].contains(file) }

  /// All of it, or one byte more than so many.
  ///
  /// - Throws: what the system says.
  static func data(upTo count: Int) throws -> Data {
    try FileHandle.standardInput.read(upToCount: count + 1) ?? Data()
  }

  /// Those with something in them, without white space around.
  ///
  /// - Throws: `AppError` when they are not text; else what the system says.
  static func lines() throws -> [String] {
    let text = TextLines.withoutMark(try data(upTo: ImportFormat.maximumBytes))
    // SQLite would end the text there.
    guard !text.contains(0) else {
      throw AppError(
        .invalidInput, "What is to be read is not a text: there is a NUL in it.",
        hint: "Nothing was changed. Is it UTF-16? Then `iconv -f UTF-16` makes UTF-8 of it.")
    }
    return text.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
    }.filter { !$0.isEmpty }
  }

  /// The id at the beginning of a line that `list` printed.
  static func firstWord(_ line: String) -> String { String(line.prefix { $0 != " " }) }
}
