import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

/// What an action makes of the state, and what is to be done about it; pure.
func update(_ state: inout AppState, _ action: Action) -> [Effect] {
  let (options, kept) = (state.home.options, state.keptListDeletion)
  var effects = state.handle(action)
  state.arrange()
  effects += state.remember(since: options)
  if state.keptListDeletion != kept { effects.append(.keepListDeletion(state.keptListDeletion)) }
  return effects
}

extension AppState {
  fileprivate mutating func handle(_ action: Action) -> [Effect] {
    switch action {
    case .terminal(let event): return handle(event)
    case .received(let result):
      result.show(in: &self)
      followGraces()
      return begin() + saveIfWaiting() + rollOver() + placeSharedLists() + announceDue()
    case .writing(let progress): writing = progress
    case .wrote(let write, let result): conclude(write, result)
    case .announced(let announcements): announce(announcements)
    case .shared(let request): conclude(request)
    case .foundInvitations(let invitations):
      self.invitations = invitations
      openInvitations(invitations)
    case .knowsInvitations(let invitations): receive(invitations)
    case .keptListDeletion(let step): undoSteps.insert(step, at: 0)
    case .keptText(let text): bringBack(text)
    case .cloudUnconfirmed(let reason): return openSignOut(unconfirmed: reason)
    case .exported(let path): notify("Exported everything to \(path).")
    case .savedLog(let path): notify("Wrote the log to \(path).")
    case .countedCompleted(let scope, let counts): openClearChoice(scope, counts)
    case .foundAll(let source, let ids): select(ids, in: source)
    case .edited(.success(let text)):
      screens.update(ReminderForm.self) { $0.receive(edited: text) }
    case .edited(.failure(let problem)), .failed(let problem): notify(problem)
    case .readSettings(let settings, let capabilities):
      apply(settings, capabilities)
      notify("Configuration reloaded.")
      notifyWarnings(of: settings)
    case .tick: return tick()
    case .beganSync(let place, let status):
      sync?.place = place
      sync?.status = status
    case .syncStatus(let status): follow(status)
    case .syncEvent(let event):
      follow(event)
      // Somebody may have sent an invitation meanwhile.
      if event == .didFetchChanges { return [.checkInvitations] }
    }
    return []
  }

  private mutating func handle(_ event: TerminalEvent) -> [Effect] {
    switch event {
    case .key(let key):
      dismissMessage()
      announcing.unseen = []
      return press(key)
    // Nobody sees what these would do.
    case .paste where !isLegible, .mouse where !isLegible: break
    case .paste(let text):
      dismissMessage()
      paste(text)
    case .mouse(let event):
      if event.kind == .click { dismissMessage() }
      return handle(event)
    case .resize(let size): self.size = size
    case .showsPictures(let format): appearance.pictureFormat = format
    case .resumed: return sync?.status.isRunning == true ? [.syncNow] : []
    case .reload: return [.readSettings]
    case .hangup:
      // A terminal that goes sends a signal, and is at its end.
      guard !isQuitting else { return [] }
      let text = unsavedText
      return (text.isEmpty ? [] : [.keepText(text)]) + quit()
    }
    return []
  }

  private mutating func conclude(_ write: Write, _ result: Result<Written, Problem>) {
    writing = nil
    if case .endGrace(let ids) = write { endingGraces.subtract(ids) }
    if case .setView(let list, let options) = write {
      let isSaved = if case .success = result { true } else { false }
      concludeView(of: list, options, isSaved: isSaved)
    }
    let saved = saving.flatMap { $0.write == write ? $0.screens : nil }
    if saved != nil { saving = nil }
    switch result {
    case .failure(let problem):
      notify(problem)
      if let saved { screens += saved }
      // What could not be taken back can be tried again.
      switch write {
      case .undo(let step): undoSteps.append(step)
      case .redo(let step): redoSteps.append(step)
      default: break
      }
    case .success(let written):
      switch write {
      case .toggleDone(let ids): beginGraces(of: ids)
      // What was deleted in its grace period comes back in it.
      case .undo(let step), .redo(let step): beginGraces(of: step.reminders)
      default: break
      }
      remember(written.undo, of: write)
      if let added = written.added { home.select(added) }
    }
  }

  /// Puts the inverse of a write on its stack, and says what was done.
  private mutating func remember(_ step: UndoStep?, of write: Write) {
    guard let step, !step.isEmpty else {
      switch write {
      case .restore: notify("Nothing to change.", .refused)
      case .undo:
        let left = step?.whatIsLeft ?? ""
        notify("Nothing was undone. \(left.isEmpty ? "It was changed since." : left)", .refused)
      case .redo: notify("Nothing was redone: it was changed since.", .refused)
      default: break
      }
      return
    }
    switch write {
    case .undo(let taken):
      redoSteps.append(step)
      notify(taken.textWhenUndone(by: step), offering: .redo)
    case .redo(let taken):
      undoSteps.append(step)
      notify("Redone: \(taken.label)", offering: .undo)
    default:
      undoSteps.append(step)
      redoSteps = []
      notify(step.label, offering: .undo)
    }
  }

