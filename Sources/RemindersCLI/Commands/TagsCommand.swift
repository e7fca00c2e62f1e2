import ArgumentParser
import RemindersCore

struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "tags", abstract: "Show, rename and delete tags.",
    subcommands: [Show.self, Rename.self, Delete.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "show", abstract: "Show all tags (the default).",
      discussion: "For example: reminders tags")

    @Flag(name: .shortAndLong, help: "Print a JSON array.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let rows = try session.database.fetch(SidebarQuery(time: session.time)).tags
      if json {
        try JSONOutput.print(rows.map(TagJSON.init))
      } else {
        try Output.write(rows.map { "#\($0.title.printable) · \($0.openCount) open" })
      }
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "rename", abstract: "Rename a tag; onto another, the two become one.",
      discussion: "For example: reminders tags rename town city")

    @Argument(help: "The tag.", completion: .tags) var tag: String
    @Argument(help: "Its new name.") var newName: String
    @Flag(name: .shortAndLong, help: "Print the tag as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      try session.finish(try await session.database.renameTag(tag, to: newName))
      if json { try JSONOutput.print(try session.tag(newName)) }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "delete", abstract: "Delete a tag and take it off all reminders.",
      discussion: "For example: reminders tags delete town")

    @Argument(help: "The tag.", completion: .tags) var tag: String
    @Flag(name: .shortAndLong, help: "Print the tag that was deleted as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let deleted = json ? try session.tag(tag) : nil
      try session.finish(try await session.database.deleteTag(tag))
      if let deleted { try JSONOutput.print(deleted) }
    }
  }
}

/// A tag as the command line prints it in JSON; scripts rely on its shape.
private struct TagJSON: Encodable {
  let title: String
  let openCount: Int

  init(_ row: Sidebar.TagRow) {
    title = row.title
    openCount = row.openCount
  }
}

extension Session {
  /// A tag as it is in the sidebar.
  fileprivate func tag(_ typed: String) throws -> TagJSON {
    let title = try database.tag(named: typed)
    let rows = try database.fetch(SidebarQuery(time: time)).tags
    guard let row = rows.first(where: { $0.title == title }) else {
      throw AppError(.noSuchItem, "The tag has just been deleted.")
    }
    return TagJSON(row)
  }
}
