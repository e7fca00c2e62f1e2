import Foundation
import RemindersFiles

/// A file that holds one undo step, for its owner alone: a step contains what was deleted.
public struct UndoStepFile {
  /// Where it is.
  public let url: URL

  /// The file at a place, which need not be there.
  public init(_ url: URL) { self.url = url }

  /// Writes a step whole, and makes the directory for it, unless another process has written one;
  /// returns whether it did.
  ///
  /// - Throws: why it cannot be written, in the words of the system.
  public func add(_ step: UndoStep) throws -> Bool {
    try PrivateFile.makeDirectory(url.deletingLastPathComponent())
    return try PrivateFile.add(try JSONEncoder().encode(step), at: url)
  }

  /// Writes a step whole, and makes the directory for it, or leaves what is there.
  ///
  /// - Throws: why it cannot be written, in the words of the system.
  public func write(_ step: UndoStep) throws {
    try PrivateFile.makeDirectory(url.deletingLastPathComponent())
    try PrivateFile.replace(url, with: try JSONEncoder().encode(step))
  }

  /// The step that the file holds.
  ///
  /// - Parameter hint: What to do about a file that holds none.
  /// - Throws: `AppError` for a file that is not there, or holds no step.
  public func read(hint: String) throws -> UndoStep {
    do {
      return try JSONDecoder().decode(UndoStep.self, from: OrdinaryFile(url.path).read())
    } catch {
      throw AppError(
        .cannotRead, "\(url.path) does not contain an undo step.", hint: hint)
    }
  }

  /// Removes the file, unless another process has done so.
  public func remove() throws {
    do {
      try FileManager.default.removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      // It is gone, as it is to be.
    }
  }
}
