import Foundation
import Glibc
import RemindersCore

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
    // Two dashes: what follows is no option, however it begins.
    let texts = ["--", Self.plain(title), Self.markup(Self.plain(body))]
    let offers = actions.map { "--action=\($0.name)=\($0.text)" }
    if let answer = await run(options + offers + texts) { return answer }
    // One from before 0.8 knows no actions.
    return offers.isEmpty ? nil : await run(options + texts)
  }

  /// Runs the program; nil when it fails.
  private func run(_ arguments: [String]) async -> String? {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let status: Int32? = await withCheckedContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        // It is shown as a line instead.
        process.terminationHandler = nil
        continuation.resume(returning: nil)
      }
    }
    guard status == 0 else { return nil }
    // The name of an action is all that it writes, and fits the pipe.
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
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
