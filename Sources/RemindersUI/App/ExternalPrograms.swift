import Foundation
import RemindersCore
import RemindersFiles
import RemindersTerminal

/// Other programs that the person chose: an editor for text, an opener for links.
public enum ExternalPrograms {
  /// Edits a text in `$VISUAL`, `$EDITOR` or `vi`.
  ///
  /// - Throws: `Problem` when the editor cannot be started or fails.
  public static func editText(_ text: String) async throws -> String {
    try await edit(text, with: editor(ProcessInfo.processInfo.environment))
  }

  /// The person's editor, with its options; a variable without a word in it is not set.
  static func editor(_ environment: [String: String]) -> String {
    let names = ["VISUAL", "EDITOR"].compactMap { environment[$0] }
    return names.first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
  }

  /// Edits a text in a file that nobody else can read.
  ///
  /// What was written with an editor that fails stays in that file, which the problem names.
  static func edit(_ text: String, with editor: String) async throws -> String {
    let file = try temporaryFile(with: text)
    let name = "The editor “\(editor)”"
    do {
      // Through a shell, because people put options into $EDITOR.
      try await run("exec \(editor) \"$1\"", file.path, failing: name)
      guard var edited = String(data: try contents(of: file), encoding: .utf8) else {
        throw Problem("\(name) did not write UTF-8.")
      }
      while edited.last?.isNewline == true { edited.removeLast() }
      try edited.requireNotesThatFit()
      unlink(file.path)
      // As it will be stored: so it is seen before it is saved.
      return edited.withoutNUL
    } catch {
      // A file that cannot be read has nothing to keep.
      if let left = try? contents(of: file), left != Data(text.utf8) {
        throw Problem("\(Problem(error))", hint: "What was written is in \(file.path)")
      }
      unlink(file.path)
      throw error
    }
  }

  /// What an editor has left in its file, which can be anything now.
  private static func contents(of file: URL) throws -> Data {
    do throws(FileError) {
      return try OrdinaryFile(file.path).read()
    } catch {
      throw error == .system(ENOENT)
        ? Problem("The editor left no file; the notes stay as they were.")
        : Problem(
          "What the editor left cannot be read; the notes stay as they were.",
          hint: error.description)
    }
  }

  /// A new file with a text in it that nobody else can read.
  private static func temporaryFile(with text: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "reminders-\(UUID().uuidString).txt")
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Problem(
        "The file \(file.path) for another program cannot be made.",
        hint: "Set TMPDIR to a directory where you may write.")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    } catch {
      unlink(file.path)
      throw error
    }
    return file
  }

  /// Whether a link is one that is handed to another program: to the web or an address for mail.
  ///
  /// Links come from other people. A path would be opened by whatever program is set for it, and a
  /// hyphen would begin an option.
  static func isLink(_ text: String) -> Bool {
    Link.isValid(text)
      && ["http:", "https:", "mailto:"].contains { text.lowercased().hasPrefix($0) }
  }

  /// Opens a link with `xdg-open`.
  ///
  /// - Throws: `Problem` when it is none that is opened, there is no such program or it fails.
  public static func openURL(_ url: String) async throws {
    guard isLink(url) else {
      throw Problem(
        "Only links that begin with http://, https:// or mailto: are opened.",
        hint: "This one is: \(url.printable)")
    }
    try await run("exec xdg-open \"$1\" >/dev/null 2>&1 </dev/null", url, failing: "xdg-open")
  }

  /// The programs that put their input on a clipboard, each for a desktop of its own, or for tmux.
  private static let clipboards: [(variable: String, command: [String])] = [
    ("WAYLAND_DISPLAY", ["wl-copy"]),
    ("DISPLAY", ["xclip", "-selection", "clipboard"]),
    ("DISPLAY", ["xsel", "--clipboard", "--input"]),
    // It takes nothing from the programs in it, unless it is told to (`set-clipboard on`).
    ("TMUX", ["tmux", "load-buffer", "-w", "-"]),
  ]

  /// Puts a text on the clipboard of the desktop.
  ///
  /// - Returns: Whether there are a desktop and a program for that.
  /// - Throws: `Problem` when the program fails.
  public static func copy(_ text: String) async throws -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return try await copy(text, environment, clipboards)
  }

  static func copy(
    _ text: String, _ environment: [String: String],
    _ clipboards: [(variable: String, command: [String])]
  ) async throws -> Bool {
    for (variable, command) in clipboards where environment[variable]?.isEmpty == false {
      guard let program = path(of: command[0], environment) else { continue }
      try await Blocking.run { try hand(text, to: program, Array(command.dropFirst())) }.get()
      return true
    }
    return false
  }

  private static func path(of name: String, _ environment: [String: String]) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile)
  }

  /// Runs a program with a text as its input: from a file, because a pipe to a program that ends
  /// without reading ends this one.
  private static func hand(_ text: String, to program: String, _ arguments: [String]) throws {
    let file = try temporaryFile(with: text)
    defer { unlink(file.path) }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Problem("\(program) ended with status \(process.terminationStatus).")
    }
  }

  private static func run(
    _ script: String, _ argument: String, failing name: String
  ) async throws {
    let status = try await ForegroundProgram.run(["/bin/sh", "-c", script, "sh", argument])
    guard status == 0 else {
      // What sh says of a program that is not there, or cannot be run.
      throw Problem(
        "\(name) ended with status \(status).",
        hint: [126, 127].contains(status) ? "Is it installed?" : nil)
    }
  }
}
