import Foundation
import Glibc
import RemindersCore

/// The unit of systemd that runs `reminders notify` whenever somebody is logged in.
struct NotifyUnit {
  private static let name = "reminders-notify.service"
  /// What says that a file is ours.
  private static let mark = "# Written by `reminders notify --install`"

  private let file: URL

  init(_ paths: Paths) {
    file = paths.unitDirectory.appending(path: Self.name)
  }

  /// Writes the unit.
  ///
  /// - Throws: `AppError` when it cannot be written, or there is one of somebody else.
  func install(_ arguments: [String]) throws {
    guard try isOurs() != false else {
      throw AppError(
        .cannotCreate, "\(file.path) is there already, and not made by `reminders notify`.",
        hint: "Move it away first.")
    }
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let text = Self.text(
        [try Self.program()] + ["notify"] + arguments,
        environment: Paths.directoryVariables(ProcessInfo.processInfo.environment))
      try Data(text.utf8).write(to: file, options: .atomic)
    } catch let error as AppError {
      throw error
    } catch {
      throw AppError(
        .cannotCreate, "\(file.path) cannot be written.",
        hint: "Check that you may write there, or set XDG_CONFIG_HOME.")
    }
    print(
      """
      Wrote \(file.path.printable)
      Start it: systemctl --user daemon-reload && systemctl --user enable --now \(Self.name)
      Undo it:  systemctl --user disable --now \(Self.name); reminders notify --uninstall
      """)
    // As sd_booted(3) asks.
    guard !FileManager.default.fileExists(atPath: "/run/systemd/system") else { return }
    Messages.write("systemd does not run here: have your session start `reminders notify`.")
  }

  /// Removes the unit.
  ///
  /// - Throws: `AppError` when there is none, or it is somebody else's.
  func uninstall() throws {
    switch try isOurs() {
    case nil: throw AppError(.noSuchItem, "There is no \(file.path).")
    case false?:
      throw AppError(
        .notPermitted, "\(file.path) was not made by `reminders notify`, so it stays.")
    case true?: break
    }
    do {
      try FileManager.default.removeItem(at: file)
    } catch {
      throw AppError(.cannotCreate, "\(file.path) cannot be removed.")
    }
    print(
      """
      Removed \(file.path.printable)
      One that runs ends with: systemctl --user disable --now \(Self.name)
      """)
  }

  /// Whether the file is one of ours; nil when there is none.
  private func isOurs() throws -> Bool? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      return String(decoding: try Data(contentsOf: file), as: UTF8.self).contains(Self.mark)
    } catch {
      throw AppError(.cannotRead, "\(file.path) cannot be read.")
    }
  }

  /// This program, wherever it is.
  private static func program() throws -> String {
    do {
      return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    } catch {
      throw AppError(.failed, "The path of this program cannot be found out.")
    }
  }

  /// What the unit says.
  ///
  /// - Parameters:
  ///   - command: The program with its arguments.
  ///   - environment: Variables that decide where things are: the session of systemd need not have
  ///     those of a shell.
  static func text(_ command: [String], environment: [(name: String, value: String)]) -> String {
    let variables = environment.map { name, value in
      "Environment=\(quotedInVariable("\(name)=\(value)"))\n"
    }
    return """
      \(mark); `reminders notify --uninstall` removes it.
      [Unit]
      Description=Announce reminders that are due
      After=graphical-session.target

      [Service]
      \(variables.joined())ExecStart=\(command.map(quoted).joined(separator: " "))
      Restart=on-failure
      RestartSec=30

      [Install]
      WantedBy=default.target

      """
  }

  /// A word of a command as systemd reads it (systemd.service(5), "Command lines").
  private static func quoted(_ word: String) -> String {
    quotedInVariable(word.replacing("$", with: "$$"))
  }

  /// The same where no variables are looked for (systemd.exec(5), "Environment=").
  private static func quotedInVariable(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%")
      .replacing("\n", with: "\\n").replacing("\t", with: "\\t")
    return "\"\(escaped)\""
  }
}
