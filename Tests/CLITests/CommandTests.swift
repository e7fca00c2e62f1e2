import Foundation
import Testing

@Suite struct CommandTests {
  typealias Object = [String: Any]

  @Test func `what is typed is completed from the data, and never a command`() throws {
    let program = try Program()
    func complete(
      _ command: String, _ argument: String, _ words: [String], in shell: String? = nil
    ) throws -> [String] {
      let path = command.split(separator: " ").map(String.init)
      let line = ["reminders"] + path + words
      let last = try #require(words.last)
      let result = try program.run(
        ["---completion"] + path + ["--", argument, "\(line.count - 1)", "\(last.count)"] + line,
        environment: shell.map { ["SAP_SHELL": $0] } ?? [:])
      #expect(result.status == 0, "\(result.errors)")
      return result.output.split(separator: "\n").map(String.init)
    }
    #expect(try complete("list", "--list", ["--list", ""]).isEmpty)
    let file = program.dataDirectory.appending(path: "reminders.sqlite")
    #expect(!FileManager.default.fileExists(atPath: file.path), "a key makes no data")
    for name in ["Summer: house", "Family", "family", "It's", "$(id)", "`id`"] {
      try program.run("lists", "add", name)
    }
    let added: Object = try program.json([
      "add", "Call: mum", "-t", "home", "-t", "ärger", "--json",
    ])
    let id = try String(#require(added["id"] as? String).prefix(8))
    #expect(
      try complete("list", "--list", ["--list", ""])
        == ["Summer: house", "Family#1", "family#2", "It's", "$(id)", "`id`"])
    // Bash would run the last two when the line is entered, though the script quotes them.
    #expect(
      try complete("lists edit", "positional@0", [""], in: "bash")
        == ["'Summer: house'", "'Family#1'", "'family#2'", #"'It'\''s'"#])
    #expect(
      try complete("list", "--list", ["--list", ""], in: "zsh").contains(#"Summer\: house"#))
    #expect(try complete("edit", "--tag", ["--tag", ""]) == ["ärger", "home"])
    #expect(
      try complete("done", "positional@0", [""], in: "fish") == ["\(id)\tCall: mum"])
    #expect(try complete("done", "positional@0", ["zz"]).isEmpty)
    #expect(try complete("undone", "positional@0", [""]).isEmpty)
    #expect(
      try complete("list", "--list", ["--data-dir", "/nowhere", "--list", ""]).isEmpty)
  }

