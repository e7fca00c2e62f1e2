extension String {
  /// The text in one line without control characters, and without the marks that would reorder
  /// what follows on the line: what another device wrote must not command a terminal.
  package var printable: String { replacingCommands { _ in false } }

  /// The same, with the ends of its lines.
  package var printableLines: String { replacingCommands { $0 == "\n" } }

  /// The same, with tabs and what says in which direction text runs: for files, whose readers want
  /// it as it is.
  package var writableLines: String {
    let lines = utf8.contains(UInt8(ascii: "\r")) ? replacing("\r\n", with: "\n") : self
    return lines.replacingCommands { $0 == "\n" || $0 == "\t" || $0.reordersText }
  }

  /// The same in one line.
  package var writable: String { oneLine.replacingCommands(except: \.reordersText) }

  private func replacingCommands(except isKept: (Unicode.Scalar) -> Bool) -> String {
    guard utf8.contains(where: Unicode.Scalar.mayCommandTerminal),
      unicodeScalars.contains(where: { $0.commandsTerminal && !isKept($0) })
    else { return self }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.commandsTerminal && !isKept($0) ? "\u{FFFD}" : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether such a character can have this byte in UTF-8: of most texts no byte is one, and they
  /// need no closer look.
  static func mayCommandTerminal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: true
    default: false
    }
  }

  /// Whether a terminal acts on it instead of showing it: control characters (C0, DEL, C1), ends of
  /// lines and paragraphs, and those that reorder text.
  var commandsTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: reordersText
    }
  }

  /// Whether it says in which direction the text around it runs.
  fileprivate var reordersText: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
