import Reminders
import Terminal

/// A screen, form or prompt that lies above the home screen and has the keys.
enum Screen: Equatable, Sendable {
  case quickAdd(QuickAdd)
  case duePrompt(DuePrompt)
  case reminderForm(ReminderForm)
  case listForm(ListForm)
  case imageBrowser(ImageBrowser)
  case tagPicker(TagPicker)
  case tagForm(TagForm)
  case choice(Choice)
  case question(Question)
  case search(SearchScreen)
  case sync(SyncScreen)
  case account
  case signIn(SignInForm)
  case share(ShareScreen)
  case shareForm(ShareForm)
  case deleted(DeletedScreen)
  case history(HistoryScreen)
  case help(HelpScreen)
}

extension Screen {
  /// Where keys are listened to, the most particular place first.
  var contexts: [Context] {
    switch self {
    case .quickAdd: [.quickAdd, .prompt, .always]
    case .duePrompt: [.dueField, .prompt, .always]
    case .choice, .tagForm, .signIn, .shareForm, .help, .imageBrowser: [.prompt, .always]
    case .reminderForm(let form):
      switch form.focus {
      case .notes: [.notes, .reminderForm, .form, .always]
      case .due: [.dueField, .line, .reminderForm, .form, .always]
      default: [.line, .reminderForm, .form, .always]
      }
    case .listForm: [.line, .listForm, .form, .always]
    case .tagPicker: [.tagPicker, .prompt, .always]
    case .question: [.question, .always]
    case .search(let search):
      search.isTyping
        ? [.searchField, .always] : [.hits, .reminders, .moving, .anywhere, .always]
    case .sync(let sync):
      sync.contexts
    case .account: [.account, .anywhere, .always]
    case .share: [.sharing, .moving, .anywhere, .always]
    case .deleted, .history: [.losses, .moving, .anywhere, .always]
    }
  }

  /// Whether it covers everything between the header and the messages.
  var isFullPage: Bool {
    switch self {
    case .search, .sync, .account, .share, .deleted, .history, .help: true
    case .quickAdd, .duePrompt, .reminderForm, .listForm, .imageBrowser, .tagForm, .tagPicker,
      .signIn, .shareForm, .choice, .question:
      false
    }
  }

  /// Its name in the header, when it is a place of its own.
  var title: String? {
    switch self {
    case .search: "Search"
    case .sync: "Sync"
    case .account: "Account"
    case .share: "People"
    case .deleted: "Recently deleted"
    case .history: "History"
    case .help: "Help"
    case .reminderForm(let form): form.heading
    case .listForm(let form): form.isNew ? "New list" : "Edit list"
    case .imageBrowser: "Choose an image"
    case .quickAdd, .duePrompt, .tagForm, .tagPicker, .signIn, .shareForm, .choice, .question: nil
    }
  }

  /// The reminder that an open form is about.
  var editedReminderID: Reminder.ID? {
    if case .reminderForm(let form) = self { form.reminderID } else { nil }
  }

  /// What is searched for.
  func searchQuery(in day: LocalTime) -> SearchQuery? {
    if case .search(let search) = self { search.query(in: day) } else { nil }
  }

  // MARK: - Keys

  /// Takes a key that no command is bound to.
  mutating func type(_ key: Key, in state: AppState) {
    switch self {
    case .quickAdd(var screen):
      screen.field.handle(key)
      self = .quickAdd(screen)
    case .duePrompt(var screen):
      screen.due.type(key)
      self = .duePrompt(screen)
    case .reminderForm(var form):
      form.type(key, in: state)
      self = .reminderForm(form)
    case .listForm(var form):
      form.type(key)
      self = .listForm(form)
    case .imageBrowser(var browser):
      browser.picker.handle(key)
      self = .imageBrowser(browser)
    case .tagPicker(var picker):
      picker.type(key, of: state.home.sidebar)
      self = .tagPicker(picker)
    case .tagForm(var form):
      form.field.handle(key)
      self = .tagForm(form)
    case .signIn(var form):
      form.field.handle(key)
      self = .signIn(form)
    case .shareForm(var form):
      form.field.handle(key)
      self = .shareForm(form)
    case .choice(var choice):
      choice.picker.handle(key)
      self = .choice(choice)
    case .search(var search):
      search.type(key)
      self = .search(search)
    case .help(var help):
      help.type(key)
      self = .help(help)
    case .sync(var sync):
      sync.type(key)
      self = .sync(sync)
    case .question, .account, .share, .deleted, .history: break
    }
  }

