import RemindersCore
import RemindersTerminal

/// A form with all fields of a reminder, new or not.
///
/// What others change meanwhile flows into the fields that were not touched; in the others, what is
/// typed stays, and the form says what it is up against.
struct ReminderForm: Form, DueEditing {
  /// The reminder; nil for a new one.
  let reminderID: Reminder.ID?
  /// Those that the schema has.
  let fields: [ReminderField]
  /// Why nothing can be changed; nil when it can.
  let readOnlyReason: String?
  /// What it is part of, as it was called when the form was opened.
  let parentTitle: String?
  /// What the fields said when they were last equal to the database.
  private(set) var base: ReminderDraft
  /// What the database says where that is something else and the field was touched.
  private(set) var theirs: [ReminderField: ReminderDraft] = [:]
  /// Whether all of the notes is known: a row of a list has the beginning, and whoever edited and
  /// saved that would lose the rest.
  private(set) var hasWholeNotes: Bool
  /// Whether the reminder was deleted elsewhere: saved it comes back.
  private(set) var isGone = false
  /// The fields that were typed into before the app was ended, until it is known what the reminder
  /// says: nothing tells whether they say something else.
  private var restored: Set<ReminderField> = []
  /// The field that has the keys.
  var focus = ReminderField.title
  private var editors: [ReminderField: FieldEditor]
  /// The due date that was filled in because the repeat says it, as it is typed.
  private var dueOfRepeat: String?
  /// Whether somebody had taken the due date away before.
  private var wasDueCleared = false

  init(
    _ draft: ReminderDraft, of id: Reminder.ID?, in time: LocalTime, with schema: SchemaVersion,
    under parentTitle: String? = nil, readOnlyReason: String? = nil
  ) {
    reminderID = id
    hasWholeNotes = id == nil
    self.parentTitle = parentTitle
    self.readOnlyReason = readOnlyReason
    fields = schema.fields.filter { $0 != .parent }
    base = draft
    editors = Dictionary(
      uniqueKeysWithValues: ReminderField.all.map { ($0, FieldEditor($0, of: draft, in: time)) })
  }

  /// A form that was open when the app was ended.
  init(_ unsaved: UnsavedText.Form, in time: LocalTime, with schema: SchemaVersion) {
    self.init(
      ReminderDraft(listID: unsaved.list), of: unsaved.reminder, in: time, with: schema)
    restore(unsaved)
    restored = isNew ? [] : Set(fields.filter { unsaved.fields[$0.column] != nil })
  }

  var isNew: Bool { reminderID == nil }

  var contexts: [Context] {
    let field: [Context] =
      switch focus {
      case .notes: [.notes]
      case .due: [.dueField, .line]
      default: [.line]
      }
    return field + [.reminderForm, .form, .always]
  }

  var hints: [Command.ID] {
    switch focus {
    case .due: [.save, .cancelForm, .dayLater, .dayEarlier, .today, .clearDue, .helpInText]
    case .notes: [.save, .cancelForm, .nextField, .editInEditor, .takeTheirs, .helpInText]
    default: [.save, .cancelForm, .nextField, .previousField, .takeTheirs, .helpInText]
    }
  }

  var place: String? { heading }

  func subscriptions(in state: AppState) -> [any Subscription] {
    reminderID.map { [ReminderQuery($0)] } ?? []
  }

  private(set) subscript(field: ReminderField) -> FieldEditor {
    // There is one for every field of the table.
    get { editors[field]! }
    set { editors[field] = newValue }
  }
}

// MARK: - Changes

extension ReminderForm {
  /// Whether a field says something else than it did.
  func isChanged(_ field: ReminderField, in time: LocalTime) -> Bool {
    field == .tags
      ? FieldEditor.tags(in: self[field].text, of: base.tags) != base.tags
      : self[field].text != FieldEditor(field, of: base, in: time).text
  }

  func changedFields(in time: LocalTime) -> [ReminderField] {
    fields.filter { restored.contains($0) || isChanged($0, in: time) }
  }

  func changeCount(in time: LocalTime) -> Int { changedFields(in: time).count }

  func write(in time: LocalTime) throws(Problem) -> Write? {
    var filled = self
    filled.fillEmptyDue(in: time)
    return try filled.writeFilled(in: time)
  }