  private mutating func follow(_ status: SyncStatus) {
    let knownError = sync?.status.lastError
    sync?.status = status
    if let error = status.lastError, error != knownError, status.isRunning {
      notify(Problem(error, hint: status.advice))
    }
  }

  private mutating func follow(_ event: SyncEvent) {
    sync?.append(event, at: time.now)
    switch event {
    case .fetchedRecordZoneChanges(let modified, let deleted, _):
      notify(modified: modified, deleted: deleted)
    case .fetchedDatabaseChanges(_, let owner, .ended):
      notify("\(owner) no longer shares a list with you.", .news)
    case .signIn(let account): notify("Signed in as \(account).", .news)
    case .signOut(let account):
      // What could be taken back is not here any more.
      (undoSteps, redoSteps) = ([], [])
      notify("Signed out of \(account).")
    // Such as an invitation that nobody is there to get; what stops all else, the status says.
    case .failed(let message, let hint) where message != sync?.status.lastError:
      notify(Problem(message, hint: hint))
    case .merged(let conflicts):
      if let conflict = conflicts.first(where: { !$0.theirs.isEmpty }) { notify(conflict) }
    case .withdrawn(let records): notify(takenBack: records)
    default: break
    }
  }

  /// A list or a search that is not on the screen any more must not go unnoticed; other news can.
  private mutating func notify(modified: [SyncEvent.Record], deleted: [SyncEvent.Record]) {
    let glyph = appearance.glyphs.incoming
    for (table, noun, command) in [
      (RemindersList.databaseTableName, "A list", Command.ID.goDeleted as Command.ID?),
      (SavedSearch.databaseTableName, "A saved search", nil),
    ] {
      guard let gone = deleted.first(where: { $0.type == table }) else { continue }
      let name = sidebarTitle(of: gone).map(appearance.glyphs.quoted) ?? noun
      return notify("\(glyph) \(name) was deleted elsewhere.", .news, offering: command)
    }
    guard message == nil else { return }
    let count = counted(modified.count + deleted.count, "change")
    notify("\(glyph) \(count) from elsewhere.", .news)
  }

  private func sidebarTitle(of record: SyncEvent.Record) -> String? {
    guard let sidebar = home.sidebar else { return nil }
    let titles =
      sidebar.lists.map { ("\($0.id)", $0.list.title) }
      + sidebar.searches.map { ("\($0.id)", $0.title) }
    return titles.first { record.name == "\($0.0):\(record.type)" }?.1
  }

  /// Edits that are not on the screen any more must not go unnoticed: they do not wait behind the
  /// answer to a command.
  private mutating func notify(takenBack records: [SyncEvent.Record]) {
    guard let record = records.first else { return }
    let name = quotedTitle(of: record) ?? "a \(FieldName.word(forRowOf: record.type))"
    let what =
      records.count == 1
      ? "Your edit of \(name) was taken back: it is"
      : "Your edits of \(name) and \(records.count - 1) more were taken back: they are"
    notify(
      "\(appearance.glyphs.conflict) \(what) in the history.", .failed, offering: .openSync)
  }

  private func quotedTitle(of record: SyncEvent.Record) -> String? {
    home.rows.first { record.name == "\($0.id):\(record.type)" }
      .map { appearance.glyphs.quoted($0.title) }
  }

  /// Two versions of a record became one: whose fields were kept must not go unnoticed.
  private mutating func notify(_ conflict: SyncEvent.Conflict) {
    let name =
      quotedTitle(of: conflict.record) ?? "A \(FieldName.word(forRowOf: conflict.record.type))"
    notify(
      "\(appearance.glyphs.conflict) \(name) was \(conflict.outcome).", .news,
      offering: .openSync)
  }

  private mutating func tick() -> [Effect] {
    if let end = message?.end, end <= time.now { endMessage() }
    return endGraces(before: time.now) + endAbandonedGraces() + announceDue()
  }

  /// Ends the grace periods that were not over yet when the app started.
  private mutating func endAbandonedGraces() -> [Effect] {
    guard let end = abandonedGracesEnd, end <= time.now else { return [] }
    abandonedGracesEnd = nil
    return [.write(.endAbandonedGraces(begunBy: end.addingTimeInterval(-Reminder.graceSeconds)))]
  }

  /// Lets reminders go on that were completed elsewhere, by an app that cannot.
  private mutating func rollOver() -> [Effect] {
    guard !overdueRollovers.isEmpty else { return [] }
    overdueRollovers = []
    return [.write(.rollOver)]
  }

  /// Gives lists that are shared a place of the person's own, once it is known that no other device
  /// has done so.
  private mutating func placeSharedLists() -> [Effect] {
    guard schema.hasListViews, sync?.status.lastFetch != nil else { return [] }
    let unplaced = (home.sidebar?.lists ?? []).filter {
      $0.view.position == nil && share(of: $0.id) != nil && !placedLists.contains($0.id)
    }.map(\.id)
    placedLists.formUnion(unplaced)
    return unplaced.isEmpty ? [] : [.write(.placeSharedLists)]
  }

