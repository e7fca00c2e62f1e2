import Foundation
import Testing

@testable import RemindersCLI

@Suite struct FailureTests {
  @Test(
    arguments: [
      (["frobnicate"], 64), (["list", "--nope"], 64), (["list", "--smart", "someday"], 64),
      (["list", "--list", "A", "--tag", "b"], 66), (["list", "--tag", "b"], 66),
      (["list", "list:A"], 66), (["search", "tag:b"], 66), (["list", "due<blurb"], 64),
      (["add", "Milk", "@Nowhere"], 66), (["help", "nope"], 64), (["undo"], 66), (["add"], 64),
      (["add", "  "], 64),
      (["add", "X", "--due", "blurb"], 64), (["add", "X", "--notes", "-1d"], 64),
      (["add", "X", "--repeat", "every mon until 2020-01-01"], 64),
      (["add", "X", "--url", "javascript:1"], 64),
      (["add", "X", "--priority", "urgent"], 64),
      (["edit", "abc", "--title", "X"], 64), (["edit", "abcd"], 64), (["done"], 64),
      (["lists", "add", ""], 64), (["lists", "add", "X", "--color", "mauve"], 64),
      (["tags", "rename", "x"], 64), (["--account", "No Such", "sync"], 64),
      (["--color", "mauve", "list"], 64), (["--data-dir"], 64),
      (["sync", "--watch", "--json"], 64),
      (["list", "-flagged"], 64), (["searches", "save", "x", "list:nope"], 66),
      (["check", "--cloud"], 69),
      (["add", "X", "--list", "Nowhere"], 66), (["edit", "abcd", "--title", "X"], 66),
      (["done", "abcd"], 66), (["undone", "abcd"], 66), (["skip", "abcd"], 66),
      (["delete", "abcd"], 66),
      (["show", "abcd"], 66), (["list", "--list", "Nowhere"], 66),
      (["lists", "edit", "Nowhere", "--title", "X"], 66), (["lists", "delete", "Nowhere"], 66),
      (["tags", "rename", "nothing", "x"], 66), (["tags", "delete", "nothing"], 66),
      (["--data-dir", "/proc/nope", "list"], 73), (["--cloud", "/proc/nope", "sync"], 69),
      (["--cloud", "/etc/passwd", "sync"], 64), (["--cloud", "/etc/passwd/x", "sync"], 64),
      (["--cloud", "s3://bucket?nonsense=1", "list"], 64), (["--cloud", "s3://ab", "list"], 64),
      (["--cloud", "ssh://host/~ben/cloud", "list"], 64), (["--cloud", "ssh://host", "list"], 64),
      (["--cloud", "postgres://ann@host:x/cloud", "list"], 64),
      (["--cloud", "s3://bucket", "sync"], 77),
      (["--help"], 0), (["--version"], 0), (["help", "add"], 0),
    ] as [([String], Int32)])
  func `bad input has its exit code and a message on standard error`(
    arguments: [String], status: Int32
  ) throws {
    let result = try Program().run(arguments)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.isEmpty == (status != 0))
    #expect(result.errors.isEmpty == (status == 0))
  }

  @Test func `what looks like an option, or like a lost disk, comes with a way out`() throws {
    let program = try Program()
    #expect(try program.run("list", "-flagged").errors.hasSuffix("of the search: -- -flagged\n"))
    let check = try program.run("check", "--cloud")
    #expect(check.errors.contains("`reminders sync` makes a cloud that is not there yet"))
    #expect(!check.errors.contains("mounted"))
  }

  @Test func `a place of scp is not made a directory, and its address by ssh is said`() throws {
    let program = try Program()
    for (typed, address) in [
      ("ann@box:/srv/cloud", "ssh://ann@box/srv/cloud"), ("box:cloud", "ssh://box/~/cloud"),
      ("box.example:~/cloud", "ssh://box.example/~/cloud"),
    ] {
      for arguments in [["--cloud", typed, "sync"], ["cloud", "copy", "/srv/cloud", typed]] {
        let refused = try program.run(arguments)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("By ssh it is \(address);"), "\(refused.errors)")
      }
    }
    let named = program.directory.appending(path: "ann@box:cloud").path
    #expect(try program.run("--cloud", named, "sync").status == 0)
  }

  @Test func `each shell completes after an option that stands before the command`() throws {
    func script(_ shell: String) throws -> String {
      try Program().run("--generate-completion-script", shell).output
    }
    let bash = try script("bash")
    #expect(bash.contains("local -a non_repeating_options=(--data-dir "))
    #expect(bash.contains(#"$'auto\nalways\nnever'"#))
    let zsh = try #require(try script("zsh").components(separatedBy: "->command").first)
    let fish = try script("fish")
    let top = try #require(fish.firstMatch(of: #/case 'reminders'\n *(.*)\n/#)).1
    for option in ["data-dir", "cloud", "account", "device", "color"] {
      #expect(zsh.contains("'--\(option)["), "\(option)")
      #expect(top.contains("'\(option)='"), "\(option)")
      #expect(fish.contains(#""reminders" \#(option)' -l '\#(option)'"#), "\(option)")
    }
    #expect(!fish.contains("non_repeating_options"))
  }

  @Test func `every exit code is in the help and in the README`() throws {
    let codes = Failure.codes.map(\.code)
    #expect(codes == [1, 64, 66, 69, 73, 75, 77], "scripts rely on them")
    let readme = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    for text in [
      try Program().run("--help").output, try String(contentsOf: readme, encoding: .utf8),
    ] {
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let all = Failure.help.dropFirst("Exit codes: ".count)
      #expect(words.contains(all), "\(all)")
    }
  }

  @Test(arguments: [
    ["add", "X", "--list", "Nowhere", "--json"], ["list", "--nope", "--json"],
    ["show", "abcd", "--json"], ["list", "--data-dir", "/proc/nope", "--json"],
    ["sync", "--cloud", "/proc/nope", "--json"],
  ])
  func `with --json an error is JSON too`(arguments: [String]) throws {
    let result = try Program().run(arguments)
    let error = try #require(try Program.json(result.errors) as? [String: Any])
    #expect((error["error"] as? String)?.isEmpty == false)
    #expect(error["exitCode"] as? Int == Int(result.status))
    #expect(result.output.isEmpty)
  }

  @Test(arguments: [
    ["list", "--json"], ["list"], ["add", "Milk"], ["export"], ["status"], ["lists", "--json"],
    ["history"], ["check"], ["sync"], ["config", "--defaults"], ["keys", "--data-dir", "x"],
    ["--help"], ["help", "add"],
    ["--version"],
  ])
  func `what cannot be printed is no success`(arguments: [String]) throws {
    let program = try Program()
    try program.run("add", "Eggs")
    try program.run(
      "delete",
      #require(
        program.json(["list", "--json"], as: [[String: Any]].self)
          .first?["id"] as? String))
    try program.run("add", "Bread")
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let errors = program.directory.appending(path: "errors")
    try Data().write(to: errors)
    let process = try program.start(
      arguments, output: full, errors: FileHandle(forWritingTo: errors))
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 73)
    #expect(try String(contentsOf: errors, encoding: .utf8).contains("No space left on device"))
  }

  @Test func `what is done stays done though its output is lost, which says so`() throws {
    let program = try Program()
    let errors = program.directory.appending(path: "errors")
    try Data().write(to: errors)
    let process = try program.start(
      ["add", "Bread"], output: #require(FileHandle(forWritingAtPath: "/dev/full")),
      errors: FileHandle(forWritingTo: errors))
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    let text = try String(contentsOf: errors, encoding: .utf8)
    #expect(text.contains("Added “Bread”. The output could not be written whole."), "\(text)")
    #expect(try program.run("list").output.contains("Bread"))
  }

  @Test func `a value that begins with a hyphen needs an equals sign, as the error says`() throws {
    let program = try Program()
    #expect(try program.run("add", "X", "--notes", "-1d").errors.contains("--notes=-1d"))
    #expect(try program.run("add", "X", "--notes", "-1d", "--json").errors.contains("--notes=-1d"))
    #expect(try program.run("add", "X", "--notes=-1d").status == 0)
    // Of a date it is an ordinary beginning.
    #expect(try program.run("add", "X", "--due", "-1d").status == 0)
    #expect(try program.run("add", "X", "--due", "--json").status == 64)
  }

  @Test func `a moment that begins with a hyphen is no option`() throws {
    let program = try Program()
    let line = try program.run("add", "Call", "mum", "fri", "9am", "remind", "-1h")
    #expect(line.status == 0)
    #expect(line.output.contains("Call mum"), "\(line.output)")
    #expect(line.output.contains("alarm 1h before"), "\(line.output)")
    let option = try program.run("add", "Ring", "--due", "fri 9am", "--alarm", "-10m")
    #expect(option.output.contains("alarm 10m before"), "\(option.output)")
    let title = try program.run("add", "--literal", "Below", "-5h", "-10")
    #expect(title.output.contains("Below -5h -10"), "\(title.output)")
    // Announced later, and not before.
    #expect(try program.run("snooze", "abcd", "-1h").output.contains("OVERVIEW") == false)
    #expect(try program.run("add", "-h").output.contains("OVERVIEW"))
    #expect(try program.run("add", "--", "-h").output.contains("-h"))
  }

  @Test(
    arguments: [
      (["show", "abcd"], 66), (["list", "--nope"], 64), (["tags", "delete", "x"], 0),
      (["sync", "--json", "--cloud", "/proc/nope"], 69),
    ] as [([String], Int32)])
  func `what cannot be said ends no command`(arguments: [String], status: Int32) throws {
    let program = try Program()
    try program.run("add", "Eggs", "--tag", "x")
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let process = try program.start(arguments, errors: full)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == status)
  }

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func `nothing is written into the files that take the place of closed ones`(
    closed: String
  ) throws {
    let program = try Program()
    try program.run("add", "Eggs")
    for command in ["list", "add Milk", "sync", "export", "show abcd"] {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec \(program.executable.path) \(command) \(closed)"]
      process.environment = program.environment
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      let expected =
        command == "show abcd" ? 66 : closed.contains(" >&-") || closed == ">&-" ? 73 : 0
      #expect(process.terminationStatus == Int32(expected), "\(command)")
    }
    #expect(try program.run("list").lines.count == 2)
    #expect(try program.run("check", "--cloud").status == 0)
  }

  @Test func `a beginning of several ids is refused`() throws {
    let program = try Program()
    try program.run("add", "One")
    try program.sql(
      """
      INSERT INTO reminders (id, title, remindersListID)
      SELECT column1, column1, id FROM remindersLists, (VALUES ('same-1'), ('same-2'))
      """)
    let result = try program.run("done", "same")
    #expect(result.status == 66)
    #expect(result.errors.contains("several"))
    #expect(try program.run("done", "same-1").status == 0)
  }

  @Test func `a file that is no database is refused and left alone`() throws {
    let program = try Program()
    try FileManager.default.createDirectory(
      at: program.dataDirectory, withIntermediateDirectories: true)
    let file = program.dataDirectory.appending(path: "reminders.sqlite")
    let text = Data(String(repeating: "not a database\n", count: 300).utf8)
    try text.write(to: file)
    let result = try program.run("list")
    #expect(result.status == 1)
    #expect(result.errors.contains("not a database"))
    #expect(result.errors.contains("--data-dir"))
    #expect(try Data(contentsOf: file) == text)
  }

  @Test func `a data directory that is a file is refused`() throws {
    let program = try Program()
    try Data("x".utf8).write(to: program.dataDirectory)
    #expect(try program.run("list").status == 73)
  }

  @Test func `the demo says that it needs tmux`() throws {
    let program = try Program()
    let result = try program.run("demo", environment: ["PATH": program.directory.path])
    #expect(result.status == 1)
    #expect(result.errors.contains("apt install tmux"))
  }
}
