/// Finds functions by their braces.
enum FunctionLength {
  static let maximumLines = 60

  /// Functions that are tables without logic to divide, each with its reason.
  static let longTables: [String: String] = [:]

  /// A function, initializer, subscript or computed property.
  struct Function: Equatable {
    let name: String
    /// Where its declaration begins, counted from 0.
    let start: Int
    let lineCount: Int
  }

  static func rule(_ file: SourceFile) -> [Violation] {
    functions(in: file.code)
      .filter { $0.lineCount > maximumLines && longTables["\(file.path):\($0.name)"] == nil }
      .map { Violation(file, at: $0.start, "\($0.name) has \($0.lineCount) lines") }
  }

  /// The functions in code without strings and comments, also those inside others.
  ///
  /// What opens a brace is the last keyword before it: in `func f() { if x {`, the first brace is
  /// the function's and the second is not.
  static func functions(in code: [String]) -> [Function] {
    var found: [Function] = []
    var open: [Header?] = []
    var header: Header?
    for (index, line) in code.enumerated() {
      for token in tokens(of: line) {
        switch token {
        case "{":
          open.append(header)
          header = nil
        case "}":
          header = nil
          guard let function = open.popLast() ?? nil, function.isFunction else { continue }
          found.append(
            Function(
              name: function.name ?? function.keyword, start: function.start,
              lineCount: index - function.start + 1))
        case let word where keywords.contains(word):
          header = Header(keyword: word, start: index)
        case let word:
          if header?.name == nil, header?.start == index { header?.name = word }
        }
      }
    }
    return found
  }

  private struct Header {
    let keyword: String
    var name: String?
    let start: Int

    init(keyword: String, start: Int) {
      self.keyword = keyword
      self.start = start
    }

    var isFunction: Bool { FunctionLength.functionKeywords.contains(keyword) }
  }

  private static let functionKeywords: Set<String> = [
    "func", "init", "deinit", "subscript", "var", "get", "set", "didSet", "willSet",
  ]
  private static let keywords = functionKeywords.union([
    "struct", "class", "enum", "actor", "extension", "protocol", "if", "for", "while", "guard",
    "switch", "do", "else", "catch", "repeat", "defer", "case", "let",
  ])

  /// Words and braces; a word after a dot is a member, never a keyword.
  private static func tokens(of line: String) -> [String] {
    var tokens: [String] = []
    var word = ""
    for character in line + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      if !word.isEmpty, !word.hasPrefix(".") { tokens.append(word) }
      word = character == "." ? "." : ""
      if character == "{" || character == "}" { tokens.append(String(character)) }
    }
    return tokens
  }
}
