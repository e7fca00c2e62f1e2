/// The command table as documentation.
public enum KeyTable {
  /// The table in Markdown, a heading and its rows for each context.
  public static func markdown() -> String {
    Context.allCases.map { context in
      let rows = Command.all.filter { $0.context == context }.map { command in
        let keys = Keymap.standard.keyNames(of: command.id).map { "`\($0)`" }
        return "| \(keys.joined(separator: " ")) | \(command.help) | `\(command.id.rawValue)` |"
      }
      return """

        **\(context.title)**

        | keys | what they do | name |
        |---|---|---|
        \(rows.joined(separator: "\n"))

        """
    }.joined() + "\n"
  }
}
