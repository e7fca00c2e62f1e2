/// Lines that another program wrote, for commands that are given `-`.
enum StandardInput {
  /// Those with something in them, without white space around.
  static func lines() -> [String] {
    var lines: [String] = []
    while let line = readLine() {
      let words = line.split(whereSeparator: \.isWhitespace)
      if !words.isEmpty { lines.append(words.joined(separator: " ")) }
    }
    return lines
  }

  /// The id at the beginning of a line that `list` printed.
  static func firstWord(_ line: String) -> String { String(line.prefix { $0 != " " }) }
}
