import RemindersCore
import RemindersTerminal

/// Something that the person can do: one row of the table that feeds keys, help, footer, palette
/// and the README.
struct Command: Identifiable, Sendable {
  /// Which command.
  let id: ID
  /// Where its keys are listened to.
  let context: Context
  /// The keys that perform it unless the person chose others, the first one shown first.
  let keys: [String]
  /// What it is called in the palette.
  let title: String
  /// What it is called in the footer.
  let hint: @Sendable (AppState) -> String
  /// What it does, in a sentence.
  let help: String
  /// Why it is not possible now; nil when it is.
  let disabledReason: @Sendable (AppState) -> String?
  /// Does it.
  let perform: @Sendable (inout AppState) -> [Effect]

  init(
    _ id: ID, _ context: Context, _ keys: [String], _ title: String, hint: String, help: String,
    unless disabledReason: @escaping @Sendable (AppState) -> String? = { _ in nil },
    perform: @escaping @Sendable (inout AppState) -> [Effect]
  ) {
    self.id = id
    self.context = context
    self.keys = keys
    self.title = title
    self.hint = { _ in hint }
    self.help = help
    self.disabledReason = disabledReason
    self.perform = perform
  }

  /// The command, called something else in the footer, by how things stand.
  func hinting(_ hint: @escaping @Sendable (AppState) -> String) -> Command {
    Command(self, hint: hint)
  }

  private init(_ command: Command, hint: @escaping @Sendable (AppState) -> String) {
    id = command.id
    context = command.context
    keys = command.keys
    title = command.title
    self.hint = hint
    help = command.help
    disabledReason = command.disabledReason
    perform = command.perform
  }
}
