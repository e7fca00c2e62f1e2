import RemindersTerminal
import SQLiteSync

/// The engine's own log of what the line under the cursor is about, as the file `sync.log` has it:
/// beside the table, where there is room for both.
extension SyncLogPane {
  /// The widest lines are those with the names of records.
  private static let columns = 80

  /// Where the table is, and the engine's log; nil where there is too little room.
  static func split(_ area: Rect) -> (table: Rect, engine: Rect?) {
    guard area.size.columns >= 2 * columns else { return (area, nil) }
    let (table, engine) = area.splitRight(columns)
    return (table, engine)
  }

  func drawEngineLog(on surface: inout Surface, in rect: Rect, _ glyphs: GlyphSet) {
    surface.verticalRule(at: rect.origin, rows: rect.size.rows, glyphs: glyphs)
    guard let current else { return }
    let lines = SyncLog.lines(for: current.event)
    let name = current.fact.record?.name
    let row = name.flatMap { name in lines.firstIndex { $0.contains(name) } } ?? 0
    // Of a long one the part that the line is in.
    let first = max(0, min(row - rect.size.rows / 2, lines.count - rect.size.rows))
    for (row, line) in lines[first...].prefix(rect.size.rows).enumerated() {
      surface.write(
        glyphs.adapted(line), at: rect.origin.moved(columns: 2, rows: row), role: .dim,
        width: rect.size.columns - 3, ellipsis: glyphs.ellipsis)
    }
  }
}
