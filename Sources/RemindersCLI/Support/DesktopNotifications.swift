import Foundation
import Glibc
import RemindersCore
import SQLiteSyncCloud

/// Notifications of the desktop, by `notify-send` of libnotify.
struct DesktopNotifications: Sendable {
  private let program: String

  /// Nil where there is no such program, or no session bus that it could reach.
  init?(_ environment: [String: String]) {
    guard Self.hasBus(environment) else { return nil }
    let directories = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    let candidates = directories.map { "\($0)/notify-send" }
    guard let program = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
    self.program = program
  }

  private static func hasBus(_ environment: [String: String]) -> Bool {
    if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
    guard let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty else { return false }
    return access("\(directory)/bus", F_OK) == 0
  }

  /// Shows a notification.
  ///
  /// - Parameters:
  ///   - title: Text of anybody: what would command a terminal is left out.
  ///   - body: Text of anybody; markup in it is shown as it is written.
  ///   - actions: What is offered, each with a name; with any of them this waits until the
  ///     notification is answered or gone.
  /// - Returns: The name of the action that was chosen, or an empty text; nil when it could not be
  ///   shown.
  func show(_ title: String, _ body: String, actions: [(name: String, text: String)]) async
    -> String?
  {
    let options = ["--app-name=reminders", "--icon=appointment-soon"]
    // Two dashes: what follows is not an option, however it begins.
    let texts = ["--", Self.plain(title), Self.markup(Self.plain(body))]
    let offers = actions.map { "--action=\($0.name)=\($0.text)" }
    let isAsking = !offers.isEmpty
    if let answer = await run(options + offers + texts, isAsking: isAsking) { return answer }
    // One from before 0.8 knows no actions.
    return isAsking ? await run(options + texts, isAsking: false) : nil
  }

  /// How long the program may take to hand over what nobody is asked about, in milliseconds.
  private static let patience: Int32 = 10_000

  /// Runs the program; nil when it fails.
  ///
  /// - Parameter isAsking: Whether it waits for an answer, which may take days.
  private func run(_ arguments: [String], isAsking: Bool) async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: answer([program] + arguments, isAsking: isAsking))
      }
    }
  }

  private func answer(_ command: [String], isAsking: Bool) -> String? {
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading
    let writing = pipe.fileHandleForWriting
    // What cannot be started is shown as a line instead.
    guard let child = try? ChildProcess(command, output: writing.fileDescriptor) else { return nil }
    // Its end would not be the end of the output.
    try? writing.close()  // Nothing was written.
    var ready = pollfd(fd: reading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    // The name of an action is all that it writes, and fits the pipe: then it ends.
    var count: Int32
    repeat {
      count = poll(&ready, 1, isAsking ? -1 : Self.patience)
    } while count < 0 && errno == EINTR
    if count < 1 { child.kill() }
    let output = reading.availableData
    guard child.waitUntilExit() == 0 else { return nil }
    let answer = String(decoding: output, as: UTF8.self)
    return answer.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
  }

  /// One line, not too long for an argument, and never empty.
  private static func plain(_ text: String) -> String {
    let text = String(text.oneLine.printable.prefix(500))
    return text.isEmpty ? "…" : text
  }

  /// `notify-send` reads escapes in a body, and desktops read markup.
  private static func markup(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;")
      .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
