import ArgumentParser
import RemindersCore

struct ListsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "lists", abstract: "Show, add, edit and delete lists, and set their covers.",
    subcommands: [Show.self, Add.self, Edit.self, Delete.self, Cover.self],
    defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "show", abstract: "Show all lists (the default).",
      discussion: "For example: reminders lists")

    @Flag(name: .shortAndLong, help: "Print a JSON array.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let rows = try ListsCommand.rows(session)
      if json {
        try JSONOutput.print(rows.map(ListJSON.init))
      } else {
        if rows.isEmpty {
          Messages.write("There are no lists; `add` makes “\(RemindersList.defaultTitle)”.")
        }
        let shares = try session.database.fetch(SharesQuery())
        for row in rows {
          let id = session.style.dim(String(row.id.prefix(8)).printable)
          let share = shares.first { $0.id == row.id }.map { " · \($0.summary)" } ?? ""
          print("\(id)  \(row.list.title.printable) · \(row.openCount) open\(share)")
        }
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "add", abstract: "Add a list.",
      discussion: "For example: reminders lists add Walks")

    @Argument(help: "What to call it.") var name: String
    @Option(help: colorHelp) var color: ListColor?
    @Flag(name: .shortAndLong, help: "Print the list as JSON.") var json = false
    @OptionGroup var paths: PathOptions

    func run() async throws {
      let session = try Session(paths.choices)
      let color = color?.rgb ?? RemindersList.defaultColor
      let added = try await session.database.addList(title: name, color: color)
      try session.keep(added.undo)
      try printList(added.id, session, asJSON: json)
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "edit", abstract: "Rename or recolour a list.",
      discussion: "For example: reminders lists edit Walks --title Hikes")

    @Argument(help: "The list, by title or id.", completion: .lists) var name: String
    @Option(name: [.customLong("title"), .customLong("name")], help: "What to call it.")
    var title: String?
    @Option(help: colorHelp) var color: ListColor?
    @Flag(name: .shortAndLong, help: "Print the list as JSON.") var json = false
    @OptionGroup var paths: PathOptions

    func run() async throws {
      let session = try Session(paths.choices)
      var edits: [ListEdit] = []
      if let title { edits.append(.title(title)) }
      if let color { edits.append(.color(color.rgb)) }
      guard !edits.isEmpty else {
        throw AppError(
          .invalidInput, "Nothing to change was named.",
          hint: "For example: reminders lists edit Family --color red")
      }
      let id = try session.database.list(named: name).id
      try session.keep(try await session.database.editList(id, edits))
      try printList(id, session, asJSON: json)
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "delete", abstract: "Delete a list with all its reminders.",
      discussion: """
        For example: reminders lists delete Walks. `reminders undo` brings it back. A list that \
        somebody else shares is left: it stays with the others, and only they can let you in again.
        """)

    @Argument(help: "The list, by title or id.", completion: .lists) var name: String
    @Flag(name: .shortAndLong, help: "Print the list that was deleted as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let id = try session.database.list(named: name).id
      let row = json ? try row(of: id, session) : nil
      let step = try await session.database.deleteList(id)
      try session.finish(step)
      if let row { try JSONOutput.print(ListJSON(row)) }
    }
  }

  private static func rows(_ session: Session) throws -> [Sidebar.ListRow] {
    let query = SidebarQuery(time: session.time, readsWholeTexts: true)
    return try session.database.fetch(query).lists
  }

  private static func row(of id: RemindersList.ID, _ session: Session) throws -> Sidebar.ListRow {
    guard let row = try rows(session).first(where: { $0.id == id }) else {
      throw AppError(.noSuchItem, "The list has just been deleted.")
    }
    return row
  }

  private static func printList(
    _ id: RemindersList.ID, _ session: Session, asJSON: Bool
  ) throws {
    let row = try row(of: id, session)
    if asJSON {
      try JSONOutput.print(ListJSON(row))
    } else {
      let label = row.list.title.printable
      print(
        "\(session.style.dim(String(id.prefix(8)).printable))  \(label) · \(row.openCount) open")
    }
  }
}

/// A list as the command line prints it in JSON; scripts rely on its shape.
private struct ListJSON: Encodable {
  let id: String
  let title: String
  let color: String
  let position: Double
  let openCount: Int

  init(_ row: Sidebar.ListRow) {
    id = row.id
    title = row.list.title
    color = ListColor(rgb: row.list.color).digits
    position = row.list.position
    openCount = row.openCount
  }
}

private let colorHelp = ArgumentHelp(
  "\(ListColor.named.compactMap(\.name).joined(separator: ", ")) or #RRGGBB.")

extension ListColor: ExpressibleByArgument {
  /// A colour as typed.
  public init?(argument: String) { self.init(typed: argument) }
}
