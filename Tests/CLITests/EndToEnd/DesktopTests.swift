import Foundation
import Testing

extension EndToEnd {
  /// Notifications over a real session bus: libnotify's `notify-send`, and dunst, which the bus
  /// starts for it, on a display that nobody sees.
  ///
  /// A rule of dunst's has a script run for each notification, which writes down what dunst makes
  /// of it and opens the menu of its actions, as a key does on a desktop.
  @Suite struct DesktopTests {
    private static let programs = [
      "/usr/bin/dbus-run-session", "/usr/bin/notify-send", "/usr/bin/dunst", "/usr/bin/dunstctl",
      "/usr/bin/Xvfb",
    ]

    private static let isPossible = programs.allSatisfy(
      FileManager.default.isExecutableFile)

    @Test(
      .enabled(if: isPossible, "needs dbus, libnotify-bin, dunst and xvfb"),
      .timeLimit(.minutes(2)),
      arguments: [("Done", "Completed"), ("Snooze 10m", "Snoozed")])
    func `a notification is seen on the bus, and its action is carried out`(
      action: String, word: String
    ) throws {
      let program = try Program()
      try program.run("lists", "add", "R&D <i>x</i>")
      try program.run(
        "add", "--list", "R&D <i>x</i>", "--literal", "--due", "1 minute ago", "--",
        "-<b>Tea</b> 100% & more")
      let desktop = try Desktop(program, choosing: action)
      defer { desktop.end() }
      try desktop.notify()
      let step = program.dataDirectory.appending(path: "undo/3.json").path
      while desktop.isRunning, !Task.isCancelled, !FileManager.default.fileExists(atPath: step) {
        try program.run("list")
      }
      #expect(try program.run("undo").errors == "Undone: \(word) “-<b>Tea</b> 100% & more”\n")
      // Once, and the body is markup in which nothing of a list's name is.
      let seen = try desktop.lines(of: "seen")
      try #require(seen.count == 3, "\(seen)")
      #expect(seen[0] == "reminders")
      #expect(seen[1] == "-<b>Tea</b> 100% & more")
      #expect(seen[2].wholeMatch(of: /due today .* · R&amp;D &lt;i&gt;x&lt;\/i&gt;/) != nil)
      let menu = try desktop.lines(of: "menu").map { $0.prefix { $0 != "(" } }
      #expect(menu == ["#Done ", "#Snooze 10m "])
    }
  }
}

/// A desktop's session with dunst, in which the program notifies.
private struct Desktop {
  private let program: Program
  private let files: URL
  private let session = Process()

  /// - Parameter action: What the person chooses.
  init(_ program: Program, choosing action: String) throws {
    self.program = program
    files = try program.makeDirectory("desktop")
    let path = files.path
    let services = try program.makeDirectory("desktop/data/dbus-1/services")
    try Data(
      """
      [D-BUS Service]
      Name=org.freedesktop.Notifications
      Exec=/usr/bin/dunst -config \(path)/dunstrc
      """.utf8
    ).write(to: services.appending(path: "notifications.service"))
    try write("dunstrc", "[global]\ndmenu = \(path)/choose\n[all]\nscript = \(path)/see\n")
    try write(
      "see",
      """
      #!/bin/sh
      printf '%s\\n' "$DUNST_APP_NAME" "$DUNST_SUMMARY" "$DUNST_BODY" >> '\(path)/seen'
      exec dunstctl action 0
      """)
    try write(
      "choose", "#!/bin/sh\ncat > '\(path)/menu'\nexec grep -m 1 '^#\(action) ' '\(path)/menu'\n")
  }

  /// Starts the display, the bus, and `reminders notify`.
  func notify() throws {
    let path = files.path
    // The display's number is whichever is free.
    let script = """
      mkfifo '\(path)/display'
      /usr/bin/Xvfb -displayfd 3 -nolisten tcp 3> '\(path)/display' &
      display=$!
      read number < '\(path)/display'
      DISPLAY=:$number /usr/bin/dbus-run-session -- /bin/sh -c \
      "'\(program.executable.path)' notify & echo \\$! > '\(path)/pid'; wait"
      kill $display
      wait
      """
    session.executableURL = URL(filePath: "/bin/sh")
    session.arguments = ["-c", script]
    session.environment = program.environment.merging([
      "XDG_DATA_HOME": files.appending(path: "data").path, "XDG_RUNTIME_DIR": path,
    ]) { $1 }
    session.standardInput = FileHandle.nullDevice
    // Whoever waits for the end of what the tests print does not wait for a bus.
    session.standardOutput = FileHandle.nullDevice
    session.standardError = FileHandle.nullDevice
    try session.run()
  }

  var isRunning: Bool { session.isRunning }

  /// Ends the program, and with it the bus, dunst and the display.
  func end() {
    guard isRunning else { return }
    // Where the program was not started there is no number.
    let number = (try? lines(of: "pid"))?.first.flatMap { pid_t($0) }
    if let number { kill(number, SIGTERM) } else { session.terminate() }
    session.waitUntilExit()
  }

  func lines(of name: String) throws -> [String] {
    try String(contentsOf: files.appending(path: name), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  private func write(_ name: String, _ text: String) throws {
    let file = files.appending(path: name)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
  }
}
