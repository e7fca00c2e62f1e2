import Reminders
import Terminal

/// Asks whose account it is.
struct SignInForm: Equatable, Sendable {
  var field: TextField
  /// Records that were made while nobody was signed in.
  let count: Int

  init(last: String?, count: Int) {
    field = TextField(last ?? "")
    self.count = count
  }
}

extension AppState {
  mutating func openSignIn() -> [Effect] {
    let last = sync?.known?.account.id?.displayName
    screens.append(.signIn(SignInForm(last: last, count: sync?.pending ?? 0)))
    return []
  }

  mutating func accept(_ form: SignInForm) -> [Effect] {
    guard !form.field.text.isEmpty else { return [] }
    screens.removeLast()
    return [.signIn(form.field.text)]
  }
}

extension SignInForm {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let box = rect.centered(Size(columns: 56, rows: 5))
    let inside = surface.box(box, title: "Sign in", glyphs: state.appearance.glyphs)
      .inset(columns: 2)
    let note =
      count == 0
      ? "What the account has comes to this device."
      : "\(counted(count, "record")) made here will go to this account."
    surface.write(
      note, at: inside.origin.moved(rows: 2), role: count == 0 ? .dim : .warning,
      width: inside.size.columns, ellipsis: state.appearance.glyphs.ellipsis)
    return field.draw(
      on: &surface, in: inside.splitTop(1).top, style: Style(.fieldFocused), placeholder: "ann")
  }
}
