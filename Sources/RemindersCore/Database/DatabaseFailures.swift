import Foundation
import GRDB
import SQLiteSync

extension DatabaseError: ReportableError {
  /// What SQLite's refusal means for the person at the terminal.
  public var report: AppError { AppError(self, path: nil) }
}

extension RowDecodingError: ReportableError {
  /// What a value that cannot be read means for the person at the terminal.
  public var report: AppError { SyncError(self).report }
}

extension DatabaseError {
  /// Whether there is no room for the data, or for the memory that SQLite's connections share.
  ///
  /// That is a file, too, also for those who only read.
  var isOfFullDisk: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}

extension AppError {
  /// Whether a file is there to be read while nothing can be made beside it, as SQLite must.
  private static func canOnlyBeRead(_ path: String) -> Bool {
    let directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    return access(path, R_OK) == 0 && access(directory, W_OK) != 0
  }

  /// What SQLite says of a file that somebody named to be read, and that is not the app's own.
  ///
  /// - Parameter hint: What to name instead, when it is not a database at all.
  init(_ error: DatabaseError, ofFile path: String, hint: String) {
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      self.init(.cannotRead, "\(path) is not a database, or it is damaged.", hint: hint)
    default: self.init(error, path: path)
    }
  }

  /// What SQLite's refusal means for the person at the terminal.
  ///
  /// - Parameter path: The file, when the failure is about opening it.
  init(_ error: DatabaseError, path: String?) {
    let file = path ?? "The data file"
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      self.init(
        .cannotRead, "\(file) is not a database, or it is damaged.",
        hint: "Move it away to start fresh, or give another directory with --data-dir.")
    case .SQLITE_CANTOPEN where path.map(Self.canOnlyBeRead) == true, .SQLITE_READONLY:
      self.init(
        .cannotCreate, "\(file) cannot be written.",
        hint: "Check that you may write it and its directory, and that its disk can be written.")
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(
        .cannotRead, "\(file) cannot be opened.",
        hint: "Check that you may read and write it and its directory.")
    case _ where error.isOfFullDisk:
      self.init(
        .cannotCreate, "The disk is full; nothing was changed.",
        hint: "Free some space and try again.")
    case .SQLITE_IOERR:
      self.init(
        .failed, "\(file) could not be read or written: the disk reported an error.",
        hint: "Is it full, or failing? Copy the data away before you go on.")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(
        .busy, "Another program is writing \(path ?? "the data file") and does not finish.",
        hint: "Try again in a moment.")
    case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY:
      self.init(
        .noSuchItem, "What this belongs to is not there any more; nothing was changed.")
    case .SQLITE_CONSTRAINT where error.message == SyncEngine.invalidRecordNameError:
      self.init(
        .invalidInput, "This name cannot be synchronized; nothing was changed.",
        hint: "It must not begin with an underscore, and be shorter.")
    case .SQLITE_CONSTRAINT where error.message == AppTriggers.invalidPositionError:
      self.init(.invalidInput, "This place is beyond all others; nothing was changed.")
    case .SQLITE_CONSTRAINT where error.message == SyncEngine.writePermissionError:
      self.init(
        .notPermitted, "This list is shared to read, not to write; nothing was changed.",
        hint: "Ask its owner to let you write.")
    default:
      self.init(
        .failed, "SQLite refused: \(error.message ?? "error \(error.extendedResultCode.rawValue)")."
      )
    }
  }
}
