import ArgumentParser
import Reminders

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a reminder.")

  @Argument(help: "What to do.")
  var title: String

  @OptionGroup var fields: ReminderFields
  @Flag(help: "Print the reminder as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    var draft = ReminderDraft(title: title)
    for edit in try fields.edits(session) { draft.apply(edit) }
    let id = try await session.database.addReminder(draft).id
    try session.print(id, asJSON: json)
  }
}

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change the fields that are named.")

  @Argument(help: "The beginning of the reminder's id.")
  var id: String

  @Option(help: "What to do.")
  var title: String?

  @OptionGroup var fields: ReminderFields
  @Flag(help: "Not due any more.") var noDue = false
  @Flag(help: "Not selected any more.") var noFlag = false
  @Option(name: .customLong("untag"), help: ArgumentHelp("Remove a tag.", valueName: "tag"))
  var untags: [String] = []
  @Flag(help: "Print the reminder as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if noDue, fields.due != nil { throw ValidationError("--due and --no-due exclude each other.") }
    if noFlag, fields.flag { throw ValidationError("--flag and --no-flag exclude each other.") }
  }

  func run() async throws {
    let session = try Session(options)
    var edits = try fields.edits(session)
    if let title { edits.append(.set(\.title, title)) }
    if noDue { edits.append(.set(\.due, nil)) }
    if noFlag { edits.append(.set(\.isFlagged, false)) }
    if !untags.isEmpty { edits.append(.removeTags(untags)) }
    guard !edits.isEmpty else {
      throw AppError(
        .invalidInput, "Nothing to change was named.",
        hint: "For example: reminders edit ID --due fri")
    }
    let id = try session.database.reminderID(matching: id)
    _ = try await session.database.editReminders([id], edits)
    try session.print(id, asJSON: json)
  }
}
