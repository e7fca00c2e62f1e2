import Foundation
import Images

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
      throw AppError(
        .cannotCreate, "\(file.lastPathComponent) cannot be written.",
        hint: "Name a new file in a directory that you may write to.")
    }
  }
}
