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
  private static let leadingOptions = ["data-dir", "cloud", "account", "device", "color"]
  private static let colors = ColorChoice.allCases.map(\.rawValue)

  /// A script with the options that may stand before the command; else the text itself.
  ///
  /// It knows those alone that the program itself declares. What is said of the others is what is
  /// said of them where a command has them first.
  static func withLeadingOptions(_ text: String) -> String {
    if text.hasPrefix("#!/bin/bash") { return withLeadingOptionsOfBash(text) }
    if text.hasPrefix("#compdef ") { return withLeadingOptionsOfZsh(text) }
    return text.contains("\ncomplete -c 'reminders' ") ? withLeadingOptionsOfFish(text) : text
  }

  private static func withLeadingOptionsOfBash(_ script: String) -> String {
    let options = leadingOptions.map { "--" + $0 }.joined(separator: " ")
    let parsed = "    __reminders_offer_flags_options 0\n"
    return replacingFirst(
      "local -a non_repeating_options=()", "local -a non_repeating_options=(\(options))",
      in: replacingFirst(parsed, parsed + valuesInBash, in: script))
  }

  /// What the options can say where no command stands before them.
  private static var valuesInBash: String {
    """

        if [[ "${#unparsed_words[@]}" -eq 0 ]]; then
            case "${prev}" in
            --data-dir|--cloud)
                __reminders_add_completions -d
                return
                ;;
            --color)
                __reminders_add_completions -W $'\(colors.joined(separator: "\\n"))'
                return
                ;;
            --account|--device)
                return
                ;;
            esac
        fi

    """
  }

  private static func withLeadingOptionsOfZsh(_ script: String) -> String {
    let lines = script.components(separatedBy: "\n")
    let options = leadingOptions.compactMap { option in
      lines.first { $0.contains("'--\(option)[") }.map { line in
        // The values are a variable of that command.
        option == "color"
          ? line.replacing(
            /{__reminders_complete .*}/, with: "(\(colors.joined(separator: " ")))") : line
      }
    }
    let first = "        '--version["
    return replacingFirst(first, (options + [first]).joined(separator: "\n"), in: script)
  }

  private static func withLeadingOptionsOfFish(_ script: String) -> String {
    let condition = "__reminders_should_offer_completions_for_flags_or_options \"reminders"
    let lines = script.components(separatedBy: "\n")
    let options = leadingOptions.compactMap { option in
      lines.first { $0.contains("\(condition) add\" \(option)' -l '\(option)'") }
        .map { $0.replacing("\(condition) add\"", with: "\(condition)\"") }
    }
    let first = "complete -c 'reminders' -n '\(condition)\" version' "
    let parsing = "__reminders_parse_subcommand 0 'version' 'h/help'"
    let parsed = leadingOptions.map { "'\($0)='" }.joined(separator: " ")
    return replacingFirst(
      parsing, parsing + " " + parsed,
      in: replacingFirst(first, (options + [first]).joined(separator: "\n"), in: script))
  }

  private static func replacingFirst(
    _ part: String, _ replacement: String, in script: String
  ) -> String {
    script.firstRange(of: part).map { script.replacingCharacters(in: $0, with: replacement) }
      ?? script
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
