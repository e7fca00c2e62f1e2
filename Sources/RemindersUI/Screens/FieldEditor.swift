import RemindersCore
import RemindersTerminal

/// What is typed or chosen in a field of the reminder form: one case for each way of entering.
enum FieldEditor: Equatable, Sendable {
  case line(TextField)
  case notes(TextArea)
  case due(DueField)
  case list(RemindersList.ID?)
  case priority(Reminder.Priority?)
  case flag(Bool)

  init(_ field: ReminderField, of draft: ReminderDraft, in time: LocalTime) {
    self =
      switch field.kind {
      case .title(let path): .line(TextField(draft[keyPath: path]))
      case .line(let path), .parent(let path): .line(TextField(draft[keyPath: path] ?? ""))
      case .notes(let path): .notes(TextArea(draft[keyPath: path]))
      case .due(let path): .due(DueField(draft[keyPath: path], in: time))
      case .recurrence(let path):
        .line(TextField(draft[keyPath: path]?.text(in: time) ?? ""))
      case .tags(let path): .line(TextField(Self.text(of: draft[keyPath: path])))
      case .alarms(let path): .line(TextField(Alarm.text(draft[keyPath: path], in: time)))
      case .list(let path): .list(draft[keyPath: path])
      case .priority(let path): .priority(draft[keyPath: path])
      case .flag(let path): .flag(draft[keyPath: path])
      }
  }

  /// Puts what is typed into a draft.
  ///
  /// - Throws: `Problem` when it makes no sense.
  func write(_ field: ReminderField, to draft: inout ReminderDraft, in time: LocalTime)
    throws(Problem)
  {
    switch (field.kind, self) {
    case (.title(let path), .line(let line)): draft[keyPath: path] = line.text
    case (.line(let path), .line(let line)):
      draft[keyPath: path] = line.text.isEmpty ? nil : line.text
    case (.notes(let path), .notes(let area)): draft[keyPath: path] = area.text
    case (.due(let path), .due(let due)): draft[keyPath: path] = try due.due(in: time)
    case (.recurrence(let path), .line(let line)):
      do {
        draft[keyPath: path] = try Recurrence.parse(line.text, in: time)
      } catch {
        throw Problem(error)
      }
    case (.alarms(let path), .line(let line)):
      do {
        draft[keyPath: path] = try Alarm.parseList(line.text, isDue: draft.due != nil, in: time)
      } catch {
        throw Problem(error)
      }
    case (.tags(let path), .line(let line)):
      draft[keyPath: path] = Self.tags(in: line.text, of: draft[keyPath: path])
    case (.list(let path), .list(let id)): draft[keyPath: path] = id
    case (.priority(let path), .priority(let priority)): draft[keyPath: path] = priority
    case (.flag(let path), .flag(let isOn)): draft[keyPath: path] = isOn
    default: break
    }
  }

  /// What is typed or chosen, to be compared.
  var text: String {
    switch self {
    case .line(let line): line.text
    case .notes(let area): area.text
    case .due(let due): due.field.text
    case .list(let id): id ?? ""
    case .priority(let priority): priority?.name ?? ""
    case .flag(let isOn): "\(isOn)"
    }
  }

  /// Says again what its text was.
  mutating func restore(_ text: String) {
    switch self {
    case .line: self = .line(TextField(text))
    case .notes: self = .notes(TextArea(text))
    case .due(var due):
      due.restore(text)
      self = .due(due)
    case .list: self = .list(text.isEmpty ? nil : text)
    case .priority: self = .priority(Reminder.Priority.allCases.first { $0.name == text })
    case .flag: self = .flag(text == "true")
    }
  }

  /// Whether a caret can be moved in it.
  var isText: Bool {
    switch self {
    case .line, .notes: true
    case .due, .list, .priority, .flag: false
    }
  }

  static func text(of tags: [Tag.ID]) -> String { tags.map { "#\($0)" }.joined(separator: " ") }

