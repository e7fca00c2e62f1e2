import RemindersCore
import RemindersTerminal

/// A form with the fields of a list, new or not.
struct ListForm: Form {
  enum Field: CaseIterable, Equatable, Sendable {
    case title, color, cover
  }

  /// The list as it was when the form was opened; nil for a new one.
  let list: RemindersList?
  /// Those that the schema has.
  let fields: [Field]
  var focus = Field.title
  var title: TextField
  /// `0xRRGGBB`.
  private(set) var color: Int
  /// The hexadecimal digits of a colour that is typed.
  private(set) var digits = ""
  var cover = CoverField()
  /// Whether the list was deleted elsewhere: what is saved is a new one.
  var isGone = false
  /// Whether the form is to be saved as soon as the image was read.
  var isSaving = false

  init(_ list: RemindersList?, with schema: SchemaVersion) {
    self.list = list
    fields = Field.allCases.filter { $0 != .cover || schema.hasCovers }
    title = TextField(list?.title ?? "")
    color = list?.color ?? RemindersList.defaultColor
  }

  var isNew: Bool { list == nil }

  let contexts: [Context] = [.line, .listForm, .form, .always]
  let hints: [Command.ID] = [
    .save, .cancelForm, .nextField, .chooseImage, .removeImage, .peopleOfForm, .helpInText,
  ]
  var place: String? { isNew ? "New list" : "Edit list" }

  func changeCount(in time: LocalTime) -> Int {
    (title.text != list?.title ?? "" ? 1 : 0)
      + (color != list?.color ?? RemindersList.defaultColor ? 1 : 0) + (cover.isChanged ? 1 : 0)
  }

  func write(in time: LocalTime) throws(Problem) -> Write? {
    guard title.text.contains(where: { !$0.isWhitespace }) else {
      throw Problem("A list needs a name.")
    }
    let newCover: CoverImage??
    switch cover.outcome {
    case .unchanged, .reading: newCover = nil
    case .changed(let image): newCover = .some(image)
    case .failed(let problem): throw problem
    }
    guard let list, !isGone else {
      return .addList(title: title.text, color: color, cover: newCover ?? nil)
    }
    let edits: [ListEdit] =
      (title.text == list.title ? [] : [.title(title.text)])
      + (color == list.color ? [] : [.color(color)])
      + (newCover.map { [.coverImage($0)] } ?? [])
    return edits.isEmpty ? nil : .editList(list.id, edits)
  }

  // MARK: - Keys

  mutating func moveFocus(by count: Int, in time: LocalTime) {
    let index = (fields.firstIndex(of: focus) ?? 0) + count
    moveFocus(to: fields[(index + fields.count) % fields.count])
  }

  mutating func moveFocus(to field: Field) {
    focus = field
    digits = ""
  }

  mutating func complete(in state: AppState) -> Bool { focus == .cover && cover.complete() }

  mutating func paste(_ text: String, in state: AppState) {
    isSaving = false
    switch focus {
    case .title: title.paste(text)
    case .color: break
    case .cover: cover.paste(text)
    }
  }

  mutating func type(_ key: Key, in state: AppState) {
    isSaving = false
    switch (focus, key) {
    case (.title, _): title.handle(key)
    case (.cover, _): cover.type(key)
    case (.color, .left): step(-1)
    case (.color, .right), (.color, .space): step(1)
    case (.color, .backspace): digits = String(digits.dropLast())
    case (.color, _):
      if let digit = key.typed, digit.isHexDigit { type(digit: digit) }
    }
  }

  /// Takes an image file that was chosen.
  mutating func take(_ path: String, _ image: ImageChoice) {
    cover.choose(path, image)
    focus = .cover
  }

  /// Goes to another colour that has a name.
  mutating func step(_ count: Int) {
    digits = ""
    let colors = ListColor.named.map(\.rgb)
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
}

extension ListForm {
  /// The cover that the list would have if the form were saved now.
  func resultingCover(in state: AppState) -> CoverImage? {
    switch cover.outcome {
    case .unchanged: state.home.cover.flatMap { $0.listID == list?.id ? $0.cover : nil }
    case .changed(let image): image
    case .reading, .failed: nil
    }
  }

  func subscriptions(in state: AppState) -> [any Subscription] {
    // What lies above it may choose another image.
    guard state.screens.last is ListForm else { return [] }
    var wanted: [any Subscription] = []
    if focus == .cover, !cover.path.text.isEmpty {
      wanted.append(DirectoryListing(path: cover.directory))
    }
    // While a path is typed, its beginnings are not files to complain about.
    let isTyping = focus == .cover && !cover.namesAnImage && !isSaving
    if !cover.typedPath.isEmpty, !isTyping || cover.image.result(of: cover.typedPath) != nil {
      wanted.append(
        CoverFile(path: cover.typedPath, account: state.sync?.account, attempt: cover.attempt))
    }
    if let image = resultingCover(in: state), let rect = parts(of: state).preview {
      wanted.append(
        Preview(request: PictureRequest(cover: image, space: rect.size, mode: .whole)))
    }
    return wanted
  }
}

extension AppState {
  /// Forgets the file, or takes the cover away.
  mutating func removeImage() -> [Effect] {
    listForm?.cover.remove()
    listForm?.focus = .cover
    return []
  }

  /// Saves the list form when it waited for its image.
  mutating func saveIfWaiting() -> [Effect] {
    guard let form = listForm, form.isSaving, form.cover.outcome != .reading else { return [] }
    return save()
  }
}
