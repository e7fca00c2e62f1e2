import Foundation
import RemindersTestSupport
import Testing

/// Whatever the environment, the arguments and other devices say, the app ends by itself and
/// commands no terminal.
@Suite struct HostileTests {
  private static let variables = [
    "LANG", "LC_ALL", "LC_TIME", "LC_CTYPE", "LC_MESSAGES", "LANGUAGE", "TZ", "TERM", "COLORTERM",
    "NO_COLOR",
    "HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "LINES", "COLUMNS", "TMPDIR", "EDITOR", "PATH",
    "REMINDERS_DATA_DIR", "REMINDERS_CLOUD", "REMINDERS_ACCOUNT", "REMINDERS_DEVICE",
  ]

  /// As `printf` makes them.
  private static let values = [
    "", "%0100d", "%0100000d", "en_US@%0300d", "\\377\\376", "日本語", "../", "\\033[31m",
    "\\302\\233", "-1",
    "99999999999999999999",
  ]

  @Test(arguments: variables)
  func noVariableEndsTheProcess(variable: String) throws {
    let program = try Program()
    for value in Self.values {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      // Relative directories are made in the program's own.
      process.currentDirectoryURL = program.directory
      let script = "value=$(printf '\(value)'); export \(variable)=\"$value\"; exec \"$@\""
      process.arguments = ["-c", script, "sh", program.executable.path, "list", "--completed"]
      // With a locale of its own, the process looks at the others, too.
      let others = ["SWIFT_BACKTRACE": "enable=no", "LANG": "en_US.UTF-8"]
      process.environment = program.environment.merging(others) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit, "\(variable)=\(value)")
      #expect([0, 1, 64, 69, 73].contains(process.terminationStatus), "\(variable)=\(value)")
    }
  }

  /// ESC, CSI as one character, and two that reorder text.
  private static let hostile = "\u{1B}[31m\u{9B}2J\u{202E}\u{2067}x"

  private func expectHarmless(_ text: String, isJSON: Bool = false) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A: break
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
        Issue.record("U+\(String(scalar.value, radix: 16)) in \(text.debugDescription)")
      default: break
      }
    }
  }

  @Test(arguments: [
    ["\(hostile)"], ["list", "--\(hostile)"], ["list", "\(hostile)"], ["list", "--smart", hostile],
    ["show", hostile], ["add", "X", "--due", hostile], ["add", "X", "--priority", hostile],
    ["add", "X", "--list", hostile], ["lists", "add", "X", "--color", hostile],
    ["lists", "cover", "Personal", "/\(hostile)"], ["tags", "rename", hostile, "x"],
    ["import-legacy", "/\(hostile)"], ["--data-dir", "/proc/\(hostile)", "list"],
    ["--account", hostile, "list"], ["accept", hostile], ["restore", hostile], ["help", hostile],
  ])
  func whatWasTypedCommandsNoTerminal(arguments: [String]) throws {
    let program = try Program()
    for arguments in [arguments, arguments + ["--json"]] {
      let result = try program.run(arguments)
      expectHarmless(result.errors)
      expectHarmless(result.output)
    }
  }

  @Test func whatOthersWroteCommandsNoTerminal() throws {
    let program = try Program()
    let hostile = Self.hostile
    try program.run("lists", "add", hostile)
    let added = try program.run(
      "add", hostile, "--notes", hostile, "--tag", hostile, "--list", hostile, "--json")
    let refused = try program.run("add", "x", "--url", hostile)
    #expect(refused.status != 0 && refused.errors.contains("is not a link"))
    expectHarmless(refused.errors)
    #expect(added.status == 0, "\(added.errors)")
    let reminder = try #require(try Program.json(added.output) as? [String: Any])
    #expect(reminder["title"] as? String == hostile, "JSON says it all")
    let id = try #require(reminder["id"] as? String)
    try program.run("delete", id)
    try program.run("restore", id)
    for command in [
      "list", "lists", "tags", "history", "show \(id)", "status", "account", "shares",
    ] {
      let words = command.split(separator: " ").map(String.init)
      for arguments in [words, words + ["--json"]] {
        let result = try program.run(arguments)
        expectHarmless(result.output)
        expectHarmless(result.errors)
      }
    }
    for command in ["sync", "log", "export"] {
      let result = try program.run(command)
      #expect(result.status == 0)
      expectHarmless(result.output)
    }
  }

  @Test func aTagThatCannotTravelIsRefusedBeforeTheFirstSync() throws {
    let program = try Program()
    let long = String(repeating: "漢", count: 28)
    for tag in ["_later", long] {
      let result = try program.run("add", "X", "--tag", tag)
      #expect(result.status == 64)
      #expect(result.errors.contains(tag == long ? "250" : "underscore"))
    }
    #expect(try program.run("add", "X", "--tag", String(long.dropLast())).status == 0)
    #expect(try program.run("tags", "rename", String(long.dropLast()), long).status == 64)
    #expect(try program.run("list").lines.count == 1, "what was refused added nothing")
    let sync = try program.run("sync")
    #expect(sync.status == 0, "\(sync.errors)")
  }

  @Test func aPositionAtInfinityIsNullInJSON() throws {
    let program = try Program()
    try program.run("add", "Haircut")
    // As the engine writes what another device sent.
    try program.sql(
      """
      UPDATE sync_state SET isApplying = 1; UPDATE reminders SET position = 9e999;
      UPDATE remindersLists SET position = -9e999;
      UPDATE reminders SET createdAt = 9223372036854775807, updatedAt = -9223372036854775808;
      UPDATE sync_state SET isApplying = 0;
      """)
    let rows: [[String: Any]] = try program.json(["list", "--json"])
    #expect(rows.first?["position"] is NSNull)
    #expect(try program.run("export").status == 0)
    let added: [String: Any] = try program.json(["add", "Walk", "--json"])
    #expect(added["position"] is Double)
    #expect(try program.run("list").lines.count == 2)
  }

  @Test func anotherProgramCannotWriteInfinityHere() throws {
    let program = try Program()
    try program.run("add", "Haircut")
    #expect(throws: SQLiteShell.Refusal.self) {
      try program.sql("UPDATE reminders SET position = 9e999")
    }
    #expect(throws: SQLiteShell.Refusal.self) {
      try program.sql("INSERT INTO tags VALUES ('_later')")
    }
  }

  /// A screen reads as much of a text as it shows; a script has all of it.
  @Test(arguments: [["list"], ["search", "tea"], ["show", "tea"], ["agenda"]])
  func jsonHasAllOfNotes(command: [String]) throws {
    let program = try Program()
    let notes = String(repeating: "word ", count: 20_000) + "end"
    try program.run("add", "--due", "today", "--notes", notes, "--", "tea")
    let id = try program.run("list").output.prefix(8)
    let arguments = command == ["show", "tea"] ? ["show", String(id)] : command
    let output = try program.run(arguments + ["--json"]).output
    #expect(output.contains("\(notes.suffix(30_000))\""))
  }
}
