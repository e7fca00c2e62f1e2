import RemindersTerminal

/// The screen that shows a state; pure.
func view(_ state: AppState) -> Frame {
  var surface = Surface(size: state.size)
  var cursor: Point?
  if !state.isLegible {
    let text = "needs \(Layout.minimum.columns)×\(Layout.minimum.rows)"
    surface.write(
      state.appearance.glyphs.adapted(text), at: .zero, width: state.size.columns)
  } else {
    cursor = state.draw(on: &surface)
  }
  return Frame(
    surface: surface, theme: state.appearance.theme, cursor: cursor,
    mouse: state.appearance.usesMouse,
    title: state.windowTitle, picture: state.framePicture, bells: state.announcing.bells)
}

extension AppState {
  /// Whether the terminal is large enough to show anything: else nobody sees what keys would do.
  var isLegible: Bool {
    size.columns >= Layout.minimum.columns && size.rows >= Layout.minimum.rows
  }

  /// Draws everything.
  ///
  /// - Returns: Where the focus is.
  fileprivate func draw(on surface: inout Surface) -> Point? {
    let layout = layout
    // What lies below the topmost full page is not seen.
    let firstSeen = screens.lastIndex { $0.isFullPage }
    var cursor = firstSeen == nil ? drawHome(on: &surface, layout) : nil
    for screen in screens[(firstSeen ?? 0)...] {
      cursor = surface.within(layout.body) { screen.draw(on: &$0, in: layout.body, self) }
    }
    surface.within(layout.header) { drawHeader(on: &$0, in: layout.header) }
    surface.within(messageArea) { drawMessage(on: &$0, in: messageArea) }
    surface.within(layout.footer) { drawFooter(on: &$0, in: layout.footer) }
    if !pendingKeys.isEmpty {
      surface.within(layout.body) { drawContinuations(on: &$0, in: layout.body) }
    }
    return cursor
  }

  /// How wide a key with what it does is, and the space beside it.
  private static let keyColumns = 32

  /// What may follow the keys that were pressed.
  private func drawContinuations(on surface: inout Surface, in rect: Rect) {
    let continuations = keymap.continuations(of: pendingKeys, in: contexts)
    let title = pendingKeys.map(\.label).joined()
    let room = max(1, rect.size.rows - 2)
    // Beside each other where they have no room below each other.
    let wanted = (continuations.count + room - 1) / room
    let columns = max(1, min(wanted, (rect.size.columns - 2) / Self.keyColumns))
    let rows = min(room, (continuations.count + columns - 1) / columns)
    let size = Size(columns: columns * Self.keyColumns + 2, rows: rows + 2)
    let box = rect.splitBottom(size.rows).bottom.splitRight(size.columns).right
    let inside = surface.box(box, title: title, glyphs: appearance.glyphs).inset(columns: 1)
    let isCut = continuations.count > rows * columns
    for (place, continuation) in continuations.prefix(rows * columns).enumerated() {
      let (column, row) = place.quotientAndRemainder(dividingBy: rows)
      let origin = inside.origin.moved(columns: column * Self.keyColumns, rows: row)
      guard !isCut || place < rows * columns - 1 else {
        surface.write(appearance.glyphs.ellipsis, at: origin, role: .dim)
        break
      }
      surface.write(
        [
          StyledRun(
            TextWidth.padded(appearance.glyphs.adapted(continuation.key.label), to: 6), .hintKey),
          StyledRun(Command.named(continuation.id).title),
        ], at: origin, width: min(Self.keyColumns - 2, inside.size.columns))
    }
  }
}
