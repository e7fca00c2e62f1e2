/// Text with a caret in it, and readline's way of editing it.
///
/// What fields and areas share.
struct TextBuffer: Hashable, Sendable {
  /// What lies before the caret, and after it.
  private(set) var before: String
  private(set) var after: String
  /// What the last `^U`, `^K` or `^W` took away, for `^Y`.
  private var killed = ""

  /// The caret stands at the end.
  init(_ text: String) {
    before = text
    after = ""
  }

  /// All of it; at the end, where the caret mostly stands, nothing is copied.
  var text: String { after.isEmpty ? before : before + after }

  /// How long it is.
  var byteCount: Int { before.utf8.count + after.utf8.count }

  /// Where the caret stands in `text`.
  var caret: String.Index {
    text.utf8.index(text.startIndex, offsetBy: before.utf8.count)
  }

  /// Edits or moves as readline does within one line.
  ///
  /// - Returns: Whether the key has a meaning here.
  mutating func handle(_ key: Key) -> Bool {
    if let character = key.typed {
      insert(String(character))
      return true
    }
    return edit(key) || move(key)
  }

  mutating func insert(_ text: String) {
    before += text
  }

  /// Puts the caret before the character at `index` of `text`.
  mutating func moveCaret(to index: String.Index) {
    let text = text
    before = String(text[..<index])
    after = String(text[index...])
  }

  private mutating func edit(_ key: Key) -> Bool {
    switch key {
    case .backspace, .control("h"): _ = before.popLast()
    case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
    case .control("u"): killBefore(lineStart)
    case .control("w"), Key(.backspace, .alt): killBefore(wordStart)
    case .control("k"): killAfter(lineEnd)
    case .alt("d"): killAfter(wordEnd)
    case .control("y"): insert(killed)
    default: return false
    }
    return true
  }

  private mutating func move(_ key: Key) -> Bool {
    switch key {
    case .left, .control("b"): moveBack(to: before.dropLast().endIndex)
    case .right, .control("f"): moveForward(to: after.dropFirst().startIndex)
    case .home, .control("a"): moveBack(to: lineStart)
    case .end, .control("e"): moveForward(to: lineEnd)
    case .alt("b"), Key(.left, .control), Key(.left, .alt): moveBack(to: wordStart)
    case .alt("f"), Key(.right, .control), Key(.right, .alt): moveForward(to: wordEnd)
    default: return false
    }
    return true
  }

  private var lineStart: String.Index {
    before.lastIndex(where: \.isNewline).map(before.index(after:)) ?? before.startIndex
  }

  private var lineEnd: String.Index {
    after.firstIndex(where: \.isNewline) ?? after.endIndex
  }

  private var wordStart: String.Index {
    let word = before.lastIndex { $0.isPartOfWord }
    let gap = word.flatMap { before[..<$0].lastIndex { !$0.isPartOfWord } }
    return gap.map(before.index(after:)) ?? before.startIndex
  }

  private var wordEnd: String.Index {
    let word = after.firstIndex { $0.isPartOfWord } ?? after.endIndex
    return after[word...].firstIndex { !$0.isPartOfWord } ?? after.endIndex
  }

  private mutating func moveBack(to index: String.Index) {
    after = before[index...] + after
    before = String(before[..<index])
  }

  private mutating func moveForward(to index: String.Index) {
    before += after[..<index]
    after = String(after[index...])
  }

  private mutating func killBefore(_ index: String.Index) {
    killed = String(before[index...])
    before = String(before[..<index])
  }

  private mutating func killAfter(_ index: String.Index) {
    killed = String(after[..<index])
    after = String(after[index...])
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}

/// The character of a line in a text that is nearest to a column from the left.
func index(atColumn column: Int, of line: Range<String.Index>, in text: String) -> String.Index {
  var index = line.lowerBound
  var used = 0
  while index < line.upperBound {
    used += TextWidth.columns(of: String(text[index]))
    if used > column { break }
    index = text.index(after: index)
  }
  return index
}

/// Where a window of `length` begins so that it shows `position`.
///
/// It moves by half its length at a time and depends on nothing else, so no scroll position needs
/// to be kept, and typing does not shift the text with every character.
func windowStart(showing position: Int, length: Int) -> Int {
  if position < length { return 0 }
  let step = max(1, length / 2)
  return (position - length) / step * step + step
}
