/// A bar that fills up.
public enum ProgressBar {
  /// `███░░░ 50 %` in `columns` cells.
  ///
  /// The number says what the bar shows, so that nothing depends on seeing the bar. Nothing to do
  /// counts as done.
  public static func runs(
    completed: Int, of total: Int, columns: Int, glyphs: GlyphSet
  ) -> [StyledRun] {
    let fraction = total > 0 ? (Double(completed) / Double(total)).clamped(to: 0...1) : 1
    let label = " \(Int(fraction * 100)) %"
    let room = max(0, columns - label.count)
    let full = Int(Double(room) * fraction)
    return [
      StyledRun(String(repeating: glyphs.barFull, count: full), .success),
      StyledRun(String(repeating: glyphs.barEmpty, count: room - full), .dim),
      StyledRun(label),
    ]
  }
}
