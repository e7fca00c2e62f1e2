import Reminders
import Terminal

/// A form with the fields of a list, new or not.
struct ListForm: Equatable, Sendable {
  enum Field: Equatable, Sendable {
    case title, color
  }

  /// The list as it was when the form was opened; nil for a new one.
  let list: RemindersList?
  var focus = Field.title
  var title: TextField
  /// `0xRRGGBB`.
  private(set) var color: Int
  /// The hexadecimal digits of a colour that is typed.
  private var digits = ""

  init(_ list: RemindersList?) {
    self.list = list
    title = TextField(list?.title ?? "")
    color = list?.color ?? RemindersList.defaultColor
  }

  var isNew: Bool { list == nil }

  /// How many fields say something else than they did.
  var changeCount: Int {
    (title.text != list?.title ?? "" ? 1 : 0)
      + (color != list?.color ?? RemindersList.defaultColor ? 1 : 0)
  }

  /// The changes as a write; nil when there are none.
  ///
  /// - Throws: `Problem` when there is no title.
  func write() throws(Problem) -> Write? {
    guard title.text.contains(where: { !$0.isWhitespace }) else {
      throw Problem("A list needs a name.")
    }
    guard let list else { return .addList(title: title.text, color: color) }
    let edits: [ListEdit] =
      (title.text == list.title ? [] : [.title(title.text)])
      + (color == list.color ? [] : [.color(color)])
    return edits.isEmpty ? nil : .editList(list.id, edits)
  }

  // MARK: - Keys

  mutating func moveFocus(by count: Int) {
    focus = focus == .title ? .color : .title
    digits = ""
  }

  mutating func paste(_ text: String) {
    if focus == .title { title.paste(text) }
  }

  mutating func type(_ key: Key) {
    switch (focus, key) {
    case (.title, _): title.handle(key)
    case (.color, .left): step(-1)
    case (.color, .right), (.color, .space): step(1)
    case (.color, .backspace): digits = String(digits.dropLast())
    case (.color, _):
      if let digit = key.typed, digit.isHexDigit { type(digit: digit) }
    }
  }

  private mutating func step(_ count: Int) {
    digits = ""
    let colors = Self.colors.map(\.value)
    let index = colors.firstIndex(of: color) ?? (count > 0 ? -1 : 0)
    color = colors[(index + count + colors.count) % colors.count]
  }

  /// Six digits make a colour.
  private mutating func type(digit: Character) {
    digits = String((digits + String(digit)).suffix(6))
    if digits.count == 6, let value = Int(digits, radix: 16) {
      color = value
      digits = ""
    }
  }

  /// The colours that have a name.
  static let colors: [(name: String, value: Int)] = [
    ("blue", RemindersList.defaultColor), ("green", 0x4C_B05C), ("yellow", 0xE6_B800),
    ("orange", 0xF0_8C2E), ("red", 0xE5_4B4B), ("pink", 0xE5_6BA6), ("purple", 0x9A_6BDB),
    ("brown", 0xA6_7C52), ("grey", 0x8A_8F98),
  ]
}

extension ListForm {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let box = rect.centered(Size(columns: 60, rows: 9))
    let inside = surface.box(box, title: isNew ? "New list" : "Edit list", glyphs: glyphs)
      .inset(columns: 1, rows: 1)
    let label = inside.origin
    let start = label.moved(columns: 10)
    let width = inside.size.columns - 11
    surface.write("Name", at: label, role: .label)
    let caret = title.draw(
      on: &surface, in: Rect(origin: start, size: Size(columns: width, rows: 1)),
      style: Style(focus == .title ? .fieldFocused : .field), placeholder: "Errands")
    let row = start.moved(rows: 2)
    surface.write("Colour", at: label.moved(rows: 2), role: .label)
    surface.write(colorRuns(glyphs), at: row, width: width)
    let hint = focus == .color ? "← → another, or type six digits " + digits : ""
    surface.write(hint, at: row.moved(rows: 1), role: .dim, width: width)
    return focus == .title ? caret : row
  }

  private func colorRuns(_ glyphs: GlyphSet) -> [StyledRun] {
    let name = Self.colors.first { $0.value == color }?.name ?? "other"
    let digits = String(color, radix: 16, uppercase: true)
    let hex = "#" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    let list = RemindersList(id: "", title: "", color: color, position: 0)
    return [
      StyledRun(glyphs.choiceLeft + " ", .dim), StyledRun(glyphs.swatch, list.swatchStyle),
      StyledRun(" " + name, focus == .color ? .fieldFocused : .field),
      StyledRun(" " + glyphs.choiceRight, .dim), StyledRun("   " + hex, .dim),
    ]
  }
}
