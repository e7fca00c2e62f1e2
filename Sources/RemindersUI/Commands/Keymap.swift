import RemindersTerminal

/// Which keys mean which commands.
///
/// The bindings are in the rows of the command table (`Command.all`), in the files
/// `…Commands.swift` beside this one; lines `bind` of a configuration add to them (`Settings`).
struct Keymap: Equatable, Sendable {
  /// What a sequence of keys means.
  enum Meaning: Equatable, Sendable {
    case command(Command.ID)
    /// It is the beginning of longer ones.
    case beginning
    case nothing
  }

  private var bindings: [Context: [[Key]: Command.ID]] = [:]
  private var keys: [Command.ID: [[Key]]] = [:]

  /// The keys of the command table.
  static let standard = Keymap(Command.all)

  init(_ commands: [Command]) {
    for command in commands {
      for name in command.keys {
        // The names are literals of the table; a test reads them all.
        guard let sequence = Key.sequence(name) else { continue }
        bindings[command.context, default: [:]][sequence] = command.id
        keys[command.id, default: []].append(sequence)
      }
    }
  }

  /// Gives a command one more key, the one that is shown, and takes it from others there.
  ///
  /// Sequences that begin like it, or that it begins like, are taken too: they could not be typed.
  mutating func bind(_ sequence: [Key], to id: Command.ID) {
    let context = Command.named(id).context
    for other in (bindings[context] ?? [:]).keys
    where other.starts(with: sequence) || sequence.starts(with: other) {
      guard let loser = bindings[context]?.removeValue(forKey: other) else { continue }
      keys[loser]?.removeAll { $0 == other }
    }
    bindings[context, default: [:]][sequence] = id
    keys[id, default: []].insert(sequence, at: 0)
  }

  /// What a sequence means where several contexts listen, the most particular one first.
  func meaning(of sequence: [Key], in contexts: [Context]) -> Meaning {
    for context in contexts {
      guard let bindings = bindings[context] else { continue }
      if let command = bindings[sequence] { return .command(command) }
      if bindings.keys.contains(where: { $0.starts(with: sequence) }) { return .beginning }
    }
    return .nothing
  }

  /// What may follow the beginning of a sequence.
  func continuations(of beginning: [Key], in contexts: [Context]) -> [(key: Key, id: Command.ID)] {
    contexts.flatMap { context in
      (bindings[context] ?? [:]).compactMap { sequence, id in
        sequence.count == beginning.count + 1 && sequence.starts(with: beginning)
          ? (key: sequence[beginning.count], id: id) : nil
      }
    }
    .sorted { $0.key.description < $1.key.description }
  }

  /// The keys of a command as people read them, the first one first.
  func keyNames(of id: Command.ID) -> [String] {
    (keys[id] ?? []).map { sequence in sequence.map(\.label).joined() }
  }

  /// The key of a command that is shown where there is room for one.
  func keyName(of id: Command.ID) -> String { keyNames(of: id).first ?? "" }
}

extension Key {
  /// The key as people read it: `Space`, `^S`, `S-Tab`, `F1`.
  var label: String {
    let name: String
    switch code {
    case .character(" "): name = "Space"
    case .character(let character):
      name = modifiers.contains(.control) ? character.uppercased() : String(character)
    case .up: name = "↑"
    case .down: name = "↓"
    case .left: name = "←"
    case .right: name = "→"
    case .escape: name = "Esc"
    case .pageUp: name = "PgUp"
    case .pageDown: name = "PgDn"
    case .delete: name = "Del"
    case .insert: name = "Ins"
    case .function(let number): name = "F\(number)"
    case .enter, .tab, .backspace, .home, .end: name = "\(code)".capitalized
    }
    return (modifiers.contains(.control) ? "^" : "") + (modifiers.contains(.alt) ? "A-" : "")
      + (modifiers.contains(.shift) ? "S-" : "") + name
  }
}
