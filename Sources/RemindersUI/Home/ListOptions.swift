import Foundation
import RemindersCore
import RemindersFiles

/// How the reminders of a list are shown.
struct ListOptions: Equatable, Sendable {
  var sort = ReminderListQuery.Sort.due
  var showsCompleted = false

  /// How a list is shown of which nothing is remembered.
  static func usual(of item: SidebarItem) -> ListOptions {
    ListOptions(sort: item == .smart(.completed) ? .completion : .due)
  }
}

/// What was chosen on the screens and differs from the usual, remembered from one run to the next.
///
/// As text it has a line for each smart list or tag, `title completed smart today`, and one for
/// each toggle, `set covers off`. Lines that are not understood are forgotten: another version may
/// have written them. What is decided about lists is in the database and follows the person to
/// other devices; a schema without a place for that has a line for each list, too.
struct RememberedOptions: Equatable, Sendable {
  private var options: [SidebarItem: ListOptions] = [:]
  /// What was switched on or off by a command.
  var chosen: [Toggle: Bool] = [:]

  init() {}

  init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      if words.count == 3, words[0] == "set" {
        if let toggle = Toggle(rawValue: words[1]) { chosen[toggle] = words[2] == "on" }
        continue
      }
      guard words.count == 3, let sort = ReminderListQuery.Sort(rawValue: words[0]),
        let item = SidebarItem(key: words[2])
      else { continue }
      options[item] = ListOptions(sort: sort, showsCompleted: words[1] == "completed")
    }
  }

  /// - Parameter withLists: Whether lists have lines, too.
  func text(withLists: Bool) -> String {
    let lists = options.filter { withLists || $0.key.list == nil }.map { item, options in
      "\(options.sort.rawValue) \(options.showsCompleted ? "completed" : "open") \(item.key)\n"
    }
    let toggles = chosen.map { "set \($0.rawValue) \($1 ? "on" : "off")\n" }
    return (lists + toggles).sorted().joined()
  }

  subscript(item: SidebarItem) -> ListOptions {
    get { options[item] ?? .usual(of: item) }
    set { options[item] = newValue == .usual(of: item) ? nil : newValue }
  }
}

extension ListOptions {
  /// What a person decided about a list; the usual where that is nothing.
  init(_ view: ListView) {
    self.init(sort: view.sort ?? .due, showsCompleted: view.showsCompleted ?? false)
  }
}

extension SidebarItem {
  /// The list that it is, if it is one.
  fileprivate var list: RemindersList.ID? { if case .list(let id) = self { id } else { nil } }

  /// The item in a line of text.
  fileprivate var key: String {
    switch self {
    case .smart(let list): "smart \(list.rawValue)"
    case .saved(let id): "saved \(id)"
    case .list(let id): "list \(id)"
    case .tag(let title): "tag \(title)"
    }
  }

  fileprivate init?(key: String) {
    let parts = key.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "smart":
      guard let list = SmartList(rawValue: parts[1]) else { return nil }
      self = .smart(list)
    case "saved": self = .saved(parts[1])
    case "list": self = .list(parts[1])
    case "tag": self = .tag(parts[1])
    default: return nil
    }
  }
}

extension UIEnvironment {
  /// Reads what was remembered; nothing in the first run.
  func readOptions() throws -> RememberedOptions {
    guard let optionsFile, FileManager.default.fileExists(atPath: optionsFile.path) else {
      return RememberedOptions()
    }
    PrivateFile.tighten(optionsFile.path)
    do {
      let data = try OrdinaryFile(optionsFile.path).read(atMost: Self.maximumOptions)
      return RememberedOptions(text: String(decoding: data, as: UTF8.self))
    } catch {
      throw Problem("\(optionsFile.path) cannot be read.", hint: Problem(error).reason)
    }
  }

  /// Remembers.
  func write(_ options: String) throws {
    guard let optionsFile else { return }
    do {
      try PrivateFile.replace(optionsFile, with: Data(options.utf8))
    } catch {
      throw Problem("\(optionsFile.path) cannot be written.", hint: Problem(error).reason)
    }
  }

  /// Bytes of what is remembered: thousands of lists.
  private static let maximumOptions = 1 << 20
}

/// How a list is to be shown from now on, while that is being written.
struct SavingView: Equatable, Sendable {
  var options: ListOptions
  /// Whether it is written: what is found next counts.
  var isSaved = false
}

extension AppDatabase {
  /// Decides how a list is shown; the usual is nothing to decide.
  func setView(of list: RemindersList.ID, _ options: ListOptions) async throws {
    let usual = ListOptions()
    try await setView(
      of: list, sort: options.sort == usual.sort ? nil : options.sort,
      showsCompleted: options.showsCompleted == usual.showsCompleted
        ? nil : options.showsCompleted)
  }
}

extension AppState {
  /// Takes over how lists are shown, on whatever device that was decided.
  ///
  /// What a version before kept in a file of this device stays where nothing is decided yet.
  mutating func takeViews(of sidebar: Sidebar) {
    guard schema.hasListViews else { return }
    let isFirst = home.sidebar == nil
    for row in sidebar.lists {
      if savingViews[row.id]?.isSaved == true { savingViews[row.id] = nil }
      let isDecided = row.view.sort != nil || row.view.showsCompleted != nil
      guard savingViews[row.id] == nil, isDecided || !isFirst else { continue }
      home.options[.list(row.id)] = ListOptions(row.view)
    }
  }

  /// Keeps what is decided about how lists are shown: of lists with the data, of all else in a
  /// file.
  mutating func remember(since before: RememberedOptions) -> [Effect] {
    let text = home.options.text(withLists: !schema.hasListViews)
    let isMoved = hasFiledViews && home.sidebar != nil
    if isMoved { hasFiledViews = false }
    let hasChanged = isMoved || text != before.text(withLists: !schema.hasListViews)
    return saveViews() + (hasChanged ? [.remember(text)] : [])
  }

  private mutating func saveViews() -> [Effect] {
    guard schema.hasListViews else { return [] }
    return (home.sidebar?.lists ?? []).compactMap { row in
      let options = home.options[.list(row.id)]
      guard options != savingViews[row.id]?.options ?? ListOptions(row.view) else { return nil }
      savingViews[row.id] = SavingView(options: options)
      return .write(.setView(row.id, options))
    }
  }

  /// A write of how a list is shown ended; one that failed is not tried again.
  mutating func concludeView(of list: RemindersList.ID, _ options: ListOptions, isSaved: Bool) {
    guard savingViews[list]?.options == options else { return }
    if isSaved {
      savingViews[list]?.isSaved = true
    } else {
      savingViews[list] = nil
      let row = home.sidebar?.lists.first { $0.id == list }
      home.options[.list(list)] = ListOptions(row?.view ?? ListView())
    }
  }
}
