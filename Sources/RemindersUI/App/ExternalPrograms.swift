import Foundation
import Terminal

/// Other programs that the person chose: an editor for text, an opener for links.
public enum ExternalPrograms {
  /// Edits a text in `$VISUAL`, `$EDITOR` or `vi`.
  ///
  /// - Throws: `Problem` when the editor cannot be started or fails.
  public static func editText(_ text: String) async throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
    let file = FileManager.default.temporaryDirectory
      .appending(path: "reminders-\(UUID().uuidString).txt")
    try Data(text.utf8).write(to: file)
    defer { unlink(file.path) }
    // Through a shell, because people put options into $EDITOR.
    try await run("exec \(editor) \"$1\"", file.path, failing: "The editor “\(editor)”")
    var edited = try String(contentsOf: file, encoding: .utf8)
    while edited.last?.isNewline == true { edited.removeLast() }
    return edited
  }

  /// Opens a link with `xdg-open`.
  ///
  /// - Throws: `Problem` when there is no such program or it fails.
  public static func openURL(_ url: String) async throws {
    try await run("exec xdg-open \"$1\" >/dev/null 2>&1 </dev/null", url, failing: "xdg-open")
  }

  private static func run(
    _ script: String, _ argument: String, failing name: String
  ) async throws {
    let status = try await ForegroundProgram.run(["/bin/sh", "-c", script, "sh", argument])
    guard status == 0 else {
      throw Problem("\(name) ended with status \(status).", hint: "Is it installed?")
    }
  }
}
