import ArgumentParser
import Reminders

struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags", abstract: "Show, rename and delete tags.",
    subcommands: [Show.self, Rename.self, Delete.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show all tags (the default).")

    @Flag(help: "Print a JSON array.") var json = false
    @OptionGroup var options: GlobalOptions

    private struct TagJSON: Encodable {
      let title: String
      let openCount: Int
    }

    func run() async throws {
      let session = try Session(options)
      let rows = try session.database.fetch(SidebarQuery(time: session.time)).tags
      if json {
        try JSONOutput.print(rows.map { TagJSON(title: $0.title, openCount: $0.openCount) })
      } else {
        for row in rows { print("#\(row.title.printable) · \(row.openCount) open") }
      }
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename", abstract: "Rename a tag; onto another, the two become one.")

    @Argument(help: "The tag.") var tag: String
    @Argument(help: "Its new name.") var newName: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options)
      Messages.write(try await session.database.renameTag(tag, to: newName).label.printable)
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a tag and take it off all reminders.")

    @Argument(help: "The tag.") var tag: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options)
      Messages.write(try await session.database.deleteTag(tag).label.printable)
    }
  }
}
