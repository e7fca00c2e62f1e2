import Terminal

/// Asks before something that cannot be taken back.
struct Question: Equatable, Sendable {
  let title: String
  let text: String
}

extension AppState {
  /// Yes: the form below is left without saving.
  mutating func answerYes() -> [Effect] {
    screens.removeLast(2)
    return []
  }

  mutating func answerNo() -> [Effect] {
    screens.removeLast()
    return []
  }
}

extension Question {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let box = rect.centered(Size(columns: 52, rows: 5))
    let inside = surface.box(box, title: title, glyphs: state.appearance.glyphs)
      .inset(columns: 2)
    surface.write(text, at: inside.origin, width: inside.size.columns)
    surface.write(
      state.hintText([.answerYes, .answerNo]), at: inside.origin.moved(rows: 2),
      width: inside.size.columns)
    return inside.origin
  }
}
