import RemindersTerminal

/// The command table as documentation.
public enum CommandReference {
  /// The table as text: for each context its title, and for each command its name, keys and help.
  ///
  /// It is ASCII, and no line begins with a key: a manual page takes a full stop there for a macro.
  public static let text = Context.all.map { context in
    let commands = Command.all.filter { $0.context == context }.map { command in
      let keys = Keymap.standard.keyNames(of: command.id).map(GlyphSet.ascii.adapted)
      return "\(command.id.rawValue): \(keys.joined(separator: ", ")). \(command.help)"
    }
    return ([context.title.uppercased()] + commands).joined(separator: "\n\n")
  }.joined(separator: "\n\n")

  /// A line for each command, with its keys in a column.
  public static var lines: [String] {
    Array(
      Context.all.map { context in
        [context.title.uppercased()]
          + Command.all.filter { $0.context == context }.map { command in
            let keys = Keymap.standard.keyNames(of: command.id).joined(separator: " ")
            return "  \(TextWidth.padded(keys, to: 12)) \(command.help) (\(command.id.rawValue))"
          }
      }.joined(separator: [""]))
  }
}