  @Test func `add prints the reminder that list then shows`() throws {
    let program = try Program()
    let added: Object = try program.json([
      "add", "Milk & bread", "--due", "2026-12-25 18:00", "--priority", "high", "--flag",
      "--tag", "errand", "--tag", "#food", "--notes", "two\nlines", "--url", "https://example.org",
      "--json",
    ])
    #expect(
      Set(added.keys) == [
        "id", "title", "notes", "url", "dueDate", "isFlagged", "priority", "status", "list", "tags",
        "position", "createdAt", "updatedAt", "completedAt", "recurrence", "parentID",
        "alarms", "snoozedUntil",
      ])
    #expect(added["title"] as? String == "Milk & bread")
    #expect(added["dueDate"] as? String == "2026-12-25T18:00:00+01:00")
    #expect(added["priority"] as? String == "high")
    #expect(added["isFlagged"] as? Bool == true)
    #expect(added["status"] as? String == "incomplete")
    #expect(added["tags"] as? [String] == ["errand", "food"])
    #expect((added["list"] as? Object)?["title"] as? String == "Personal")
    let list: [Object] = try program.json(["list", "--json"])
    #expect(list.map { $0["id"] as? String } == [added["id"] as? String])
  }

  @Test func `words, options and lines say what to add`() throws {
    let program = try Program()
    try program.run("lists", "add", "Personal")
    try program.run("lists", "add", "Family")
    let added: Object = try program.json([
      "add", "Call", "the", "plumber", "25 dec", "9am", "#home", "!!", "@family", "-j",
    ])
    #expect(added["title"] as? String == "Call the plumber")
    #expect((added["dueDate"] as? String)?.hasSuffix("-12-25T09:00:00+01:00") == true)
    #expect(added["tags"] as? [String] == ["home"])
    #expect(added["priority"] as? String == "medium")
    #expect((added["list"] as? Object)?["title"] as? String == "Family")
    let plain: Object = try program.json(["add", "Watch friday #x !", "--literal", "-j"])
    #expect(plain["title"] as? String == "Watch friday #x !" && plain["dueDate"] is NSNull)
    let weekly: Object = try program.json(["add", "Bins", "every", "mon", "8am", "-j"])
    #expect(weekly["title"] as? String == "Bins")
    #expect(weekly["recurrence"] as? String == "++ FREQ=WEEKLY;BYDAY=MO")
    let chosen: Object = try program.json(["add", "Watch friday", "-d", "2026-12-01", "-j"])
    #expect(chosen["title"] as? String == "Watch friday")
    #expect(chosen["dueDate"] as? String == "2026-12-01")
    let many: [Object] = try program.json(
      ["add", "-", "-j"], input: "\u{FEFF}Bread #shop\n\n  Milk 2026-12-24\n")
    #expect(many.map { $0["title"] as? String } == ["Bread", "Milk"])
    #expect(many[1]["dueDate"] as? String == "2026-12-24")
    let wrong = try program.run(["add", "-"], input: "Eggs\nHam #_\n")
    #expect(wrong.errors.contains("an underscore. It says: Ham #_\n"))
    let refused = try program.run(["add", "-"], input: "Eggs\nHam @Nowhere\n")
    #expect(refused.status == 66 && refused.errors.contains("Ham @Nowhere"))
    #expect(try program.run("search", "eggs").output == "", "all or none")
  }

  @Test(arguments: ["", "BEGIN:VTODO\nSUMMARY:Te"])
  func `what is whole in a file that was cut is imported, and the rest is told`(
    rest: String
  ) throws {
    let program = try Program()
    let file = "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Milk\nEND:VTODO\n\(rest)"
    for (arguments, said) in [
      (["--dry-run"], "Would import 1 reminder."), (["--json"], "exitCode"),
      ([], "1 row known already"),
    ] {
      let result = try program.run(["import", "-"] + arguments, input: file)
      #expect(result.status == 1 && result.errors.contains(said))
      #expect(result.errors.contains("standard input is cut"))
    }
    #expect(try program.run("list").output.contains("Milk"))
    let whole = file + "\nEND:VTODO\nEND:VCALENDAR"
    #expect(try program.run(["import", "-"], input: whole).status == 0)
  }

  @Test func `what another program writes is imported`() throws {
    let program = try Program()
    let tasks = #"[{"uuid": "1", "description": "Milk"}]"#
    for file in ["-", "/dev/stdin"] {
      let result = try program.run(["import", file, "--dry-run"], input: tasks)
      #expect(result.status == 0 && result.errors == "Would import 1 reminder.\n")
    }
    let unclear = try program.run(["import", "-"], input: "Milk\n")
    #expect(unclear.status == 1 && unclear.errors.contains("--format"))
    #expect(try program.run(["import", "-", "--format", "todotxt"], input: "Milk\n").status == 0)
  }

  @Test func `the opposite of a part of a search is no option`() throws {
    let program = try Program()
    for line in ["Milk", "Bread !!"] { _ = try program.run("add", line) }
    try program.run("lists", "add", "Work")
    #expect(try program.run("search", "milk", "or", "bread", "-list:Work").lines.count == 2)
    #expect(try program.run("list", "-priority>=low").lines.count == 1)
    // What could be short options of it comes after --.
    #expect(try program.run("list", "-j", "--", "-has:priority", "milk").output.contains("Milk"))
    #expect(try program.run("search", "--", "-list:Work", "milk").lines.count == 1)
    #expect(try program.run("searches", "save", "Errands", "milk", "-list:Work").status == 0)
    #expect(try program.run("list", "--saved", "Errands").lines.count == 1)
    for wrong in ["--completd", "-x"] {
      let refused = try program.run("list", wrong)
      #expect(refused.status == 64 && refused.errors.contains(wrong), "\(refused.errors)")
    }
  }

  @Test func `the list that the first reminder makes can be named by an option, too`() throws {
    let program = try Program()
    let wrong = try program.run("add", "Pack", "--list", "Family")
    #expect(wrong.status == 66, "\(wrong.errors)")
    #expect(try program.run("add", "Milk", "--list", "personal").status == 0)
    #expect(try program.run("add", "Bread", "--list", "Personal").status == 0)
    #expect(try program.run("lists").lines.count == 1)
    #expect(try program.run("list").output.contains("Milk · Personal"))
  }

  @Test func `the list that the first reminder makes can be named before`() throws {
    let program = try Program()
    #expect(try program.run("lists").errors == "There are no lists; `add` makes “Personal”.\n")
    #expect(try program.run("lists").output == "")
    let added: Object = try program.json(["add", "Milk @personal tomorrow", "-j"])
    #expect(added["title"] as? String == "Milk")
    #expect((added["list"] as? Object)?["title"] as? String == "Personal")
    #expect(try program.run("add", "Bread @Nowhere").status == 66)
  }

  @Test func `an occurrence is skipped, and undo takes that back`() throws {
    let program = try Program()
    let id = try add(program, "Bins", "--due", "2031-01-01", "--repeat", "every week")
    let skipped: [Object] = try program.json(["skip", id, "--json"])
    #expect(skipped.map { $0["dueDate"] as? String } == ["2031-01-08"])
    #expect(try program.run("undo").errors == "Undone: Skipped “Bins” to Wed 8 Jan 2031\n")
    let shown: Object = try program.json(["show", id, "--json"])
    #expect(shown["dueDate"] as? String == "2031-01-01")
    let (done, label) = (try program.run("done", id).errors, "Completed “Bins”")
    #expect(done == "\(label)\n“Bins” comes again: Wed 8 Jan 2031\n")
    let edited = try program.run("edit", id, "--due", "2031-01-08 15:00").errors
    #expect(edited == "Those that follow are at 15:00, too.\n")
  }

  @Test func `ids can come from another command`() throws {
    let program = try Program()
    try add(program, "One")
    try add(program, "Two")
    let listed = try program.run("list").output
    let done: [Object] = try program.json(["done", "-", "-j"], input: listed)
    #expect(done.map { $0["status"] as? String } == ["completed", "completed"])
  }

  @Test func `edit changes what is named`() throws {
    let program = try Program()
    let id = try add(program, "Haircut", "--due", "fri", "--flag", "--tag", "town")
    try program.run("lists", "add", "Family")
    let edited: Object = try program.json([
      "edit", String(id.prefix(8)), "--title", "Barber", "--no-due", "--no-flag", "--untag", "town",
      "--tag", "soon", "--list", "family", "--priority", "low", "--json",
    ])
    #expect(edited["title"] as? String == "Barber")
    #expect(edited["dueDate"] is NSNull)
    #expect(edited["isFlagged"] as? Bool == false)
    #expect(edited["tags"] as? [String] == ["soon"])
    #expect((edited["list"] as? Object)?["title"] as? String == "Family")
    #expect(edited["priority"] as? String == "low")
    let again: Object = try program.json(["edit", id, "--priority", "none", "--json"])
    #expect(again["priority"] is NSNull)
  }

  @Test func `done, undone and delete take the beginnings of ids`() throws {
    let program = try Program()
    let one = try add(program, "One")
    let two = try add(program, "Two")
    #expect(try program.run("done", String(one.prefix(8)), two).status == 0)
    #expect(try program.run("list").output == "")
    #expect(try program.run("list", "--completed").lines.count == 2)
    #expect(try program.run("undone", two).status == 0)
    #expect(try program.run("list").lines.map { $0.contains("Two") } == [true])
    let deleted = try program.run("delete", one, two)
    #expect(deleted.status == 0)
    #expect(deleted.output == "")
    #expect(deleted.errors.contains("Deleted 2 reminders"))
    #expect(try program.run("list", "--completed").output == "")
  }

  @Test func `list and search choose and order`() throws {
    let program = try Program()
    try program.run("seed")
    func titles(_ arguments: String...) throws -> [String] {
      try program.json(arguments + ["--json"], as: [Object].self).compactMap {
        $0["title"] as? String
      }
    }
    #expect(try titles("list").count == 11)
    #expect(try titles("list", "--completed").count == 14)
    #expect(try titles("list", "--smart", "today").count == 5)
    #expect(try titles("list", "--smart", "completed").count == 3)
    #expect(try titles("list", "--tag", "#kids") == ["Pack the swimming bag"])
    #expect(
      try titles("list", "--list", "family", "--sort", "title") == [
        "Pack the swimming bag", "Plan the summer trip", "Present for grandma",
      ])
    #expect(
      try titles("list", "--list", "Family", "--sort", "priority").first
        == "Pack the swimming bag")
    #expect(try titles("search", "xray").isEmpty)
    #expect(try titles("search", "x-ray") == ["Dentist"])
    #expect(try titles("search", "evening").count == 1)
    #expect(try titles("search", "evening", "--completed").count == 2)
    #expect(try program.run("search", "--json", "--", "--\"*(").output == "[\n\n]\n")
  }

  @Test func `show tells everything about one reminder`() throws {
    let program = try Program()
    let id = try add(program, "Haircut", "--notes", "short\nplease", "--due", "2026-12-25")
    let shown = try program.run("show", id)
    #expect(shown.lines.first == "Haircut")
    #expect(shown.output.contains("Fri 25 Dec 2026"))
    #expect(shown.output.contains("\n\nshort\nplease\n"))
    #expect(try program.json(["show", id, "--json"], as: Object.self)["id"] as? String == id)
  }

  @Test func `lists are added, edited and deleted`() throws {
    let program = try Program()
    let added: Object = try program.json(["lists", "add", "Hiking", "--color", "#12ab34", "--json"])
    #expect(added["color"] as? String == "#12AB34")
    #expect(
      try program.run("lists", "edit", "hiking", "--title", "Walks", "--color", "red").status == 0)
    let lists: [Object] = try program.json(["lists", "--json"])
    #expect(lists.map { $0["title"] as? String } == ["Walks"])
    #expect(lists.map { $0["openCount"] as? Int } == [0])
    #expect(Set(lists[0].keys) == ["id", "title", "color", "position", "openCount"])
    #expect(try program.run("lists", "delete", "Walks").status == 0)
    #expect(try program.run("lists").output == "")
  }

  @Test func `tags are shown, renamed and deleted`() throws {
    let program = try Program()
    try add(program, "One", "--tag", "town")
    #expect(try program.run("tags", "rename", "town", "city").status == 0)
    let tags: [Object] = try program.json(["tags", "--json"])
    #expect(tags.map { $0["title"] as? String } == ["city"])
    #expect(tags.map { $0["openCount"] as? Int } == [1])
    #expect(try program.run("tags", "delete", "#city").status == 0)
    #expect(try program.run("tags").output == "")
  }

  @Test func `seed fills an empty database only`() throws {
    let program = try Program()
    #expect(try program.run("seed").status == 0)
    let again = try program.run("seed")
    #expect(again.status == 1)
    #expect(again.errors.contains("data already"))
  }

  @Test func `without a command and a terminal the open reminders are printed`() throws {
    let program = try Program()
    try add(program, "Haircut")
    let result = try program.run()
    #expect(result.status == 0)
    #expect(result.output == (try program.run("list").output))
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test func `colours are used when asked for, and what others wrote cannot make any`() throws {
    let program = try Program()
    try add(program, "Red \u{1B}[31malert", "--due", "2020-01-01")
    #expect(!(try program.run("list").output.contains("\u{1B}")))
    let colored = try program.run("--color", "always", "list").output
    #expect(colored.contains("\u{1B}[31m"))
    #expect(!colored.contains("\u{1B}[31malert"))
    #expect(!(try program.run("list", "--color", "never").output.contains("\u{1B}")))
  }

  @Test func `global options may stand before the command`() throws {
    let program = try Program()
    let other = program.directory.appending(path: "elsewhere").path
    #expect(try program.run("--data-dir", other, "add", "There").status == 0)
    #expect(try program.run("list").output == "")
    #expect(try program.run("--data-dir=\(other)", "list").lines.count == 1)
    #expect(try program.run("list", "--data-dir", other).lines.count == 1)
    #expect(try program.run("--color", "never", "lists", "add", "X", "--color", "red").status == 0)
  }

  @Test func `the data is where XDG says`() throws {
    let program = try Program()
    let environment = ["REMINDERS_DATA_DIR": "", "REMINDERS_CLOUD": ""]
    try program.run("add", "One", environment: environment)
    let home = program.directory.appending(path: ".local/share/reminders/reminders.sqlite")
    #expect(FileManager.default.fileExists(atPath: home.path))
    try program.run("sync", environment: environment)
    let log = program.directory.appending(path: ".local/state/reminders/sync.log")
    #expect(FileManager.default.fileExists(atPath: log.path))
    let data = program.directory.appending(path: "xdg")
    try program.run(
      "add", "One", environment: environment.merging(["XDG_DATA_HOME": data.path]) { $1 })
    #expect(
      FileManager.default.fileExists(
        atPath: data.appending(path: "reminders/reminders.sqlite").path))
  }

  @Test(arguments: ["", "relative", "."])
  func `a HOME that names no place gives way to the list of users`(home: String) throws {
    let environment = [
      "HOME": home, "REMINDERS_DATA_DIR": "", "XDG_CONFIG_HOME": "also/relative",
    ]
    let entry = try #require(getpwuid(getuid()))
    let directory = String(cString: entry.pointee.pw_dir)
    #expect(
      try Program().run("config", environment: environment).output
        == URL(filePath: directory).appending(path: ".config/reminders/config").path + "\n")
  }

  @Test func `what is kept is for its owner alone`() throws {
    let program = try Program()
    let environment = ["REMINDERS_DATA_DIR": ""]
    try program.run("add", "One", environment: environment)
    try program.run("sync", environment: environment)
    for path in [".local/share/reminders", ".local/state/reminders"] {
      let directory = program.directory.appending(path: path)
      let facts = try FileManager.default.attributesOfItem(atPath: directory.path)
      #expect(facts[.posixPermissions] as? Int == 0o700, "\(path)")
    }
  }

  @Test func `a log that has become too long is set aside, and goes on`() throws {
    let program = try Program()
    let log = program.dataDirectory.appending(path: "sync.log")
    try program.run("add", "One")
    try Data(repeating: UInt8(ascii: "x"), count: 1_100_000).write(to: log)
    #expect(try program.run("sync").status == 0)
    #expect(try Data(contentsOf: log.appendingPathExtension("1")).count == 1_100_000)
    #expect(try String(contentsOf: log, encoding: .utf8).contains("sentRecordZoneChanges"))
  }

  @Test func `the configuration has a place of its own, and its defaults change nothing`() throws {
    let program = try Program()
    let file = program.dataDirectory.appending(path: "config")
    #expect(try program.run("config").output == file.path + "\n")
    let elsewhere = ["REMINDERS_DATA_DIR": "", "XDG_CONFIG_HOME": "/etc/xdg"]
    #expect(
      try program.run("config", environment: elsewhere).output == "/etc/xdg/reminders/config\n")
    let defaults = try program.run("config", "--defaults").output
    #expect(defaults.contains("# set theme auto\n"))
    try program.run("seed")
    try Data((defaults + "set colour blue\n").utf8).write(to: file)
    let checked = try program.run("config")
    #expect(checked.status == 0)
    #expect(checked.errors.contains("There is no setting “colour”."))
  }

  @discardableResult
  private func add(_ program: Program, _ arguments: String...) throws -> String {
    let added: Object = try program.json(["add"] + arguments + ["--json"])
    return try #require(added["id"] as? String)
  }
}
