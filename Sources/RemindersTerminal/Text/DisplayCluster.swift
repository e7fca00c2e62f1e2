import CRemindersNcurses

/// What one cell, or two adjoining ones, can show: one scalar that has width, and the marks on it.
///
/// This is ncurses' idea of a character, not Swift's: a family of four joined emoji is one
/// `Character` but four clusters, because that is how most terminals draw it and how all of them
/// are told to.
public struct DisplayCluster: Hashable, Sendable {
  /// What is shown; it never holds a control character.
  public internal(set) var text: String
  /// 1 or 2.
  public let columns: Int

  /// ncurses keeps a base and four marks in a cell.
  private static let maximumScalars = 5

  /// What a terminal can safely show of `text`.
  ///
  /// Control characters, and with them escape sequences, become pictures of themselves; line ends
  /// and tabs become spaces.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - limit: No more is made than begins in so many cells, and not much more is read.
  public static func clusters(
    of text: some StringProtocol, upTo limit: Int = .max
  ) -> [DisplayCluster] {
    var clusters: [DisplayCluster] = []
    var room = limit
    for scalar in text.unicodeScalars.prefix(TextWidth.scalarCount(for: limit)) {
      guard let shown = displayed(scalar) else { continue }
      let columns = TextWidth.columns(of: shown)
      if columns > 0 {
        guard room > 0 else { break }
        room -= columns
        clusters.append(DisplayCluster(text: String(shown), columns: columns))
      } else if let last = clusters.indices.last, clusters[last].accepts(mark: shown) {
        clusters[last].text.unicodeScalars.append(shown)
      }
    }
    return clusters
  }

  private func accepts(mark: Unicode.Scalar) -> Bool {
    let isJoinerOfEmoji = mark == "\u{200D}" && columns == 2
    return !isJoinerOfEmoji && text.unicodeScalars.count < DisplayCluster.maximumScalars
  }

  /// What is shown in place of `scalar`, or nil for nothing.
  fileprivate static func displayed(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x20...0x7E: scalar
    case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: " "
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value)
    case 0x7F: "\u{2421}"
    // C1 controls, and the marks that would reorder what follows them on the line.
    case 0x80...0x9F, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
    // Invisible, and terminals disagree about the width of what they follow.
    case 0x061C, 0x200B, 0x200E, 0x200F, 0xFE00...0xFE0F, 0xFEFF, 0xE0000...0xE0FFF: nil
    default: TextWidth.isShowable(scalar) ? scalar : "\u{FFFD}"
    }
  }
}

/// How many cells text takes, and what fits into a number of them.
///
/// Widths are those of `wcwidth` in a UTF-8 locale, scalar by scalar, as ncurses counts them; they
/// do not depend on the process's locale.
public enum TextWidth {
  /// What no screen is wider than.
  public static let widestScreen = 1024

  /// The cells that `text` takes when it is shown, or some number above `limit`.
  ///
  /// Layout asks at every frame, and a title of a megabyte may come from another person: no more of
  /// it is read than `limit` needs.
  public static func columns(of text: String, upTo limit: Int = widestScreen) -> Int {
    columns(of: text[...], upTo: limit)
  }

  /// The same of a part of a text.
  ///
  /// Neither is generic: other modules would call what is made for any kind of text, which takes
  /// far longer.
  public static func columns(of text: Substring, upTo limit: Int = widestScreen) -> Int {
    let limit = max(0, limit)
    let most = scalarCount(for: limit)
    if text.utf8.count <= most, isPrintableASCII(text) { return text.utf8.count }
    var columns = 0
    for (count, scalar) in text.unicodeScalars.enumerated() {
      columns += DisplayCluster.displayed(scalar).map { self.columns(of: $0) } ?? 0
      if columns > limit || count == most { return min(limit, mostColumns) + 1 }
    }
    return columns
  }

  /// As much of the end of `text` as can be shown in so many cells, and not much more.
  static func ending(of text: String, columns: Int) -> Substring {
    Substring(text.unicodeScalars.suffix(scalarCount(for: columns)))
  }

  /// More scalars than stand in so many cells: letters have marks, but not thousands of them.
  fileprivate static func scalarCount(for columns: Int) -> Int {
    16 * (max(0, min(columns, mostColumns)) + 1)
  }

  private static let mostColumns = 1 << 20

  static func columns(of scalar: Unicode.Scalar) -> Int {
    scalar.isASCII ? 1 : max(0, Int(cn_scalar_columns(scalar.value)))
  }

  static func isShowable(_ scalar: Unicode.Scalar) -> Bool {
    cn_scalar_columns(scalar.value) >= 0
  }

  private static func isPrintableASCII(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