  /// Takes text that was pasted.
  mutating func paste(_ text: String, in state: AppState) {
    switch self {
    case .quickAdd(var screen):
      screen.field.paste(text)
      self = .quickAdd(screen)
    case .duePrompt(var screen):
      screen.due.paste(text)
      self = .duePrompt(screen)
    case .reminderForm(var form):
      form.paste(text)
      self = .reminderForm(form)
    case .listForm(var form):
      form.paste(text)
      self = .listForm(form)
    case .imageBrowser(var browser):
      browser.picker.paste(text)
      self = .imageBrowser(browser)
    case .tagPicker(var picker):
      picker.filter.paste(text)
      self = .tagPicker(picker)
    case .tagForm(var form):
      form.field.paste(text)
      self = .tagForm(form)
    case .signIn(var form):
      form.field.paste(text)
      self = .signIn(form)
    case .shareForm(var form):
      form.field.paste(text)
      self = .shareForm(form)
    case .choice(var choice):
      choice.picker.paste(text)
      self = .choice(choice)
    case .search(var search):
      search.paste(text)
      self = .search(search)
    case .help(var help):
      help.filter.paste(text)
      self = .help(help)
    case .sync(var sync):
      sync.paste(text)
      self = .sync(sync)
    case .question, .account, .share, .deleted, .history: break
    }
  }

  // MARK: - What arrives

  /// Takes the text that an editor gave back.
  mutating func receive(edited text: String) {
    if case .reminderForm(var form) = self {
      form.receive(edited: text)
      self = .reminderForm(form)
    }
  }

  /// Takes what the database now knows of the reminder in the form.
  mutating func receive(_ details: ReminderDetails?, of id: Reminder.ID, in time: LocalTime) {
    if case .reminderForm(var form) = self, form.reminderID == id {
      form.receive(details, in: time)
      self = .reminderForm(form)
    }
  }

  /// Takes what a search found.
  mutating func receive(_ result: SearchResult, of query: SearchQuery) {
    if case .search(var search) = self {
      search.receive(result, of: query)
      self = .search(search)
    }
  }

  /// Takes what was found of the marked hits.
  mutating func receive(_ marked: MarkedReminders, of query: MarkedQuery) {
    if case .search(var search) = self {
      search.marks.receive(marked, of: query)
      self = .search(search)
    }
  }

  /// Takes what was found of what lost, or waits.
  mutating func receive(_ finding: Finding) {
    switch (self, finding) {
    case (.deleted(var screen), .deleted(let items)):
      screen.items = items
      self = .deleted(screen)
    case (.history(var screen), .history(let query, let history)) where screen.query == query:
      screen.receive(history)
      self = .history(screen)
    case (.sync(var screen), .syncDetails(let details)):
      screen.details = details
      self = .sync(screen)
    case (.sync(var screen), .recordTitles(let titles)):
      screen.log.receive(titles)
      self = .sync(screen)
    case (.share(var screen), .shares(let shares)):
      screen.share = shares.first { $0.id == screen.listID }
      self = .share(screen)
    default: break
    }
  }

  /// Fits its list to the room it has.
  ///
  mutating func arrange(_ layout: Layout, _ state: AppState) {
    switch self {
    case .search(var search):
      search.arrange(layout)
      self = .search(search)
    case .help(var help):
      help.arrange(layout)
      self = .help(help)
    case .deleted(var screen):
      screen.arrange(layout)
      self = .deleted(screen)
    case .history(var screen):
      screen.arrange(layout)
      self = .history(screen)
    case .share(var screen):
      screen.arrange(layout)
      self = .share(screen)
    case .sync(var screen):
      let area = state.syncArea
      screen.arrange(
        area, state.sync?.log ?? [], SyncScreen.Look(state, columns: area.size.columns))
      self = .sync(screen)
    default: break
    }
  }
}
