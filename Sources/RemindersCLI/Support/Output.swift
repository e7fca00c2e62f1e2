import CPosix
import Foundation
import Reminders

/// What commands print on standard output: a script must not take for whole what is not.
enum Output {
  /// Prints a text that is UTF-8.
  ///
  /// - Throws: `AppError` when it cannot be written.
  static func write(_ data: Data) throws {
    print(String(decoding: data, as: UTF8.self), terminator: "")
    try finish()
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
