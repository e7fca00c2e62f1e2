import Foundation
import Testing

/// Announcements on the command line, by the built program.
@Suite struct NotifyTests {
  /// A program with a desktop of its own: a `notify-send` that keeps what it is given, and answers.
  private struct Desktop {
    let program: Program
    private let shown: URL

    /// - Parameter script: What it does after that.
    init(_ program: Program, script: String = "exit 0") throws {
      self.program = program
      let directory = try program.makeDirectory("bin")
      shown = program.directory.appending(path: "shown")
      let file = directory.appending(path: "notify-send")
      let text = """
        #!/bin/sh
        for word in "$@"; do printf '%s\\0' "$word" >> '\(shown.path)'; done
        printf '\\n\\0' >> '\(shown.path)'
        \(script)
        """
      try Data(text.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    var environment: [String: String] {
      [
        "PATH": program.directory.appending(path: "bin").path + ":/usr/bin:/bin",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      ]
    }

    /// The words of each call.
    func calls() throws -> [[String]] {
      let text = String(decoding: try Data(contentsOf: shown), as: UTF8.self)
      return text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        .split(separator: "\n").map(Array.init).filter { !$0.isEmpty && $0 != [""] }
    }
  }

  private func add(_ title: String, _ program: Program, due: String = "1 minute ago") throws
    -> String
  {
    let made: [String: Any] = try program.json([
      "add", "--literal", "--due", due, "--json", "--", title,
    ])
    return try #require(made["id"] as? String)
  }

  @Test func `what is due is announced once, also as JSON`() throws {
    let program = try Program()
    let id = try add("Call the plumber", program)
    let later = try add("Later", program, due: "in 1 hour")
    let printed: [[String: Any]] = try program.json(["notify", "--once", "--json"])
    #expect(printed.map { $0["id"] as? String } == [id])
    #expect(printed[0]["alarmAt"] as? String == printed[0]["dueDate"] as? String)
    #expect(try program.run("notify", "--once").output == "")
    try program.run("edit", later, "--due", "2 minutes ago")
    #expect(try program.run("notify", "--once").output == "", "moved to a time that is over")
    _ = try add("Late", program, due: "2 minutes ago")
    let lines = try program.run("notify", "--once").lines
    #expect(lines.count == 1 && lines[0].hasPrefix("Late · due today "))
    #expect(try program.run("notify", "--once", "--install").status == 64)
    #expect(try program.run("notify", "--json").status == 64)
  }

  @Test func `what one device announces, no other does a moment later`() throws {
    let desk = try Program()
    let sofa = Program(beside: desk, device: "sofa")
    _ = try add("Tea", desk)
    try desk.run("sync")
    #expect(try sofa.run("notify", "--once").lines.count == 1)
    #expect(try desk.run("notify", "--once").output == "")
  }

  /// A desktop that never takes it: then it is a line.
  @Test(.timeLimit(.minutes(2)))
  func `a program that hangs is not waited for`() async throws {
    let desktop = try Desktop(Program(), script: "exec sleep 1000")
    _ = try add("Tea", desktop.program)
    let result = try desktop.program.run(
      "notify", "--once", environment: desktop.environment)
    #expect(result.status == 0 && result.lines.count == 1, "\(result.errors)")
  }

  @Test(arguments: [[], ["--json"]])
  func `what could not be written is announced again`(options: [String]) throws {
    let program = try Program()
    _ = try add("Tea", program)
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let process = try program.start(["notify", "--once"] + options, output: full)
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    #expect(try program.run("notify", "--once").output.contains("Tea"))
    #expect(try program.run("notify", "--once").output == "")
  }

  @Test func `another device announces it not again, and a snooze moves it on all`() throws {
    let desk = try Program()
    let sofa = Program(beside: desk, device: "sofa")
    let id = try add("Tea", desk)
    for program in [desk, sofa] { try program.run("sync") }
    #expect(try desk.run("notify", "--once").lines.count == 1)
    for program in [desk, sofa] { try program.run("sync") }
    #expect(try sofa.run("notify", "--once").output == "")
    let snoozed = try sofa.run("snooze", id, "1h")
    #expect(snoozed.status == 0 && snoozed.errors.hasPrefix("Snoozed “Tea” until "))
    for program in [sofa, desk] { try program.run("sync") }
    #expect(try desk.run("notify", "--once").output == "")
    #expect(try sofa.run("undo").errors == "Undone: Snoozed “Tea”\n")
    let ended = try sofa.run("snooze", id, "none")
    #expect(ended.errors == "Nothing to change.\n")
    #expect(try desk.run("snooze", "nothing").status == 66)
    #expect(try desk.run("snooze", id, "yesterday").status == 64)
    let reminder: [String: Any] = try desk.json(["snooze", id, "--json"])
    #expect(reminder["title"] as? String == "Tea")
    let old = Program(beside: desk, device: "attic")
    #expect(try old.run("--schema", "2", "sync").status == 0)
    #expect(try old.run("--schema", "2", "list").output.contains("Tea"))
    #expect(try old.run("--schema", "2", "notify", "--once").output == "")
    #expect(try old.run("--schema", "2", "snooze", id).status == 64)
  }

  @Test func `alarms are set by words and options, and printed`() throws {
    let program = try Program()
    let made: [String: Any] = try program.json(
      ["add", "Call tomorrow 9am remind 10m before and 1d before", "--json"])
    let id = try #require(made["id"] as? String)
    #expect(made["alarms"] as? [String] == ["-P1D", "-PT10M"])
    #expect(try program.run("show", id).output.contains("1d before, 10m before"))
    let edited: [String: Any] = try program.json(
      ["edit", id, "--alarm", "8am", "--alarm", "the day before 20:00", "--json"])
    #expect(edited["alarms"] as? [String] == ["-P1D 20:00", "08:00"])
    let none: [String: Any] = try program.json(["edit", id, "--alarm", "none", "--json"])
    #expect(none["alarms"] as? [String] == [])
    #expect(try program.run("edit", id, "--alarm", "soon").status == 64)
    #expect(try program.run("--schema", "2", "list").status == 64)
  }

  @Test func `it waits for what others add, and ends at once when it is told to`() throws {
    let program = try Program()
    let output = Pipe()
    let notifier = try program.start(
      ["notify"], output: output.fileHandleForWriting)
    _ = try add("First", program)
    func line() -> String {
      String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
    #expect(line().hasPrefix("First · due today"))
    let refused = try program.run("notify")
    #expect(refused.status == 1 && refused.errors.contains("Another `reminders notify` runs"))
    _ = try add("Second", program)
    #expect(line().hasPrefix("Second · due today"))
    notifier.terminate()
    notifier.waitUntilExit()
    #expect(notifier.terminationReason == .uncaughtSignal && notifier.terminationStatus == SIGTERM)
    #expect(try program.run("notify", "--once").output == "", "never twice after a restart")
  }

  @Test func `hostile titles reach the desktop and the terminal as text`() throws {
    let program = try Program()
    let desktop = try Desktop(program)
    let title = "--help <b>%s</b> & \\n \u{1B}[31m\u{202E}x"
    _ = try add(title, program)
    let once = try program.run(["notify", "--once"], environment: desktop.environment)
    #expect(once.status == 0 && once.output == "")
    let call = try #require(try desktop.calls().first)
    let end = try #require(call.firstIndex(of: "--"))
    #expect(call[end + 1] == "--help <b>%s</b> & \\n \u{FFFD}[31m\u{FFFD}x")
    try program.run("lists", "add", "<i>A</i> & \\n")
    let other: [String: Any] = try program.json([
      "add", "--list", "<i>A</i> & \\n", "--due", "1 minute ago", "--json", "--literal", "--", "-x",
    ])
    #expect(other["title"] as? String == "-x")
    try program.run(["notify", "--once"], environment: desktop.environment)
    let second = try #require(try desktop.calls().last)
    #expect(second.suffix(2).first == "-x")
    #expect(second.last?.hasSuffix("&lt;i&gt;A&lt;/i&gt; &amp; \\\\n") == true)
    // Where the desktop does not answer, it is a line.
    _ = try add("\u{1B}[31mred", program)
    let broken = try Desktop(program, script: "exit 1")
    let line = try program.run(["notify", "--once"], environment: broken.environment)
    #expect(line.output.hasPrefix("\u{FFFD}[31mred · due"))
  }

  @Test func `many are announced together`() throws {
    let program = try Program()
    let desktop = try Desktop(program)
    for number in 1...5 { _ = try add("Tea \(number)", program) }
    try program.run(["notify", "--once"], environment: desktop.environment)
    let calls = try desktop.calls()
    #expect(calls.count == 1 && calls[0].suffix(2).first == "5 reminders are due")
  }

  @Test(arguments: ["done", "snooze"])
  func `the answer to a notification is carried out`(answer: String) throws {
    let program = try Program()
    let desktop = try Desktop(program, script: "echo \(answer)")
    _ = try add("Tea", program)
    let notifier = try program.start(["notify"], environment: desktop.environment)
    defer {
      notifier.terminate()
      notifier.waitUntilExit()
    }
    // The second step that can be undone, after that of adding it.
    let step = program.dataDirectory.appending(path: "undo/2.json").path
    while !FileManager.default.fileExists(atPath: step) { try program.run("list") }
    let expected = answer == "done" ? "Undone: Completed “Tea”\n" : "Undone: Snoozed “Tea”\n"
    #expect(try program.run("undo").errors == expected)
    let actions = try #require(try desktop.calls().first).filter { $0.hasPrefix("--action=") }
    #expect(actions == ["--action=done=Done", "--action=snooze=Snooze 10m"])
  }

  @Test func `the unit of systemd is written and removed`() throws {
    let program = try Program()
    let home = try program.makeDirectory("config home %h $x")
    let environment = ["XDG_CONFIG_HOME": home.path]
    let installed = try program.run(["notify", "--install"], environment: environment)
    let file = home.appending(path: "systemd/user/reminders-notify.service")
    #expect(installed.lines.first == "Wrote \(file.path)")
    #expect(installed.output.contains("systemctl --user enable --now reminders-notify.service"))
    #expect(installed.output.contains("reminders notify --uninstall"))
    let isBooted = FileManager.default.fileExists(atPath: "/run/systemd/system")
    #expect(installed.errors.contains("systemd does not run here") == !isBooted)
    let unit = try String(contentsOf: file, encoding: .utf8)
    let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    #expect(line.contains("/reminders\" \"notify\" \"--data-dir\" \""))
    #expect(line.contains("\"\(program.dataDirectory.path)\""))
    #expect(try program.run(["notify", "--install"], environment: environment).status == 0)
    #expect(try program.run(["notify", "--uninstall"], environment: environment).status == 0)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(try program.run(["notify", "--uninstall"], environment: environment).status == 66)
    try Data("[Unit]\n".utf8).write(to: file)
    #expect(try program.run(["notify", "--install"], environment: environment).status == 73)
    #expect(try program.run(["notify", "--uninstall"], environment: environment).status == 77)
  }

  @Test func `paths are quoted as systemd reads them`() throws {
    let program = try Program()
    let environment = ["XDG_CONFIG_HOME": program.directory.path]
    try program.run(
      ["notify", "--install", "--data-dir", "/tmp/a b%h$c\"d\\e"], environment: environment)
    let file = program.directory.appending(path: "systemd/user/reminders-notify.service")
    let unit = try String(contentsOf: file, encoding: .utf8)
    #expect(unit.contains("\"--data-dir\" \"/tmp/a b%%h$$c\\\"d\\\\e\""))
  }

  private static let verifier = "/usr/bin/systemd-analyze"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: verifier), "needs the package systemd"))
  func `systemd finds nothing wrong with the unit`() throws {
    let program = try Program()
    let environment = ["XDG_CONFIG_HOME": program.directory.path]
    try program.run(
      ["notify", "--install", "--data-dir", "/tmp/a b%h$c\"d\\e"], environment: environment)
    let process = Process()
    process.executableURL = URL(filePath: Self.verifier)
    process.arguments = [
      "--user", "verify",
      program.directory.appending(path: "systemd/user/reminders-notify.service").path,
    ]
    process.environment = program.environment.merging(
      ["XDG_RUNTIME_DIR": program.directory.path]) { $1 }
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let found = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // It says what is wrong with other units of the machine, too.
    #expect(process.terminationStatus == 0 && !found.contains("reminders-notify"), "\(found)")
  }

