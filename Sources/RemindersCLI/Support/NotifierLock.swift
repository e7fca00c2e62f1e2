import Foundation
import Glibc
import RemindersCore
import RemindersFiles

/// Held by the process that announces what is due on this device.
final class NotifierLock {
  private let descriptor: Int32

  /// Takes it.
  ///
  /// - Throws: `AppError` when another process has it, or the file cannot be made.
  init(_ file: URL) throws {
    do {
      try PrivateFile.ensure(file)
    } catch {
      throw AppError(.cannotCreate, "\(file.path) cannot be made: \(AppError(error).reason)")
    }
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      throw AppError(
        .failed, "Another `reminders notify` runs for this data.",
        hint: "`reminders notify --once` announces what is due now.")
    }
  }

  deinit { close(descriptor) }

  /// Whether some process has it.
  static func isHeld(_ file: URL) -> Bool {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }
}

extension Paths {
  /// Whom it is to be asked of whether announcements are made elsewhere on this device.
  var notifierLock: URL { dataDirectory.appending(path: "notify.lock") }
}
