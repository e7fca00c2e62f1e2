import CPosix
import Foundation
import Reminders

/// What commands print on standard output: a script must not take for whole what is not.
enum Output {
  /// Writes bytes after all that was printed.
  ///
  /// - Throws: `AppError` when they cannot be written.
  static func write(_ data: Data) throws {
    try finish()
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      throw lost(error.localizedDescription)
    }
  }

  /// Sees to it that all that was printed is written.
  ///
  /// - Throws: `AppError` when it cannot be.
  static func finish() throws {
    if let failure { throw failure }
  }

  /// Why not all that was printed could be written; nil when it was.
  static var failure: AppError? {
    let code = cposix_flush_output()
    return code == 0 ? nil : lost(String(cString: strerror(code)))
  }

  private static func lost(_ reason: String) -> AppError {
    AppError(.cannotCreate, "The output could not be written whole.", hint: reason + ".")
  }
}
