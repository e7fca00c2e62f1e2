import Foundation
import Testing

/// What is easily typed by mistake, or read wrongly, on the command line.
@Suite struct MistakeTests {
  private func add(_ program: Program, _ words: String...) throws -> String {
    let made: [String: Any] = try program.json(["add", "--json"] + words)
    return try #require(made["id"] as? String)
  }

  @Test func `an empty value clears no field`() throws {
    let program = try Program()
    let id = try add(program, "Tea", "--due", "tomorrow", "--repeat", "every day")
    for option in ["--due", "--alarm", "--repeat", "--parent", "--priority"] {
      let result = try program.run("edit", id, option, "")
      #expect(result.status == 64, "\(option)")
      #expect(option == "--priority" || result.errors.contains("\(option) none"), "\(option)")
    }
    let shown: [String: Any] = try program.json(["show", id, "--json"])
    #expect(shown["dueDate"] is String && shown["recurrence"] is String)
    #expect(try program.run("edit", id, "--notes", "", "--url", "").status == 0)
  }

  @Test func `a repeat says when it begins, once`() throws {
    let program = try Program()
    let phrase = "every monday 9am starting 2031-01-01"
    let id = try add(program, "Gym", "-r", phrase)
    let shown: [String: Any] = try program.json(["show", id, "--json"])
    #expect((shown["dueDate"] as? String)?.hasPrefix("2031-01-06T09:00:00") == true)
    for words in [["add", "Gym", "--due", "fri"], ["edit", id, "--due", "fri"]] {
      let result = try program.run(words + ["--repeat", phrase])
      #expect(result.status == 64 && result.errors.contains("both say when it is due"))
    }
    #expect(try program.run("edit", id, "--no-due", "--repeat", phrase).status == 64)
    #expect(try program.run("edit", id, "--repeat", "every monday 10am").status == 0)
    let later: [String: Any] = try program.json(["show", id, "--json"])
    #expect((later["dueDate"] as? String)?.hasPrefix("2031-01-06T10:00:00") == true)
  }

  @Test func `a rule that moves the date says so, and undo takes back both`() throws {
    let program = try Program()
    let id = try add(program, "Bins", "--due", "2031-01-06", "--repeat", "every week")
    let edited = try program.run("edit", id, "--repeat", "every friday")
    #expect(edited.errors == "It is due Fri 10 Jan 2031 now, the first of every Fri.\n")
    #expect(edited.output.contains("Fri 10 Jan 2031"))
    #expect(try program.run("undo").status == 0)
    let shown: [String: Any] = try program.json(["show", id, "--json"])
    #expect(shown["dueDate"] as? String == "2031-01-06")
    #expect(shown["recurrence"] as? String == "++ FREQ=WEEKLY;BYDAY=MO")
  }

  @Test func `commas stand between tags, also of those that are looked for or taken off`() throws {
    let program = try Program()
    let id = try add(program, "Tea", "--tag", "home,town;garden")
    #expect(try program.run("list", "--tag", "home,town").output.contains("Tea"))
    let gone = try program.run("list", "--tag", "home,gone")
    #expect(gone.status == 66 && gone.errors.contains("There is no tag #gone."))
    #expect(try program.run("edit", id, "--untag", "home, #garden").status == 0)
    let shown: [String: Any] = try program.json(["show", id, "--json"])
    #expect(shown["tags"] as? [String] == ["town"])
    let refused = try program.run("tags", "rename", "town", "a,b")
    #expect(refused.status == 64 && refused.errors.contains("separate tags"))
  }

  @Test func `the value of a short option may follow it at once`() throws {
    let program = try Program()
    try program.run("lists", "add", "Work")
    let made: [String: Any] = try program.json([
      "add", "--json", "Call", "-d2031-01-06", "-revery week", "-phigh", "-lWork",
    ])
    #expect(made["dueDate"] as? String == "2031-01-06" && made["priority"] as? String == "high")
    #expect((made["list"] as? [String: Any])?["title"] as? String == "Work")
    #expect(made["recurrence"] as? String == "++ FREQ=WEEKLY;BYDAY=MO")
    // What is meant for a long option is no value.
    for words in [["-due", "fri"], ["-list", "Work"], ["-repeat", "every day"], ["-tag", "x"]] {
      #expect(try program.run(["add", "Call"] + words).status != 0, "\(words)")
    }
  }

