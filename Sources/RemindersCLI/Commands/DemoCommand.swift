import ArgumentParser
import Foundation
import Glibc
import RemindersCore

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "demo", abstract: "Open two devices side by side in tmux, with one cloud.",
    shouldDisplay: false)

  @Flag(help: "Of two people: ann shares a list with ben.") var sharing = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let tmux = try Self.tmux()
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "reminders-demo-\(UUID().uuidString.prefix(8))")
    let devices = [
      DemoDevice(name: "desk", account: "ann", in: directory),
      DemoDevice(name: "laptop", account: sharing ? "ben" : "ann", in: directory),
    ]
    try await Self.seed(devices[0])
    if sharing { try await Self.share(from: devices[0], to: devices[1]) }
    Messages.write("The demo's data is in \(directory.path), until it ends.")
    try Self.become(
      "/bin/sh",
      [
        // However it ends, its data goes.
        "-c", "trap 'rm -rf \"$0\"' EXIT; trap 'exit 129' HUP; \"$@\"", directory.path,
        tmux, "new-session", "-s", directory.lastPathComponent, devices[0].command, ";",
        "split-window", "-h", devices[1].command, ";",
        "set-option", "mouse", "on", ";",
        "set-option", "destroy-unattached", "on", ";",
        "set-option", "status-left-length", "200", ";",
        "set-option", "status-left", sharing ? Self.sharingBanner : Self.banner, ";",
        "set-option", "status-right", "", ";",
        "set-option", "window-status-format", "", ";",
        "set-option", "window-status-current-format", "",
      ])
  }

  private static let banner =
    " Two devices, one cloud. Edit here, look there · s stops sync: edit both, then s again · "
    + "Ctrl-b o or a click changes sides · q quits "

  private static let sharingBanner =
    " ben: P accepts Family · ann: p on it shows its people · Ctrl-b o changes sides "
    + "· w lets ben only read, x stops · edit on both sides · q quits "

  /// Puts sample data on the first device and into the cloud.
  private static func seed(_ device: DemoDevice) async throws {
    let session = try Session(device.choices, connections: .many)
    try await session.database.addSampleData(in: session.time)
    try await session.engine().syncChanges()
  }

  /// Lets one person invite the other to a list.
  private static func share(from owner: DemoDevice, to guest: DemoDevice) async throws {
    // A guest who has never used the cloud has no inbox.
    try await Session(guest.choices, connections: .many).engine().syncChanges()
    let session = try Session(owner.choices, connections: .many)
    let list = try session.database.list(named: "Family")
    try await session.withEngine { engine in
      try await session.perform(
        .share(
          list.id, title: list.title, participants: ["ben": .write], publicPermission: nil),
        engine)
    }
  }

  private static func tmux() throws -> String {
    let paths = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
    guard
      let path = paths.map({ "\($0)/tmux" }).first(
        where: FileManager.default.isExecutableFile(atPath:))
    else {
      throw AppError(
        .failed, "The demo needs tmux, which was not found.", hint: "Try: sudo apt install tmux")
    }
    return path
  }

  /// Becomes another program, in the foreground of the terminal.
  private static func become(_ program: String, _ arguments: [String]) throws -> Never {
    // Inside another tmux the demo is a session of its own all the same.
    unsetenv("TMUX")
    let words = ([program] + arguments).map { strdup($0) }
    execv(program, words + [nil])
    throw AppError(.failed, "\(program) cannot be run: \(String(cString: strerror(errno))).")
  }
}

/// One of the two devices: its directories, and the command that opens it.
private struct DemoDevice {
  let choices: GlobalChoices
  let command: String

  init(name: String, account: String, in directory: URL) {
    let data = directory.appending(path: name).path
    let cloud = directory.appending(path: "cloud").path
    choices = GlobalChoices(dataDirectory: data, cloud: cloud, account: account, device: name)
    let words = [
      Bundle.main.executablePath ?? CommandLine.arguments[0], "--data-dir", data, "--cloud", cloud,
      "--account", account, "--device", name,
    ]
    command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
  }
}
