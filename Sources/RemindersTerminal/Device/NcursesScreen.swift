import CRemindersNcurses
import Foundation

/// A screen that ncurses paints: only the cells that changed are sent to the terminal.
///
/// ncurses has one screen at a time and is not thread-safe, hence the main actor.
@MainActor
final class NcursesScreen {
  let capabilities: TerminalCapabilities
  private var paints: [Style: Paint] = [:]
  /// How many numbers are the terminal's own colours where all others are exact ones.
  private let ownColors: Int
  private var theme: Theme?
  /// What ncurses was given last; nil when it may have something else.
  private var known: Surface?

  /// A style in ncurses' terms.
  private struct Paint {
    let attributes: Int32
    let pair: Int32
  }

  /// Opens the screen on two descriptors.
  ///
  /// - Throws: `TerminalError` when the terminal is unknown or cannot show a screen.
  init(
    input: Int32, output: Int32, environment: TerminalEnvironment, preference: ColorPreference,
    locale: String = ""
  ) throws {
    let isUTF8 = cn_use_locale(locale)
    let types = try environment.terminalTypes()
    guard let type = types.first(where: { cn_screen_open($0, input, output) }) else {
      throw TerminalError(
        "The terminal type “\(types.last ?? "")” is unknown or cannot show a screen.",
        hint: "Set TERM to a type that this machine knows, such as xterm-256color.")
    }
    let depth = environment.colorDepth(
      terminfoColors: Int(cn_screen_colors()), preference: preference)
    capabilities = TerminalCapabilities(
      colorDepth: depth, isUTF8: isUTF8,
      hasClipboard: environment.hasClipboard(byDescription: cn_terminal_has_clipboard()))
    ownColors = type.hasSuffix("-direct16") ? 16 : 8
  }

  func enter() { cn_screen_enter() }
  func leave() { cn_screen_leave() }
  func close() { cn_screen_close() }

  func resize(to size: Size) {
    known = nil
    cn_screen_resize(Int32(size.columns), Int32(size.rows))
    cn_screen_redraw()
  }

  /// Paints every cell of some rows with the next frame, whatever it was told is there.
  func repaint(_ rows: Range<Int>) {
    cn_screen_redraw_rows(Int32(rows.lowerBound), Int32(rows.count))
  }

  /// What to write to the terminal to show the cells and the cursor of `frame`.
  func paint(_ frame: Frame) -> [UInt8] {
    put(frame)
    let cursor = frame.cursor ?? Point(column: -1, row: -1)
    var count = 0
    let bytes = cn_screen_paint(Int32(cursor.column), Int32(cursor.row), &count)
    return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
  }

  /// Hands the cells of rows that changed to ncurses without showing them.
  func put(_ frame: Frame) {
    if theme != frame.theme {
      theme = frame.theme
      paints = [:]
      known = nil
    }
    if paints.count > Self.maximumPaints {
      paints = [:]
      known = nil
      cn_screen_forget_pairs()
    }
    let before = known?.size == frame.surface.size ? known : nil
    known = frame.surface
    if before == nil { cn_screen_clear() }
    for row in 0..<frame.surface.size.rows {
      if let before {
        if frame.surface.hasRow(row, of: before) { continue }
        cn_screen_clear_row(Int32(row))
      }
      for column in 0..<frame.surface.size.columns {
        guard let cell = frame.surface[Point(column: column, row: row)], cell.columns > 0
        else { continue }
        put(cell, column: column, row: row, theme: frame.theme)
      }
    }
  }

  private func put(_ cell: Cell, column: Int, row: Int, theme: Theme) {
    let paint = paint(for: cell.style, theme: theme)
    let text = capabilities.isUTF8 ? cell.text : NcursesScreen.asciiText(of: cell)
    // In ASCII, what a wide cell becomes is one character for each of its halves.
    let isSplit = !capabilities.isUTF8 && cell.columns == 2
    let pieces = isSplit ? text.map(String.init) : [text]
    for (offset, piece) in pieces.enumerated() {
      let scalars = piece.unicodeScalars.map(\.value)
      cn_screen_put(
        Int32(column + offset), Int32(row), scalars, Int32(scalars.count), paint.attributes,
        paint.pair)
    }
  }

  /// The cell's text where Unicode cannot be shown: the letter without its accents, or “?”.
  static func asciiText(of cell: Cell) -> String {
    let base = cell.text.decomposedStringWithCanonicalMapping.unicodeScalars.first
    let shown = base.flatMap { $0.isASCII ? String($0) : nil } ?? "?"
    return TextWidth.padded(shown, to: cell.columns)
  }

  /// ncurses has 65,535 pairs of colours; past that it would give away those that are known here.
  ///
  /// Pictures in direct colours need some thousands each.
  private static let maximumPaints = 40_000

  private func paint(for style: Style, theme: Theme) -> Paint {
    if let known = paints[style] { return known }
    let look = theme.look(of: style)
    let depth = capabilities.colorDepth
    let background = look.background?.index(at: depth, ownColors: ownColors)
    var foreground = look.foreground?.index(at: depth, ownColors: ownColors)
    // Text of the colour behind it would not be seen; what gives both is a picture.
    if foreground == background, style.background == nil { foreground = nil }
    let paint = Paint(
      attributes: Int32(look.attributes.rawValue),
      pair: cn_screen_pair(
        foreground.map(Int32.init) ?? -1, background.map(Int32.init) ?? -1))
    paints[style] = paint
    return paint
  }
}
