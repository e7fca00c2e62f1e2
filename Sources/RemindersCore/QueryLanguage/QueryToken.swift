/// A part of a query as it was typed: a word, a test of a field, an `or`, a bracket.
struct QueryToken {
  enum Kind { case part, or, opening, closing }

  var kind = Kind.part
  /// Without its minus sign and its quotation marks.
  var text: String
  /// Whether it began with a minus sign.
  var isNegated = false
  /// Where its quotation marks began: text from there on has no operators.
  var quote: String.Index?
  /// Where it stands in the query.
  var range: Range<String.Index>

  /// What stands before its quotation marks.
  var head: Substring { quote.map { text[..<$0] } ?? text[...] }

  /// The same without a minus sign.
  var positive: QueryToken {
    var token = self
    token.isNegated = false
    return token
  }

  /// The tokens of a query.
  ///
  /// Brackets that are not closed yet end with it. Where one closes that none has opened, or there
  /// is nothing between two, all brackets are text.
  static func tokens(of text: String) -> [QueryToken] {
    let tokens = joined(words(of: text, grouping: true))
    return isBalanced(tokens) ? tokens : joined(words(of: text, grouping: false))
  }

  /// How many brackets are open at once.
  static func depth(of tokens: ArraySlice<QueryToken>) -> Int {
    var (depth, deepest) = (0, 0)
    for token in tokens {
      depth += token.kind == .opening ? 1 : token.kind == .closing ? -1 : 0
      deepest = max(deepest, depth)
    }
    return deepest
  }

  private static func isBalanced(_ tokens: [QueryToken]) -> Bool {
    var depth = 0
    var last = Kind.part
    for token in tokens {
      depth += token.kind == .opening ? 1 : token.kind == .closing ? -1 : 0
      guard depth >= 0, token.kind != .closing || last != .opening else { return false }
      last = token.kind
    }
    return last != .opening
  }

  /// White space around the sign of a comparison does not part it.
  private static func joined(_ words: [QueryToken]) -> [QueryToken] {
    var tokens: [QueryToken] = []
    for word in words {
      guard let last = tokens.last, last.kind == .part, word.kind == .part, last.quote == nil,
        FieldTest.isCompared(last.text, with: word.head)
      else {
        tokens.append(word)
        continue
      }
      // A minus sign here is one of the value: `created > -1w`.
      var joined = last
      joined.text += (word.isNegated ? "-" : "") + word.head
      joined.quote = word.quote.map { _ in joined.text.endIndex }
      joined.text += word.text.dropFirst(word.head.count)
      joined.range = last.range.lowerBound..<word.range.upperBound
      tokens[tokens.count - 1] = joined
    }
    return tokens
  }

  /// The words between white space, that in quotation marks left as it is.
  ///
  /// - Parameter grouping: Whether brackets around words are tokens.
  private static func words(of text: String, grouping: Bool) -> [QueryToken] {
    var tokens: [QueryToken] = []
    var rest = text.drop(while: \.isWhitespace)
    while let first = rest.first {
      let start = rest.startIndex
      var isNegated = false
      if first == "-", let next = rest.dropFirst().first,
        next.isLetter || next.isNumber || (grouping ? "\"#(" : "\"#").contains(next)
      {
        isNegated = true
        rest = rest.dropFirst()
      }
      if grouping, rest.first == "(" {
        rest = rest.dropFirst()
        tokens.append(
          QueryToken(
            kind: .opening, text: "(", isNegated: isNegated, range: start..<rest.startIndex))
      } else {
        tokens += word(&rest, from: start, isNegated: isNegated, grouping: grouping)
      }
      rest = rest.drop(while: \.isWhitespace)
    }
    return tokens
  }

  /// The word that begins a text, and the brackets that close after it.
  private static func word(
    _ rest: inout Substring, from start: String.Index, isNegated: Bool, grouping: Bool
  ) -> [QueryToken] {
    var token = QueryToken(text: "", isNegated: isNegated, range: start..<start)
    // Brackets within a word are its own.
    var open = 0
    while let character = rest.first, !character.isWhitespace {
      if grouping, open == 0, closes(rest) { break }
      rest = rest.dropFirst()
      if character == "\"", let quoted = quoted(rest) {
        if token.quote == nil { token.quote = token.text.endIndex }
        token.text += quoted.text
        rest = rest[quoted.end...]
      } else {
        open += character == "(" ? 1 : character == ")" ? -1 : 0
        token.text.append(character)
      }
    }
    token.range = start..<rest.startIndex
    if token.text.lowercased() == "or", !isNegated, token.quote == nil { token.kind = .or }
    var tokens = token.text.isEmpty ? [] : [token]
    while grouping, rest.first == ")" {
      let bracket = rest.startIndex
      rest = rest.dropFirst()
      tokens.append(QueryToken(kind: .closing, text: ")", range: bracket..<rest.startIndex))
    }
    return tokens
  }

  /// Whether brackets are all that comes before the next white space.
  private static func closes(_ text: Substring) -> Bool {
    text.first == ")" && text.drop { $0 == ")" }.first?.isWhitespace ?? true
  }

  /// What stands before the next quotation mark that has no backslash before it, and where the text
  /// goes on after that; nil where there is none.
  private static func quoted(_ text: Substring) -> (text: String, end: String.Index)? {
    var quoted = ""
    var rest = text
    while let character = rest.popFirst() {
      switch character {
      case "\"": return (quoted, rest.startIndex)
      case "\\" where rest.first == "\"" || rest.first == "\\":
        quoted.append(rest.removeFirst())
      default: quoted.append(character)
      }
    }
    // A backslash before the last one, as at the end of a path, is one.
    return text.firstIndex(of: "\"").map { (String(text[..<$0]), text.index(after: $0)) }
  }
}