  /// The tags that are typed, each once.
  ///
  /// - Parameter known: Those that were there before; one of another program may have a comma in
  ///   its name.
  static func tags(in text: String, of known: [Tag.ID]) -> [Tag.ID] {
    var seen: Set<Tag.ID> = []
    return text.split(whereSeparator: \.isWhitespace).flatMap { word in
      let name = String(word.drop { $0 == "#" })
      // A lone # is not a tag.
      return known.contains(name) ? [name] : (try? Tag.titles(from: String(word))) ?? []
    }.filter { seen.insert($0.lowercased()).inserted }
  }
}

// MARK: - Keys

extension FieldEditor {
  /// - Parameter columns: How wide it is drawn, which decides where notes wrap.
  mutating func type(_ key: Key, columns: Int, of sidebar: Sidebar?) {
    switch self {
    case .line(var line):
      line.handle(key)
      self = .line(line)
    case .notes(var area):
      guard !Self.isTooLong(area) else { return }
      area.handle(key, columns: columns)
      self = .notes(area)
    case .due(var due):
      due.type(key)
      self = .due(due)
    case .list(let id): self = .list(Self.next(id, in: sidebar, by: Self.step(of: key)))
    case .priority(let priority):
      self = .priority(Self.next(priority, by: Self.step(of: key)))
    case .flag(let isOn): self = .flag(Self.step(of: key) == 0 ? isOn : !isOn)
    }
  }

  mutating func paste(_ text: String) {
    switch self {
    case .line(var line):
      line.paste(text)
      self = .line(line)
    case .notes(var area):
      area.paste(text)
      self = .notes(area)
    case .due(var due):
      due.paste(text)
      self = .due(due)
    case .list, .priority, .flag: break
    }
  }

  /// Puts the caret where a click is.
  ///
  /// - Parameters:
  ///   - point: Where it is in the area in which this is drawn.
  ///   - size: The size of that.
  mutating func moveCaret(to point: Point, in size: Size) {
    switch self {
    case .line(var line):
      line.moveCaret(toColumn: point.column, of: size.columns)
      self = .line(line)
    case .notes(var area):
      guard !Self.isTooLong(area) else { return }
      area.moveCaret(to: point, in: size)
      self = .notes(area)
    case .due(var due):
      due.moveCaret(toColumn: point.column, of: size.columns)
      self = .due(due)
    case .list, .priority, .flag: break
    }
  }

  /// Chooses what is clicked on.
  mutating func choose(atColumn column: Int, _ state: AppState) {
    let (glyphs, style) = (state.appearance.glyphs, Style(.field))
    switch self {
    case .line, .notes, .due: break
    case .list(let id):
      let list = state.home.sidebar?.lists.first { $0.list.id == id }?.list
      let runs = Self.runs(list, glyphs, style)
      // The signs on both sides lead on.
      guard let index = runs.index(atColumn: column), runs.count > 1 else { return }
      let step = index == 0 ? -1 : index == runs.count - 1 ? 1 : 0
      self = .list(Self.next(id, in: state.home.sidebar, by: step))
    case .priority(let priority):
      // Every other run is the space between two.
      guard let index = Self.runs(priority, glyphs, style).index(atColumn: column),
        index.isMultiple(of: 2)
      else { return }
      self = .priority(Reminder.Priority(rawValue: index / 2))
    case .flag(let isOn):
      if column < TextWidth.columns(of: Self.text(ofFlag: isOn)) { self = .flag(!isOn) }
    }
  }

  /// Arrows and Space go through the values of a field.
  private static func step(of key: Key) -> Int {
    switch key {
    case .left: -1
    case .right, .space: 1
    default: 0
    }
  }

  private static func next(
    _ id: RemindersList.ID?, in sidebar: Sidebar?, by count: Int
  ) -> RemindersList.ID? {
    let ids = (sidebar?.lists ?? []).map(\.id)
    guard !ids.isEmpty else { return id }
    let index = ids.firstIndex { $0 == id } ?? 0
    return ids[(index + count + ids.count) % ids.count]
  }