  @Test func `never beside another alarm is refused with a sentence`() throws {
    let program = try Program()
    let result = try program.run("add", "Call", "fri", "9am", "remind", "never", "and", "10m")
    #expect(result.status == 64 && result.errors.contains("contradict each other"))
    let twice = try program.run(
      "add", "Call", "--due", "fri 9am", "--alarm", "never", "--alarm", "10m before")
    #expect(twice.status == 64 && twice.errors.contains("contradict each other"))
  }

  @Test func `an alarm that goes by the due date goes with it`() throws {
    let program = try Program()
    let id = try add(program, "Tea", "--due", "tomorrow 9am", "--alarm", "10m before")
    #expect(try program.run("edit", id, "--no-due").status == 0)
    let shown: [String: Any] = try program.json(["show", id, "--json"])
    #expect((shown["alarms"] as? [Any])?.isEmpty != false)
  }

  @Test func `a subtask in another list than its parent is refused`() throws {
    let program = try Program()
    try program.run("lists", "add", "Other")
    try program.run("lists", "add", "Move")
    let parent = try add(program, "Move house", "-l", "Move")
    #expect(try program.run("add", "--parent", parent, "-l", "Other", "Boxes").status == 64)
    #expect(try program.run("add", "--parent", parent, "Boxes @Other").status == 64)
    #expect(try program.run("add", "--parent", parent, "-l", "Move", "Boxes").status == 0)
    #expect(try program.run("add", "--parent", parent, "Tape").status == 0)
  }

  @Test func `the end of a series is not told as its next occurrence`() throws {
    let program = try Program()
    let id = try add(program, "Party", "--repeat", "every 9999 years")
    #expect(try !program.run("done", id).errors.contains("comes again"))
    let again = try add(program, "Bins", "--repeat", "every day")
    #expect(try program.run("done", again).errors.contains("comes again: tomorrow"))
  }

  @Test func `a list of tomorrow says that it is`() throws {
    let program = try Program()
    _ = try add(program, "Tea", "--due", "tomorrow")
    #expect(try program.run("list", "--smart", "today").errors.contains("Tomorrow:"))
    _ = try add(program, "Milk", "--due", "today")
    #expect(try program.run("list", "--smart", "today").errors == "")
  }

  @Test func `a long title is told in part`() throws {
    let program = try Program()
    let id = try add(program, "Tea")
    try program.sql("UPDATE reminders SET title = printf('%.*c', 1500000, 'x')")
    #expect(try program.run("done", id).errors.count < 1000)
    #expect(try program.run("undo").errors.count < 1000)
  }

  @Test func `undo leaves what was edited since, and says so`() throws {
    let program = try Program()
    let id = try add(program, "Draft")
    try program.sql("UPDATE reminders SET notes = 'more'")
    let result = try program.run("undo")
    #expect(result.status == 66 && result.errors.contains("1 reminder was edited since"))
    #expect(try program.run("show", id).status == 0)
  }

  @Test func `help knows itself`() throws {
    #expect(try Program().run("help", "help").status == 0)
  }

  /// All commands, also those within others.
  @Test func `the help of each command has an example`() throws {
    let program = try Program()
    func check(_ path: [String]) throws {
      let result = try program.run(["help"] + path)
      #expect(result.status == 0, "\(path)")
      let names = subcommands(of: result.output)
      if names.isEmpty {
        let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("For example"), "reminders \(path.joined(separator: " "))")
      }
      for name in names where name != "help" { try check(path + [name]) }
    }
    try check([])
  }

  /// The names of the commands that a page of help lists.
  private func subcommands(of help: String) -> [String] {
    var isList = false
    return help.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      if line.hasSuffix("SUBCOMMANDS:") { isList = true }
      if line.isEmpty { isList = false }
      guard isList, line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
      return line.split(whereSeparator: { " ,".contains($0) }).first.map(String.init)
    }
  }
}
