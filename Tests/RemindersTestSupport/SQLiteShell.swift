import Foundation

/// The `sqlite3` shell: a program that knows nothing of ours, and writes into the same file.
public enum SQLiteShell {
  private static let path = "/usr/bin/sqlite3"
  /// Whether this machine has it.
  public static let isThere = FileManager.default.isExecutableFile(atPath: path)
  /// Why what needs it is skipped.
  public static let absence = "The sqlite3 shell is missing."

  /// Why it did not carry out its statements.
  public struct Refusal: Error {
    let reason: String
  }

  /// Carries out statements, up to the first that is refused.
  ///
  /// Without patience it is refused whenever somebody else writes, as an engine may at any time.
  ///
  /// - Parameters:
  ///   - statements: SQL.
  ///   - file: The path of a database.
  ///   - patience: How long it waits for somebody else who writes, in milliseconds.
  /// - Throws: `Refusal`.
  public static func run(_ statements: String, on file: String, patience: Int = 60_000) throws {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(filePath: path)
    process.arguments = ["-bail", "-cmd", ".timeout \(patience)", file, statements]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let reason = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Refusal(reason: reason) }
  }
}
