import ArgumentParser
import Foundation
import RemindersCore

extension ListsCommand {
  struct Cover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "cover", abstract: "Set, clear or describe the cover image of a list.",
      discussion: """
        For example: reminders lists cover Walks ~/hills.jpg

        PNG, JPEG, GIF and WebP files can be used. The file is not touched: a copy is kept that is
        at most 1000 pixels wide. Without a file, the command says what the cover is.
        """)

    @Argument(help: "The list, by title or id.", completion: .lists) var name: String
    @Argument(help: "The image file.", completion: .file()) var file: String?
    @Flag(help: "Remove the cover.") var clear = false
    @Flag(name: .shortAndLong, help: "Print the cover as JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
      if clear, file != nil { throw ValidationError("Name a file or --clear, not both.") }
    }

    func run() async throws {
      let session = try Session(options.choices)
      let list = try session.database.list(named: name)
      if clear {
        try await set(nil, of: list, session)
      } else if let file {
        let known = try session.database.fetch(AccountQuery())
        let account = session.account(known).displayName
        let cover = try CoverImage(file: file, account: account, now: session.time.now)
        try await set(cover, of: list, session)
        try print(cover, session)
      } else {
        guard let cover = try session.database.fetch(CoverQuery(list.id)) else {
          throw AppError(
            .noSuchItem, "“\(list.title.printable)” has no cover.",
            hint: "Name an image file to set one.")
        }
        try print(cover, session)
      }
    }

    private func set(
      _ cover: CoverImage?, of list: RemindersList, _ session: Session
    ) async throws {
      let step = try await session.database.editList(list.id, [.coverImage(cover)])
      try session.finish(step)
    }

    private func print(_ cover: CoverImage, _ session: Session) throws {
      guard let facts = cover.facts else {
        throw AppError(.failed, "The stored cover is not an image.", hint: "Set another one.")
      }
      if json {
        try JSONOutput.print(CoverJSON(facts, in: session.time))
      } else {
        Swift.print(facts.text(in: session.time).printable)
      }
    }
  }
}

/// A cover as the command line prints it in JSON; scripts rely on its shape.
private struct CoverJSON: Encodable {
  struct Origin: Encodable {
    let name: String
    let format: String
    let width: Int
    let height: Int
  }

  let format: String
  let width: Int
  let height: Int
  let bytes: Int
  let original: Origin?
  let setBy: String?
  let setAt: String?

  init(_ facts: CoverImage.Facts, in time: LocalTime) {
    format = facts.format.rawValue
    width = facts.size.width
    height = facts.size.height
    bytes = facts.byteCount
    original = facts.origin.map {
      Origin(name: $0.name, format: $0.format, width: $0.width, height: $0.height)
    }
    setBy = facts.origin?.account
    setAt = facts.origin.map { DueDate.moment($0.date).iso8601(in: time) }
  }
}
