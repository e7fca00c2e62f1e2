import Foundation
import RemindersTerminal

extension Frame {
  /// The screen as a picture in SVG: its text in the colours of its theme, on a dark background.
  ///
  /// Each text is as wide as its cells, whatever font there is.
  var svg: String {
    let (width, height) = (
      surface.size.columns * SVG.cell.width, surface.size.rows * SVG.cell.height
    )
    let rows = surface.styledLines.enumerated().map { row, runs in self.row(row, runs) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width + 2 * SVG.margin) \
      \(height + 2 * SVG.margin)" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, \
      monospace" font-size="\(SVG.fontSize)">
      <rect width="100%" height="100%" rx="6" fill="\(SVG.background)"/>
      <g transform="translate(\(SVG.margin) \(SVG.margin))" xml:space="preserve">
      \(rows.filter { !$0.isEmpty }.joined(separator: "\n"))
      </g>
      </svg>

      """
  }

  private func row(_ row: Int, _ runs: [StyledRun]) -> String {
    var (column, boxes, texts) = (0, "", "")
    for run in runs {
      let columns = TextWidth.columns(of: run.text)
      let look = theme.look(of: run.style)
      var colors = (
        text: look.foreground.map(SVG.hex) ?? SVG.foreground,
        behind: look.background.map(SVG.hex)
      )
      if look.attributes.contains(.reverse) {
        colors = (colors.behind ?? SVG.background, colors.text)
      }
      if let behind = colors.behind {
        boxes += SVG.box(column, row, columns, behind)
      }
      let blanks = run.text.prefix { $0 == " " }.count
      let text = run.text.drop { $0 == " " }
      let trimmed = String(text.reversed().drop { $0 == " " }.reversed())
      if !trimmed.isEmpty {
        texts += SVG.text(trimmed, column + blanks, row, colors.text, look.attributes)
      }
      column += columns
    }
    return boxes + texts
  }
}

private enum SVG {
  static let cell = (width: 8, height: 17)
  static let (fontSize, margin, baseline) = (13, 10, 13)
  static let (foreground, background) = ("#d4d4d4", "#1b1d21")

  static func box(_ column: Int, _ row: Int, _ columns: Int, _ color: String) -> String {
    """
    <rect x="\(column * cell.width)" y="\(row * cell.height)" width="\(columns * cell.width)" \
    height="\(cell.height)" fill="\(color)"/>
    """
  }

  static func text(
    _ text: String, _ column: Int, _ row: Int, _ color: String, _ attributes: Attributes
  ) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let styles = [
      attributes.contains(.bold) ? " font-weight=\"bold\"" : "",
      attributes.contains(.dim) ? " opacity=\"0.6\"" : "",
      attributes.contains(.underline) ? " text-decoration=\"underline\"" : "",
      attributes.contains(.italic) ? " font-style=\"italic\"" : "",
    ]
    let width = TextWidth.columns(of: text) * cell.width
    return """
      <text x="\(column * cell.width)" y="\(row * cell.height + baseline)" fill="\(color)" \
      textLength="\(width)" lengthAdjust="spacingAndGlyphs"\(styles.joined())>\(escaped)</text>
      """
  }

  static func hex(_ color: Color) -> String {
    switch color {
    case .rgb(let rgb): digits(rgb.red, rgb.green, rgb.blue)
    case .ansi(let index): digits(ofPalette: Int(index))
    case .palette(let index, _): digits(ofPalette: Int(index))
    }
  }

  /// The sixteen as a terminal of today has them.
  private static let ansi = [
    "#1b1d21", "#e06c75", "#98c379", "#d19a66", "#61afef", "#c678dd", "#56b6c2", "#d4d4d4",
    "#7f848e", "#ff7b86", "#b5e890", "#e5c07b", "#7cc4ff", "#de9bf0", "#7fd5e0", "#ffffff",
  ]

  private static func digits(ofPalette index: Int) -> String {
    if index < 16 { return ansi[index] }
    if index >= 232 {
      let shade = UInt8(8 + 10 * (index - 232))
      return digits(shade, shade, shade)
    }
    let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
    let cube = index - 16
    return digits(levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6])
  }

  private static func digits(_ parts: UInt8...) -> String {
    "#" + parts.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