  private static func next(_ priority: Reminder.Priority?, by count: Int) -> Reminder.Priority? {
    let all = Reminder.Priority.allCases.count + 1
    return Reminder.Priority(rawValue: ((priority?.rawValue ?? 0) + count + all) % all)
  }
}

// MARK: - Drawing

extension FieldEditor {
  /// Draws it.
  ///
  /// - Returns: Where the caret stands.
  func draw(
    on surface: inout Surface, in area: Rect, style: Style, example: String, _ state: AppState
  ) -> Point {
    let glyphs = state.appearance.glyphs
    switch self {
    case .line(let line):
      return line.draw(
        on: &surface, in: area, style: style, placeholder: example, ellipsis: glyphs.ellipsis)
    case .notes(let notes) where Self.isTooLong(notes):
      Self.drawBeginning(of: notes, on: &surface, in: area, state)
    case .notes(let notes):
      return notes.draw(
        on: &surface, in: area, style: style, placeholder: example, ellipsis: glyphs.ellipsis)
    case .due(let due):
      return due.field.draw(
        on: &surface, in: area, style: style, placeholder: example, ellipsis: glyphs.ellipsis)
    case .list(let id):
      let lists = state.home.sidebar?.lists
      let list = lists?.first { $0.id == id }?.list
      let isGone = id != nil && lists != nil && list == nil
      surface.write(
        isGone ? [StyledRun("deleted elsewhere", .dim)] : Self.runs(list, glyphs, style),
        at: area.origin, width: area.size.columns)
    case .priority(let priority):
      surface.write(Self.runs(priority, glyphs, style), at: area.origin)
    case .flag(let isOn):
      surface.write(Self.text(ofFlag: isOn), at: area.origin, style: style)
    }
    return area.origin
  }

  private static func text(ofFlag isOn: Bool) -> String { isOn ? "[x] flagged" : "[ ] flagged" }

  /// Notes longer than this are for an editor: here, they would be wrapped anew with every key.
  private static let longestNotes = 1 << 16

  private static func isTooLong(_ notes: TextArea) -> Bool {
    notes.byteCount > longestNotes
  }

  private static func drawBeginning(
    of notes: TextArea, on surface: inout Surface, in area: Rect, _ state: AppState
  ) {
    let (top, bottom) = area.splitBottom(1)
    let lines = TextWidth.wrapped(
      notes.text, to: top.size.columns, atMost: top.size.rows)
    for (row, line) in lines.enumerated() {
      surface.write(line, at: top.origin.moved(rows: row), role: .dim)
    }
    let size = "These notes have \(notes.byteCount >> 10) KB. "
    surface.write(
      [StyledRun(size, .warning)] + state.hintText([.editInEditor]), at: bottom.origin,
      width: bottom.size.columns)
  }

  private static func runs(
    _ list: RemindersList?, _ glyphs: GlyphSet, _ style: Style
  ) -> [StyledRun] {
    guard let list else { return [StyledRun(RemindersList.defaultTitle + " (new)", style)] }
    return [
      StyledRun(glyphs.choiceLeft + " ", .dim), StyledRun(glyphs.swatch, list.swatchStyle),
      StyledRun(" " + list.title, style), StyledRun(" " + glyphs.choiceRight, .dim),
    ]
  }

  private static func runs(
    _ priority: Reminder.Priority?, _ glyphs: GlyphSet, _ style: Style
  ) -> [StyledRun] {
    let choices: [Reminder.Priority?] = [nil] + Reminder.Priority.allCases
    return choices.flatMap { choice in
      let isOn = choice == priority
      let text = (isOn ? glyphs.radioOn : glyphs.radioOff) + " " + (choice?.name ?? "none")
      return [StyledRun(text, isOn ? style : Style(.dim)), StyledRun("   ")]
    }
  }
}
