/// A title in one line.
///
/// - Throws: `AppError` when it is empty, or longer than any title.
func validTitle(_ title: String, of kind: String) throws -> String {
  guard !title.isLongerThanAnyTitle else {
    throw AppError(
      .invalidInput, "The title of a \(kind) has at most \(longestTitle) characters.",
      hint: kind == "reminder" ? "Its notes have room for more." : nil)
  }
  let title = (kind == "reminder" ? title.inOneLine : title.oneLine).withoutNUL
  guard !title.isInvisible else {
    throw AppError(.invalidInput, "A \(kind) needs a title.")
  }
  return title
}

/// Unicode scalars in the longest title: all titles of a screen are drawn again with every key.
let longestTitle = 10_000

extension SQL {
  /// As much of a title as a valid one can have, and one character more: it is still known to be
  /// too long.
  ///
  /// A title of a megabyte may come from another person, and a screen has many rows.
  static func beginning(of title: String) -> String {
    "substr(\(title), 1, \(longestTitle + 1))"
  }
}

extension String {
  /// The text without line breaks and tabs, and without spaces around it; those between its words
  /// are somebody's.
  var inOneLine: String {
    // As nearly all are: an import asks for thousands.
    let isPlain = utf8.allSatisfy { (0x20...0x7E).contains($0) } && first != " " && last != " "
    if isPlain { return self }
    return split { $0.isWhitespace && $0 != " " }.compactMap { part in
      part.lastIndex { $0 != " " }.map { part[...$0].drop { $0 == " " } }
    }.joined(separator: " ")
  }

  /// Whether nobody would see anything of it.
  fileprivate var isInvisible: Bool {
    unicodeScalars.allSatisfy {
      $0.properties.isDefaultIgnorableCodePoint || $0.properties.isWhitespace
    }
  }

  /// Whether it is too long for a title, without looking at more of it than that.
  package var isLongerThanAnyTitle: Bool {
    unicodeScalars.dropFirst(longestTitle).first != nil
  }

  /// The beginning of a text that is too long to be printed in one line.
  package func shortened(to count: Int) -> String {
    utf8.count <= count || unicodeScalars.dropFirst(count).isEmpty
      ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(count))) + "…"
  }
}

extension ReminderDraft {
  /// The same with a title that can be one, and what was too long for it in the notes.
  ///
  /// - Returns: Nil when the title can be one, and when it would be too long for notes, too.
  func keepingWholeTitle() -> ReminderDraft? {
    guard title.isLongerThanAnyTitle, !title.isLongerThanAnyNotes else { return nil }
    var draft = self
    draft.title = title.shortened(to: 200)
    draft.notes = notes.isEmpty ? title : title + "\n" + notes
    return draft
  }
}
