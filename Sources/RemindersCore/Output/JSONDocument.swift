/// A JSON document that is written piece by piece, of any length: the same text as `JSONText` makes
/// of a whole value.
///
/// Foundation's encoder needs 30 µs for a reminder, and all of a document in memory.
package struct JSONDocument {
  /// Where the text goes, a piece after the other.
  private var output: OutputBuffer
  /// For each object or array that is open, whether something is in it.
  private var open: [Bool] = []

  /// A document that is written to an output.
  package init(to output: OutputBuffer) {
    self.output = output
  }

  /// Ends the document with its last line.
  package mutating func end() throws {
    output.append(0x0A)
    try output.flush()
  }

  /// An object; its members are written in the order of their keys.
  package mutating func object(_ members: (inout JSONDocument) throws -> Void) rethrows {
    try nest("{", members, "}")
  }

  /// An array.
  package mutating func array(_ elements: (inout JSONDocument) throws -> Void) rethrows {
    try nest("[", elements, "]")
  }

  /// Begins a member of an object; its value follows.
  package mutating func key(_ name: String) {
    element()
    quote(name)
    output.append(" : ")
  }

  /// Begins an element of an array; its value follows.
  package mutating func element() {
    if let last = open.indices.last {
      output.append(open[last] ? ",\n" : "\n")
      open[last] = true
    }
    indent()
  }

  /// Hands on what has been written, when it has become long.
  package mutating func flushIfLong() throws { try output.flushIfLong() }

  // MARK: - Values

  /// A text, or null.
  package mutating func value(_ text: String?) {
    if let text { quote(text) } else { output.append("null") }
  }

  /// A truth value.
  package mutating func value(_ isTrue: Bool) { output.append(isTrue ? "true" : "false") }

  /// A whole number.
  package mutating func value(_ number: Int) { output.append(String(number)) }

  /// A number, or null.
  package mutating func value(_ number: Double?) {
    guard let number else { return output.append("null") }
    let text = number.description
    output.append(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Texts.
  package mutating func value(_ texts: [String]) {
    array { document in
      for text in texts {
        document.element()
        document.value(text)
      }
    }
  }

  /// Any other value.
  package mutating func value(encoding value: some Encodable) throws {
    // No text has an end of line in it: those that there are lie between the values.
    let lines = try JSONText.text(value).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index > 0 {
        output.append(0x0A)
        if !line.isEmpty { indent() }
      }
      output.append(line)
    }
  }

  // MARK: - Text

  private mutating func nest(
    _ start: String, _ body: (inout JSONDocument) throws -> Void, _ end: String
  ) rethrows {
    output.append(start)
    open.append(false)
    try body(&self)
    let isEmpty = open.removeLast() == false
    output.append(isEmpty ? "\n\n" : "\n")
    indent()
    output.append(end)
  }

  private mutating func indent() {
    for _ in open { output.append("  ") }
  }

  private mutating func quote(_ text: String) {
    output.append(0x22)
    var text = text
    let isPlain = text.withUTF8 { bytes in
      let isPlain = bytes.allSatisfy {
        $0 != 0x22 && $0 != 0x5C && !Unicode.Scalar.mayCommandTerminal($0)
      }
      if isPlain { output.append(bytes) }
      return isPlain
    }
    if !isPlain {
      for scalar in text.unicodeScalars { escape(scalar) }
    }
    output.append(0x22)
  }

  private mutating func escape(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": output.append("\\\"")
    case "\\": output.append("\\\\")
    case "\u{8}": output.append("\\b")
    case "\u{C}": output.append("\\f")
    case "\n": output.append("\\n")
    case "\r": output.append("\\r")
    case "\t": output.append("\\t")
    case _ where scalar.value < 0x20 || scalar.isEscapedInJSON:
      let digits = String(scalar.value, radix: 16)
      output.append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
    default: output.append(String(scalar))
    }
  }
}