  private func writeFilled(in time: LocalTime) throws(Problem) -> Write? {
    guard self[.title].text.contains(where: { !$0.isWhitespace }) else {
      throw Problem("A reminder needs a title.")
    }
    let changed = isNew ? fields : changedFields(in: time)
    var draft = base
    for field in changed { try self[field].write(field, to: &draft, in: time) }
    guard let reminderID else { return .add([draft]) }
    var edits = changed.map { ReminderEdit.set($0, draft) }
    // The date that stands in the form counts, also where the new rule does not have it.
    if let due = draft.due, !changed.contains(.due), changed.contains(.recurrence),
      draft.recurrence.map({ $0.first(onOrAfter: due, in: time) != due }) == true
    {
      edits.append(.set(.due, draft))
    }
    if isGone { return .saveDeleted(reminderID, draft, edits) }
    return changed.isEmpty ? nil : .edit([reminderID], edits)
  }

  // MARK: - What others change

  /// Takes over what the database now knows.
  fileprivate mutating func receive(_ details: ReminderRow?, in time: LocalTime) {
    isGone = details == nil
    guard let latest = details?.reminder.draft else {
      // What was typed before the app was ended has all of them; else they come back as they were.
      if restored.contains(.notes) { hasWholeNotes = true }
      return
    }
    hasWholeNotes = true
    if !restored.isEmpty {
      let typed = unsavedText(in: time)
      base = latest
      for field in fields { self[field] = FieldEditor(field, of: latest, in: time) }
      typed.map { restore($0) }
      restored = []
    }
    for field in fields {
      if field.isEqual(latest, base) {
        theirs[field] = nil
      } else if isChanged(field, in: time) {
        theirs[field] = latest
      } else {
        take(field, from: latest, in: time)
      }
    }
  }

  /// What would be lost without the form; nil when nothing would.
  func unsavedText(in time: LocalTime) -> UnsavedText.Form? {
    let changed = changedFields(in: time)
    guard !changed.isEmpty else { return nil }
    return UnsavedText.Form(
      reminder: reminderID, list: base.listID,
      fields: Dictionary(uniqueKeysWithValues: changed.map { ($0.column, self[$0].text) }))
  }

  private mutating func restore(_ unsaved: UnsavedText.Form) {
    for field in fields {
      if let text = unsaved.fields[field.column] { self[field].restore(text) }
    }
  }

  /// Gives up what was typed into a field for what the database says.
  mutating func takeTheirs(in time: LocalTime) {
    let field = theirs[focus] == nil ? fields.first { theirs[$0] != nil } : focus
    guard let field, let latest = theirs.removeValue(forKey: field) else { return }
    take(field, from: latest, in: time)
  }

  private mutating func take(
    _ field: ReminderField, from latest: ReminderDraft, in time: LocalTime
  ) {
    field.copy(from: latest, to: &base)
    self[field] = FieldEditor(field, of: latest, in: time)
  }
}

// MARK: - Keys

extension ReminderForm {
  /// Keys that move the caret in a text, and change nothing.
  private static let movingKeys: Set<Key> = [.up, .down, .left, .right, .home, .end]

  mutating func type(_ key: Key, in state: AppState) {
    guard canBeEdited || self[focus].isText && Self.movingKeys.contains(key) else { return }
    self[focus].type(
      key, columns: Self.fieldColumns(in: state.size.columns), of: state.home.sidebar)
    if focus == .recurrence { fillDue(in: state.time) }
  }

  /// Whether what is typed goes into the field that has the keys.
  private var canBeEdited: Bool { readOnlyReason == nil && (focus != .notes || hasWholeNotes) }

  mutating func paste(_ text: String, in state: AppState) {
    guard canBeEdited else { return }
    self[focus].paste(text)
    if focus == .recurrence { fillDue(in: state.time) }
  }

  /// Fills in when the typed repeat is due for the first time, unless somebody typed a date.
  private mutating func fillDue(in time: LocalTime) {
    if self[.due].text == dueOfRepeat {
      self[.due] = FieldEditor(.due, of: base, in: time)
      if wasDueCleared { self[.due].restore("") }
    }
    (dueOfRepeat, wasDueCleared) = (nil, self[.due].text.isEmpty)
    guard wasDueCleared || !isChanged(.due, in: time), isChanged(.recurrence, in: time),
      // What is not understood yet says nothing of a date.
      let typed = try? TypedSeries(self[.recurrence].text, in: time), typed.rule != nil
    else { return }
    var draft = base
    draft.due = typed.firstDue(from: wasDueCleared ? nil : base.due, in: time)
    self[.due] = FieldEditor(.due, of: draft, in: time)
    dueOfRepeat = self[.due].text
  }

  /// The same once more, where somebody has emptied the due date since.
  private mutating func fillEmptyDue(in time: LocalTime) {
    if self[.due].text.isEmpty { fillDue(in: time) }
  }

