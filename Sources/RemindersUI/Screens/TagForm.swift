import Reminders
import Terminal

/// Renames a tag.
struct TagForm: Equatable, Sendable {
  let tag: Tag.ID
  var field: TextField

  init(_ tag: Tag.ID) {
    self.tag = tag
    field = TextField(tag)
  }
}

extension AppState {
  mutating func accept(_ form: TagForm) -> [Effect] {
    guard form.field.text == form.tag else {
      return leave(for: .renameTag(form.tag, to: form.field.text))
    }
    screens.removeLast()
    return []
  }
}

extension TagForm {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let box = rect.centered(Size(columns: 52, rows: 5))
    let inside = surface.box(box, title: "Rename #\(tag)", glyphs: state.appearance.glyphs)
      .inset(columns: 2)
    let exists = (state.home.sidebar?.tags ?? []).contains {
      $0.title != tag && $0.title.lowercased() == field.text.lowercased()
    }
    surface.write(
      exists ? "This tag exists: the two become one." : "On all reminders that carry it.",
      at: inside.origin.moved(rows: 2), role: exists ? .warning : .dim, width: inside.size.columns)
    return field.draw(
      on: &surface, in: inside.splitTop(1).top, style: Style(.fieldFocused), placeholder: "errand")
  }
}
