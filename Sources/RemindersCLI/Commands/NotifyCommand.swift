import ArgumentParser
import Foundation
import RemindersCore
import SQLiteSyncCloud

struct NotifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "notify", abstract: "Announce what is due, and wait for what comes next.",
    discussion: """
      For example: reminders notify --install, to have it run whenever you are logged in.

      It announces through the desktop where `notify-send` and a session bus are (with the actions \
      Done and Snooze), else as lines on standard output, and goes on until it is ended. Each \
      reminder is announced once for you on all your devices, also one whose time was missed. It \
      synchronizes every five minutes and when it has announced something, with --once before and \
      after, unless the app does so or the configuration says `sync off`.
      """)

  @Flag(help: "Announce what is due now, and end.") var once = false
  @Flag(help: "Write a systemd user unit that runs it, and say how to start it.") var install =
    false
  @Flag(help: "Remove the systemd user unit.") var uninstall = false
  @Flag(name: .shortAndLong, help: "With --once: print the reminders as a JSON array instead.")
  var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard [once, install, uninstall].filter(\.self).count <= 1 else {
      throw ValidationError("--once, --install and --uninstall exclude each other.")
    }
    if json, !once { throw ValidationError("--json needs --once.") }
  }

  func run() async throws {
    let paths = try Paths(options.choices)
    if install { return try NotifyUnit(paths).install(try arguments()) }
    if uninstall { return try NotifyUnit(paths).uninstall() }
    let session = try Session(options.choices, connections: .many)
    let desktop = json ? nil : DesktopNotifications(ProcessInfo.processInfo.environment)
    let announcer = Announcer(session, desktop: desktop)
    guard once else { return try await announcer.run() }
    try await announcer.announceDue { announcements in
      if json {
        try session.printJSON(announcements)
      } else {
        await announcer.show(announcements, waitsForAnswers: false)
      }
    }
  }

  /// What the unit runs: the same data as this command, wherever its variables are set.
  private func arguments() throws -> [String] {
    let environment = ProcessInfo.processInfo.environment
    func option(_ name: String, _ value: String?, _ variable: String) -> [String] {
      guard let value = value ?? environment[variable], !value.isEmpty else { return [] }
      let isPath = ["--data-dir", "--cloud"].contains(name) && !CloudLocation.isAddress(value)
      // No password into a file.
      if let address = PostgresAddress(value) { return [name, address.description] }
      return [name, isPath ? URL(filePath: value).path : value]
    }
    let choices = options.choices
    return option("--data-dir", choices.dataDirectory, "REMINDERS_DATA_DIR")
      + option("--cloud", choices.cloud, "REMINDERS_CLOUD")
      + option("--account", choices.account, "REMINDERS_ACCOUNT")
      + option("--device", choices.device, "REMINDERS_DEVICE")
  }
}

struct SnoozeCommand: AsyncParsableCommand, TakesMoments {
  static let configuration = CommandConfiguration(
    command: "snooze", abstract: "Announce a reminder again later, and not before.",
    discussion: """
      For example: reminders snooze 1f0c 1h

      It holds on all your devices, until the reminder is completed or its due date is another. \
      Any date is understood: 10m, 1h, tonight, tomorrow 9:00; none ends a snooze.
      """)

  @Argument(help: "The beginning of the reminder's id.", completion: .reminders)
  var id: String
  @Argument(help: "Until when (default: 10m); none: not any more.")
  var when: [String] = []
  @Flag(name: .shortAndLong, help: "Print the reminder as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let typed = when.isEmpty ? Snooze.usual : HyphenWords.read(when).joined(separator: " ")
    let id = try session.database.reminderID(matching: id)
    let until = try Snooze.moment(typed, in: session.time)
    let step = try await session.database.snooze([id], until: until)
    guard let until else {
      try session.finish(step)
      if json { try session.print(id, asJSON: true) }
      return
    }
    try session.keep(step)
    if json {
      try session.print(id, asJSON: true)
    } else {
      let text = DueDate.moment(until).relativeText(in: session.time)
      Messages.write("\(step.label) until \(text).".printable)
    }
  }
}