  /// What a repeat beside another due date, or none, comes to; nil where nothing needs to be said.
  func noteOnRepeat(in time: LocalTime) -> String? {
    guard case .due(let field) = self[.due], isChanged(.due, in: time),
      // What is not understood yet says nothing of a date.
      let typed = try? TypedSeries(self[.recurrence].text, in: time), typed.rule != nil,
      // Neither does this.
      let due = try? field.due(in: time)
    else {
      let isTaken = self[.due].text.isEmpty && base.due != nil && base.recurrence != nil
      return isTaken && !isChanged(.recurrence, in: time)
        ? "Without a due date it comes no more." : nil
    }
    guard self[.due].text != dueOfRepeat, isChanged(.recurrence, in: time),
      typed.firstDue(from: due, in: time) != due,
      let own = typed.firstDue(from: nil, in: time)
    else { return nil }
    return "The due date above counts. Empty it for \(own.dateText(in: time))."
  }

  mutating func receive(edited text: String) {
    guard case .notes(var area) = self[.notes] else { return }
    area.text = text
    self[.notes] = .notes(area)
  }

  mutating func changeDue(_ change: (inout DueField) -> Void) {
    guard case .due(var due) = self[.due] else { return }
    change(&due)
    self[.due] = .due(due)
  }

  func problem(in time: LocalTime) -> Problem? {
    // A repeat may still say when it is due: by that an alarm may go.
    problem(of: focus, due: .day(time.today), in: time)
  }

  mutating func moveFocusToProblem(in time: LocalTime) {
    var filled = self
    filled.fillEmptyDue(in: time)
    var draft = base
    // What is no date is found below.
    try? filled[.due].write(.due, to: &draft, in: time)
    let field = fields.first { filled.problem(of: $0, due: draft.due, in: time) != nil }
    if let field { focus = field }
  }

  /// Why what is typed in a field makes no sense beside a due date; nil when it does.
  private func problem(
    of field: ReminderField, due: DueDate?, in time: LocalTime
  ) -> Problem? {
    guard isChanged(field, in: time) else { return nil }
    var draft = base
    draft.due = due
    do throws(Problem) {
      try self[field].write(field, to: &draft, in: time)
      return nil
    } catch {
      return error
    }
  }

  mutating func moveFocus(by count: Int, in time: LocalTime) {
    let index = fields.firstIndex(of: focus) ?? 0
    moveFocus(to: fields[(index + count + fields.count) % fields.count], in: time)
  }

  mutating func moveFocus(to field: ReminderField, in time: LocalTime) {
    if focus == .due, field != .due { fillEmptyDue(in: time) }
    focus = field
  }

  /// Puts the caret at a point of the field that has the keys.
  mutating func moveCaret(to point: Point, in size: Size) {
    self[focus].moveCaret(to: point, in: size)
  }

  /// Chooses what stands in a column of the field that has the keys.
  mutating func choose(atColumn column: Int, in state: AppState) {
    if canBeEdited { self[focus].choose(atColumn: column, state) }
  }

  /// Tags that begin with the word that is being typed, and are not there yet.
  func suggestions(of sidebar: Sidebar?) -> [Sidebar.TagRow] {
    guard focus == .tags, let line = tagLine, let word = Self.tag(endingIn: line), !word.isEmpty
    else { return [] }
    let present = Set(FieldEditor.tags(in: line.text, of: base.tags).map { $0.lowercased() })
    let tags = sidebar?.tags ?? []
    // A whole tag is meant as it is typed.
    guard !tags.contains(where: { $0.title.lowercased() == word }) else { return [] }
    return tags.filter { row in
      row.title.lowercased().hasPrefix(word) && !present.contains(row.title.lowercased())
    }
  }

  private var tagLine: TextField? {
    if case .line(let line) = self[.tags] { line } else { nil }
  }

  private static func tag(endingIn line: TextField) -> String? {
    line.text.split(omittingEmptySubsequences: false) { $0.isWhitespace || $0.separatesTags }.last
      .map { $0.drop { $0 == "#" }.lowercased() }
  }

  /// Completes the tag that is being typed.
  mutating func complete(in state: AppState) -> Bool {
    guard let suggestion = suggestions(of: state.home.sidebar).first, var line = tagLine else {
      return false
    }
    let typed = line.text.reversed().prefix { !$0.isWhitespace && !$0.separatesTags }
    line.text = line.text.dropLast(typed.count) + "#\(suggestion.title) "
    self[.tags] = .line(line)
    return true
  }
}

extension ReminderQuery: ShownQuery {
  func show(_ details: ReminderRow?, in state: inout AppState) {
    let time = state.time
    state.screens.update(ReminderForm.self) {
      if $0.reminderID == id { $0.receive(details, in: time) }
    }
  }
}
