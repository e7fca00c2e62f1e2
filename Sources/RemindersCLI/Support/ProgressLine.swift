import Foundation
import Glibc
import RemindersTerminal
import Synchronization

/// How far something long is: a line of the terminal that is written over again and again.
///
/// Nothing is written where messages go to a file.
final class ProgressLine: Sendable {
  private struct Shown: Equatable {
    var title = ""
    var percent = 0
    var columns = 0
  }

  private static let widest = 40

  private let glyphs: GlyphSet
  private let isTerminal: Bool
  /// What stands in the line now.
  private let shown = Mutex(Shown())

  init() {
    setlocale(LC_CTYPE, "")
    glyphs = String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8" ? .unicode : .ascii
    isTerminal = isatty(STDERR_FILENO) == 1
  }

  /// Shows how much of what is done.
  ///
  /// It may be called for each row of many: what would look the same is not written.
  func show(_ title: String, _ completed: Int, of total: Int) {
    guard isTerminal else { return }
    let percent = total > 0 ? completed * 100 / total : 100
    shown.withLock { shown in
      guard shown.title != title || shown.percent != percent || shown.columns == 0 else { return }
      // A line that wraps could not be taken back.
      let room = Self.terminalColumns - TextWidth.columns(of: title) - 2
      let bar = ProgressBar.runs(
        completed: completed, of: total, columns: min(Self.widest, room), glyphs: glyphs)
      let text = "\(title) " + bar.map(\.text).joined()
      replace(shown, by: text)
      shown = Shown(title: title, percent: percent, columns: TextWidth.columns(of: text))
    }
  }

  /// Takes the line away.
  func end() {
    shown.withLock { shown in
      if shown.columns > 0 { replace(shown, by: "") }
      shown = Shown()
    }
  }

  private static var terminalColumns: Int {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }

  private func replace(_ shown: Shown, by text: String) {
    let blank = String(repeating: " ", count: shown.columns)
    Messages.put("\r\(blank)\r\(text)")
  }
}
