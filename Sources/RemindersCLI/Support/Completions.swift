import ArgumentParser
import Foundation
import RemindersCore

extension CompletionKind {
  /// The lists, as commands take their names.
  static let lists = ofData { database, _ in
    try ListNames(database.fetch(ListsQuery())).all.map { Candidate(value: $0) }
  }

  /// The tags.
  static let tags = ofData { database, line in
    try database.fetch(SidebarQuery(time: line.time)).tags.map { Candidate(value: $0.title) }
  }

  /// The saved searches.
  static let searches = ofData { database, line in
    try database.fetch(SidebarQuery(time: line.time)).searches
      .map { Candidate(value: $0.title, note: $0.query) }
  }

  /// The reminders, by the beginnings of their ids: those that the command can be about.
  static let reminders = ofData { database, line in
    try database.fetch(ReminderNamesQuery(idPrefix: line.prefix, isCompleted: line.isCompleted))
      .map { Candidate(value: String($0.id.prefix(8)), note: $0.title) }
  }

  private static func ofData(
    _ find: @escaping @Sendable (AppDatabase, CompletedLine) throws -> [Candidate]
  ) -> CompletionKind {
    .custom { words, _, prefix in
      let line = CompletedLine(words: words, prefix: prefix)
      // Whoever is typing is not to be interrupted by what is wrong with the data.
      let found = try? line.database().map { try find($0, line) }
      return (found ?? []).compactMap { $0.text(for: CompletionShell.requesting) }
    }
  }
}

/// The scripts that complete commands.
enum Completions {
  /// The script of bash with the options that may stand before the command; else the text itself.
  ///
  /// It knows those alone that the program itself declares.
  static func withLeadingOptions(_ script: String) -> String {
    guard script.hasPrefix("#!/bin/bash"),
      let place = script.firstRange(of: "local -a non_repeating_options=()")
    else { return script }
    let options = "--data-dir --cloud --account --device --color"
    return script.replacingCharacters(
      in: place, with: "local -a non_repeating_options=(\(options))")
  }
}

/// The line that a shell asks to complete.
private struct CompletedLine {
  let words: [String]
  /// The word under the cursor, as far as it is typed.
  let prefix: String
  let time = LocalTime(now: Date())

  /// Whether the command is about completed reminders or open ones; nil for both.
  var isCompleted: Bool? {
    if words.contains("undone") { return true }
    return words.contains { ["done", "skip", "snooze"].contains($0) } ? false : nil
  }

  /// The data that the line names; nil when there is none, which a key is not to make.
  func database() throws -> AppDatabase? {
    var choices = GlobalChoices()
    if let index = words.firstIndex(of: "--data-dir"), index + 1 < words.count {
      // The shell has not looked at the word yet.
      choices.dataDirectory = (words[index + 1] as NSString).expandingTildeInPath
    }
    let paths = try Paths(choices)
    let file = paths.dataDirectory.appending(path: AppDatabase.fileName)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try AppDatabase(directory: paths.dataDirectory, connections: .one)
  }
}

/// What a word can become.
private struct Candidate {
  let value: String
  var note = ""

  /// What bash would run or replace when it stands in a line: `complete -o filenames` quotes the
  /// rest, and not these.
  private static let unsafeInBash = Set("$`!\"\\")

  /// One line as the script of a shell reads it; nil for what cannot be offered safely.
  ///
  /// What another person has called a list must not be a command.
  func text(for shell: CompletionShell?) -> String? {
    let (value, note) = (value.oneLine.printable, note.shortened(to: 60).oneLine.printable)
    switch shell {
    case .bash?:
      guard !value.contains(where: Self.unsafeInBash.contains) else { return nil }
      // The script expands the words.
      return "'" + value.replacing("'", with: #"'\''"#) + "'"
    case .zsh?:
      let text = value.replacing(#"\"#, with: #"\\"#).replacing(":", with: #"\:"#)
      return note.isEmpty ? text : text + ":" + note
    case .fish?: return note.isEmpty ? value : value + "\t" + note
    default: return value
    }
  }
}
