/// Finds public declarations without a comment.
enum Documentation {
  private static let keywords: Set<String> = [
    "actor", "associatedtype", "case", "class", "enum", "extension", "func", "init", "let",
    "protocol", "struct", "subscript", "typealias", "var",
  ]
  private static let modifiers: Set<String> = [
    "borrowing", "class", "consuming", "convenience", "final", "indirect", "infix", "isolated",
    "lazy", "mutating", "nonisolated", "nonmutating", "override", "postfix", "prefix", "required",
    "static", "unowned", "weak",
  ]
  private static let accessLevels: Set<String> = [
    "fileprivate", "internal", "open", "package", "private", "public",
  ]

  private static let beginnings = keywords.union(modifiers).union(accessLevels)

  /// The beginning of a declaration: its keyword, and who may use it.
  struct Declaration: Equatable {
    let keyword: String
    let access: String?

    var isPublic: Bool { access == "public" || access == "open" }
    /// Members of an extension say themselves who may use them.
    var showsMembers: Bool {
      keyword == "extension"
        || isPublic && ["actor", "class", "enum", "protocol", "struct"].contains(keyword)
    }

    /// Whether a member that says nothing of its own is public.
    func makesPublic(_ member: Declaration) -> Bool {
      guard isPublic, member.access == nil else { return false }
      return keyword == "protocol" || keyword == "extension"
        || keyword == "enum" && member.keyword == "case"
    }
  }

  static func rule(_ file: SourceFile) -> [Violation] {
    var found: [Violation] = []
    /// What each open brace belongs to; nil for one that is no declaration's.
    var scopes: [Declaration?] = []
    var header: Declaration?
    for (index, line) in file.code.enumerated() {
      let declaration = declaration(in: line)
      if let declaration {
        let isVisible = scopes.allSatisfy { $0?.showsMembers == true }
        let isPublic =
          declaration.isPublic || scopes.last.flatMap { $0 }?.makesPublic(declaration) == true
        if isVisible, isPublic, declaration.keyword != "extension",
          declaration.keyword != "case" || isLibrary(file),
          !isDocumented(index, in: file)
        {
          found.append(
            Violation(file, at: index, "a public \(declaration.keyword) without a comment"))
        }
        header =
          isPublic ? Declaration(keyword: declaration.keyword, access: "public") : declaration
      }
      for byte in line.utf8 {
        if byte == UInt8(ascii: "{") {
          scopes.append(header)
          header = nil
        } else if byte == UInt8(ascii: "}") {
          _ = scopes.popLast()
          header = nil
        }
      }
    }
    return found
  }

  /// In the app, which nobody builds upon, a case may speak for itself: `red`, `low`.
  private static func isLibrary(_ file: SourceFile) -> Bool {
    file.target.hasPrefix("SQLiteSync")
  }

  /// What a line declares that begins with a declaration; nil for any other.
  static func declaration(in line: String) -> Declaration? {
    let first = line.drop { $0 == " " }.prefix { $0.isLetter || $0 == "@" }
    guard first.hasPrefix("@") || beginnings.contains(String(first)) else { return nil }
    var access: String?
    // Neither the arguments of attributes nor `(set)` say anything here.
    let words = line.replacing(#/\([^()]*\)/#, with: " ").replacing(#/[<:=({?!]/#, with: " ")
      .split(separator: " ").map(String.init)
    for (position, word) in words.enumerated() {
      if accessLevels.contains(word) {
        // In `public private(set)` the first one counts.
        access = access ?? word
      } else if word.hasPrefix("@") {
        continue
      } else if modifiers.contains(word), position + 1 < words.count, word != "class" {
        continue
      } else if word == "class", position + 1 < words.count, keywords.contains(words[position + 1])
      {
        continue
      } else {
        return keywords.contains(word) ? Declaration(keyword: word, access: access) : nil
      }
    }
    return nil
  }

  /// Whether a comment for people stands above a line, or above its attributes.
  private static func isDocumented(_ index: Int, in file: SourceFile) -> Bool {
    let above = file.lines[..<index].reversed().lazy.map { $0.drop { $0 == " " } }
      .first { !$0.hasPrefix("@") }
    return above?.hasPrefix("///") == true || above?.hasSuffix("*/") == true
  }
}