  /// Ends the grace periods that are over at a moment.
  private mutating func endGraces(before moment: Date) -> [Effect] {
    let over = graces.filter { $0.value <= moment }.keys.sorted()
    for id in over { graces[id] = nil }
    endingGraces.formUnion(over)
    return over.isEmpty ? [] : [.write(.endGrace(over))]
  }

  /// Runs a clock for each reminder that is shown as being completed and was completed here.
  private mutating func followGraces() {
    for row in home.rows
    where completedHere.contains(row.id) && !endingGraces.contains(row.id) {
      if row.status != .completing {
        graces[row.id] = nil
      } else if graces[row.id] == nil {
        graces[row.id] = time.now.addingTimeInterval(Reminder.graceSeconds)
      }
    }
  }

  /// Runs a clock for reminders that were completed where they are not shown.
  ///
  /// Should some have been reopened instead, the end of their clock changes nothing.
  private mutating func beginGraces(of ids: [Reminder.ID]) {
    for id in ids where home.row(id) == nil && completedHere.contains(id) {
      graces[id] = time.now.addingTimeInterval(Reminder.graceSeconds)
    }
  }

  /// Begins, once the first reminders are there, with what need not keep them waiting.
  ///
  /// The grace periods that are over of an app that was ended by force are ended, and the others
  /// will be in time: nobody else does.
  private mutating func begin() -> [Effect] {
    guard home.shown != nil, !hasBegun else { return [] }
    hasBegun = true
    let grace = Reminder.graceSeconds
    abandonedGracesEnd = time.now.addingTimeInterval(grace)
    let ended = Write.endAbandonedGraces(begunBy: time.now.addingTimeInterval(-grace))
    return [.readListDeletion, .readText, .beginSync, .write(ended)]
  }

  /// Ends the app; what was just completed is complete.
  mutating func quit() -> [Effect] {
    isQuitting = true
    return endGraces(before: .distantFuture) + [.quit]
  }
}

extension Reminder {
  fileprivate static let graceSeconds = TimeInterval(gracePeriod.components.seconds)
}

// MARK: - Keys

extension AppState {
  /// Where keys are listened to, the most particular place first.
  var contexts: [Context] { screens.last?.contexts ?? home.contexts }

  /// Takes away the message about something that did not work: the person goes on.
  private mutating func dismissMessage() {
    switch message?.kind {
    case .refused, .failed: endMessage()
    case .done, .news, .due, nil: break
    }
  }

  mutating func press(_ key: Key) -> [Effect] {
    guard isLegible || isCommand(key, .quit) else { return [] }
    if takeCount(key) { return [] }
    let sequence = pendingKeys + [key]
    pendingKeys = []
    switch keymap.meaning(of: sequence, in: contexts) {
    case .command(let id):
      defer { count = nil }
      if let count, [.first, .last].contains(id) { return goToRow(count) }
      let isMovement = Command.named(id).context == .moving
      return (1...(isMovement ? count ?? 1 : 1)).flatMap { _ in perform(id) }
    case .beginning:
      pendingKeys = sequence
      return []
    case .nothing:
      // A key that does not go on with a sequence ends it, and does nothing else.
      if sequence.count == 1 { type(key) }
      count = nil
      return []
    }
  }

  /// Goes to the row with a number, as vi does.
  private mutating func goToRow(_ number: Int) -> [Effect] {
    perform(.first) + (1..<number).flatMap { _ in perform(.cursorDown) }
  }

  /// Takes a digit of the number before a movement.
  private mutating func takeCount(_ key: Key) -> Bool {
    guard pendingKeys.isEmpty, contexts.contains(.moving), let typed = key.typed, typed.isASCII,
      let digit = typed.wholeNumberValue, digit > 0 || count != nil,
      keymap.meaning(of: [key], in: contexts) == .nothing
    else { return false }
    count = min((count ?? 0) * 10 + digit, Self.greatestCount)
    return true
  }

  private static let greatestCount = 9999

  /// Whether a key stands for a command here, or for this one.
  func isCommand(_ key: Key, _ wanted: Command.ID? = nil) -> Bool {
    switch keymap.meaning(of: pendingKeys + [key], in: contexts) {
    case .command(let id): wanted == nil || id == wanted
    case .beginning: wanted == nil
    case .nothing: false
    }
  }

  /// Performs a command, or says why it is not possible.
  mutating func perform(_ id: Command.ID) -> [Effect] {
    guard schema.has(id) else { return [] }
    let command = Command.named(id)
    if let reason = command.disabledReason(self) {
      notify(reason, .refused)
      return []
    }
    return command.perform(&self)
  }

  private mutating func type(_ key: Key) {
    guard var screen = screens.popLast() else { return }
    screen.type(key, in: self)
    screens.append(screen)
  }

  private mutating func paste(_ text: String) {
    if let prompt = screens.last as? QuickAdd, openAdd(pasted: text, into: prompt) { return }
    guard var screen = screens.popLast() else {
      openAdd(pasted: text)
      return
    }
    screen.paste(text, in: self)
    screens.append(screen)
  }
}
