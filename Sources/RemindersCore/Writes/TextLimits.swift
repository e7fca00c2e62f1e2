// What a reminder, a list or a search may have, however it comes in: typed, from an editor, a
// script or a file. More could be stored, and never be sent.

/// Bytes of the longest notes, as they are sent: beside them a record has room for the rest of a
/// reminder.
let longestNotes = 900_000

extension String {
  /// The text as it is stored: SQLite reads it to its first NUL.
  package var withoutNUL: String {
    utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self
  }

  /// How many bytes it has where it is sent, in JSON.
  private var sentByteCount: Int {
    utf8.reduce(0) { count, byte in
      switch byte {
      case 0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x22, 0x5C: count + 2
      case 0..<0x20: count + 6
      default: count + 1
      }
    }
  }

  /// Whether it is too long for the notes of a reminder.
  var isLongerThanAnyNotes: Bool {
    // No byte takes more than six; and few notes are as long as that.
    utf8.count > longestNotes / 6 && sentByteCount > longestNotes
  }

  /// As much of it as notes can have, with a sign that it is not all.
  var shortenedToNotes: String {
    guard isLongerThanAnyNotes else { return self }
    var (count, end) = ("…".utf8.count, unicodeScalars.startIndex)
    while end < unicodeScalars.endIndex {
      count += String(unicodeScalars[end]).sentByteCount
      if count > longestNotes { break }
      unicodeScalars.formIndex(after: &end)
    }
    return self[..<end] + "…"
  }

  /// Refuses notes that could not be sent.
  ///
  /// - Throws: `AppError`.
  package func requireNotesThatFit() throws {
    guard isLongerThanAnyNotes else { return }
    throw AppError(
      .invalidInput, "The notes of a reminder have at most \(longestNotes / 1000) kB.",
      hint: "Keep the long text in a file, and say in the notes where that is.")
  }

  /// Refuses a line that is longer than any title.
  ///
  /// - Throws: `AppError`.
  func requireLineThatFits(_ kind: String) throws {
    guard isLongerThanAnyTitle else { return }
    throw AppError(
      .invalidInput, "A \(kind) has at most \(longestTitle) characters.",
      hint: "The notes of a reminder have room for more.")
  }
}
