import Foundation
import RemindersFiles

/// A file that somebody asks for; it takes no other's place, and only they can read it.
public enum NewFile {
  /// A name that nothing else has that was written at another second:
  /// `reminders-20261121-143200.json`.
  public static func name(_ stem: String, _ suffix: String, at time: LocalTime) -> String {
    let moment = time.now.iso8601(offset: time.offset(at: time.now)).prefix(19)
    let digits = moment.replacing("-", with: "").replacing(":", with: "")
    return "\(stem)-\(digits.replacing("T", with: "-")).\(suffix)"
  }

  /// Writes it.
  ///
  /// - Throws: `AppError` when it cannot be written, or when there is a file already.
  public static func write(_ data: Data, to file: URL) throws {
    do {
      try PrivateFile.create(data, at: file)
    } catch {
      throw cannotWrite(file)
    }
  }

  /// Writes it piece by piece; what fails leaves no file.
  ///
  /// - Throws: `AppError` when it cannot be written, or when there is a file already; what `body`
  ///   throws.
  package static func write(to file: URL, _ body: (OutputBuffer) throws -> Void) throws {
    let opened: OpenFile
    do {
      opened = OpenFile(file: try OrdinaryFile(file.path, O_WRONLY | O_CREAT | O_EXCL))
    } catch {
      throw cannotWrite(file)
    }
    do {
      try body(OutputBuffer { try opened.file.write(Data($0)) })
    } catch {
      unlink(file.path)
      throw error is FileError ? cannotWrite(file) : error
    }
  }

  /// A file that a closure can hold on to.
  private final class OpenFile {
    let file: OrdinaryFile

    init(file: consuming OrdinaryFile) {
      self.file = file
    }
  }

  private static func cannotWrite(_ file: URL) -> AppError {
    AppError(
      .cannotCreate, "\(file.lastPathComponent) cannot be written.",
      hint: "Name a new file in a directory that you may write to.")
  }
}
