import Foundation
import Glibc
import RemindersCore
import RemindersFiles
import SQLiteSync

/// The log of synchronization in a file beside the data, with one older file kept.
struct LogFile {
  private static let largest = 1_000_000

  let url: URL
  /// Takes note of failures; nil where only the lines are wanted.
  var failure: LastFailure?

  /// Where the file goes when it has become too large.
  var older: URL { url.appendingPathExtension("1") }

  /// Appends lines.
  func append(_ text: String) throws {
    do {
      let flags = O_WRONLY | O_APPEND | O_CREAT
      let file = try OrdinaryFile(url.path, flags)
      let line = Data((text + "\n").utf8)
      guard file.byteCount > Self.largest else {
        try file.write(line)
        return
      }
      guard rename(url.path, older.path) == 0 else { throw FileError.system(errno) }
      try OrdinaryFile(url.path, flags).write(line)
    } catch {
      throw AppError(
        .cannotCreate, "The log \(url.path) cannot be written.", hint: AppError(error).reason)
    }
  }

  /// Appends what is told, until the stream ends.
  ///
  /// That it cannot be written is said once, below the screen, and the rest is tried all the same.
  func append(_ events: AsyncStream<SyncEvent>) async {
    var isBroken = false
    for await event in events {
      do {
        try append(logText(event))
        try failure?.note(event)
        isBroken = false
      } catch {
        if !isBroken { Messages.write("The log \(url.path) cannot be written.") }
        isBroken = true
      }
    }
  }

  /// The lines of both files, or none when nothing was ever logged.
  func read() throws -> String {
    do {
      return try [older, url].filter { FileManager.default.fileExists(atPath: $0.path) }
        .map { String(decoding: try OrdinaryFile($0.path).read(), as: UTF8.self) }.joined()
    } catch let error as FileError {
      throw AppError(.failed, "The log \(url.path) cannot be read.", hint: "\(error)")
    }
  }
}

/// An event as the log shows it, with the present time.
func logText(_ event: SyncEvent) -> String {
  SyncLog.text(for: event, atMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    .printableLines
}
