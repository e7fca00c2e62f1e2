import Foundation
import RemindersCore
import RemindersImages

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
/// As text it has a line for each list, `title completed list 1f2e…`, and one for each toggle,
/// `set covers off`. Lines that are not understood are forgotten: another version may have written
/// them.
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

  var text: String {
    let lists = options.map { item, options in
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

extension SidebarItem {
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
      throw Problem("\(optionsFile.path) cannot be read.", hint: "\(error)")
    }
  }

  /// Remembers.
  func write(_ options: RememberedOptions) throws {
    guard let optionsFile else { return }
    do {
      try PrivateFile.replace(optionsFile, with: Data(options.text.utf8))
    } catch {
      throw Problem("\(optionsFile.path) cannot be written.", hint: "\(error)")
    }
  }

  /// Bytes of what is remembered: thousands of lists.
  private static let maximumOptions = 1 << 20
}