  /// The session of systemd has no variables of a shell.
  @Test func `the unit has the directories that variables name`() throws {
    let program = try Program()
    let environment = [
      "REMINDERS_DATA_DIR": "", "XDG_DATA_HOME": program.directory.path + "/data $x%h",
      "XDG_CONFIG_HOME": program.directory.path, "XDG_STATE_HOME": "relative",
    ]
    #expect(try program.run(["notify", "--install"], environment: environment).status == 0)
    let file = program.directory.appending(path: "systemd/user/reminders-notify.service")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("Environment=") } == [
        "Environment=\"XDG_DATA_HOME=\(program.directory.path)/data $x%%h\"",
        "Environment=\"XDG_CONFIG_HOME=\(program.directory.path)\"",
      ])
    #expect(!lines.contains { $0.contains("--data-dir") })
  }

  @Test func `a completion that an app has left over is made, and the series goes on`() throws {
    let program = try Program()
    let id = try add("Bins", program, due: "tomorrow 9am")
    try program.run("edit", id, "--repeat", "every day")
    let leave = "UPDATE reminders SET status = 1, updatedAt = updatedAt - 60000"
    for command in [["notify", "--once"], ["sync"]] {
      try program.sql(leave)
      #expect(try program.run(command).status == 0)
      let shown: [String: Any] = try program.json(["show", id, "--json"])
      #expect(shown["status"] as? String == "incomplete", "\(command)")
    }
    let completed: [[String: Any]] = try program.json(["list", "--smart", "completed", "--json"])
    #expect(completed.count == 2)
  }
}
