import ArgumentParser
import RemindersCore

struct SearchesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "searches", abstract: "Show, save, rename and delete saved searches.",
    discussion: """
      Saved searches are smart lists of your own, on all your devices. `reminders list --saved \
      NAME` shows what one finds; so does the app, beside the lists.
      """,
    subcommands: [Show.self, Save.self, Rename.self, Delete.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "show", abstract: "Show all saved searches (the default).",
      discussion: "For example: reminders searches")

    @Flag(name: .shortAndLong, help: "Print a JSON array.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let found = try session.database.fetch(SavedSearchQuery(time: session.time))
      guard !json else { return try JSONOutput.print(found.map(SearchJSON.init)) }
      let sameNames = Dictionary(grouping: found) { $0.search.title.lowercased() }
      for item in found {
        // Two devices may have given the same name.
        let isOnly = sameNames[item.search.title.lowercased()]?.count == 1
        let name = isOnly ? item.search.title : "\(item.search.title) (\(item.id.prefix(8)))"
        let count =
          switch item.count {
          case .success(let count): " · \(count)"
          case .failure(let error): " · \(error)"
          case nil: ""
          }
        print("\(name) · \(item.search.query)\(count)".printable)
      }
    }
  }

  struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "save", abstract: "Save a search; in the place of one with the same name.",
      discussion: """
        For example: reminders searches save Errands tag:town -list:Work; reminders searches save \
        Soon 'due<+3d or flagged'

        \(SearchCommand.language)
        """)

    @Argument(help: "Its name.", completion: .searches) var name: String
    @Argument(parsing: .allUnrecognized, help: "What to look for; see below.")
    var query: [String]
    @Flag(name: .shortAndLong, help: "Print the search as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func validate() throws { _ = try SearchCommand.text(of: query) }

    func run() async throws {
      let session = try Session(options.choices)
      let query = try SearchCommand.text(of: query)
      try session.database.requireAnswer(to: query, in: session.time)
      let saved = try await session.database.saveSearch(
        titled: name, query: query, in: session.time)
      try session.finish(saved.undo)
      if json { try session.print(saved.id) }
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "rename", abstract: "Rename a saved search.",
      discussion: "For example: reminders searches rename Errands Town")

    @Argument(help: "The saved search, by name or id.", completion: .searches) var search: String
    @Argument(help: "Its new name.") var newName: String
    @Flag(name: .shortAndLong, help: "Print the search as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let id = try session.database.savedSearch(named: search).id
      try session.finish(try await session.database.renameSearch(id, to: newName))
      if json { try session.print(id) }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "delete", abstract: "Delete a saved search; what it finds stays.",
      discussion: "For example: reminders searches delete Errands")

    @Argument(help: "The saved search, by name or id.", completion: .searches) var search: String
    @Flag(name: .shortAndLong, help: "Print the search that was deleted as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(options.choices)
      let id = try session.database.savedSearch(named: search).id
      let deleted = json ? try session.search(id) : nil
      try session.finish(try await session.database.deleteSearch(id))
      if let deleted { try JSONOutput.print(deleted) }
    }
  }
}

/// A saved search as the command line prints it in JSON; scripts rely on its shape.
private struct SearchJSON: Encodable {
  let id: String
  let title: String
  let query: String
  let count: Int?
  let error: String?

  init(_ found: SavedSearchQuery.Found) {
    (id, title, query) = (found.id, found.search.title, found.search.query)
    switch found.count {
    case .success(let number): (count, error) = (number, nil)
    case .failure(let reason): (count, error) = (nil, "\(reason)")
    case nil: (count, error) = (nil, nil)
    }
  }

  private enum Key: CodingKey { case id, title, query, count, error }

  /// Every key is always there.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
    try container.encode(query, forKey: .query)
    try container.encode(count, forKey: .count)
    try container.encode(error, forKey: .error)
  }
}

extension Session {
  fileprivate func search(_ id: SavedSearch.ID) throws -> SearchJSON {
    let found = try database.fetch(SavedSearchQuery(time: time)).first { $0.id == id }
    guard let found else {
      throw AppError(.noSuchItem, "The saved search has just been deleted.")
    }
    return SearchJSON(found)
  }

  fileprivate func print(_ id: SavedSearch.ID) throws { try JSONOutput.print(search(id)) }
}
