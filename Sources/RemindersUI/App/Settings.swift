import RemindersCore
import RemindersTerminal

/// What the person decided in their configuration file.
///
/// A line that is not understood is skipped with a warning; it never keeps the app from starting.
public struct Settings: Sendable {
  /// What the roles look like.
  public var theme = Theme(.auto)
  /// Whether the mouse is used; while it is, selecting text in the terminal needs shift.
  public var usesMouse = true
  /// Whether the signs are ASCII even where the terminal shows Unicode.
  public var usesASCII = false
  /// Whether synchronization runs, unless the app is told otherwise.
  public var synchronizes: Bool { toggles[.sync] ?? Toggle.sync.standard }
  /// What was switched on or off.
  private(set) var toggles: [Toggle: Bool] = [:]
  /// How reminders are announced that have no alarm of their own.
  public var alarmRules = AlarmRules.standard
  /// Which keys mean what.
  var keymap = Keymap.standard
  /// What was not understood, with the number of the line.
  public private(set) var warnings: [String] = []

  /// The defaults.
  public init() {}

  /// The defaults, because of what the warning says.
  public init(warning: String) {
    warnings = [warning]
  }

  /// The settings in the text of a configuration file.
  public init(_ text: String) {
    // The end of a line that Windows writes is one character, and another one.
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace).map {
        // Nothing that is known is as long.
        String($0).shortened(to: 60)
      }
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      do throws(Problem) {
        try apply(first, Array(words.dropFirst()))
      } catch {
        warnings.append("config line \(index + 1): \(error)")
      }
    }
  }

  private mutating func apply(_ verb: String, _ words: [String]) throws(Problem) {
    switch (verb, words.count) {
    case ("set", 2): try set(words[0], to: words[1])
    case ("bind", 2): try bind(words[0], to: words[1])
    case ("color", 2...): try color(words[0], Array(words.dropFirst()))
    case ("set", _): throw Problem("set needs a name and a value.", hint: "set theme dark")
    case ("bind", _): throw Problem("bind needs a key and a command.", hint: "bind n addReminder")
    case ("color", _): throw Problem("color needs a role and a colour.", hint: "color tag green")
    default: throw Problem("“\(verb)” is not known.", hint: "Lines begin with set, bind or color.")
    }
  }

  private mutating func set(_ name: String, to value: String) throws(Problem) {
    switch (name, value) {
    case ("theme", _):
      guard let theme = Theme.Name(rawValue: value) else {
        let names = Theme.Name.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem("There is no theme “\(value)”.", hint: "There are: \(names).")
      }
      self.theme = Theme(theme)
    case ("mouse", _): usesMouse = try Self.isOn(value)
    case ("ascii", _): usesASCII = try Self.isOn(value)
    case ("covers", _): toggles[.covers] = try Self.isOn(value)
    case ("sidebar", _): toggles[.sidebar] = try Self.isOn(value)
    case ("sync", _): toggles[.sync] = try Self.isOn(value)
    case ("timealarm", _): alarmRules.announcesTimes = try Self.isOn(value)
    case ("dayalarm", _): try setDayAlarm(value)
    case ("density", "compact"), ("density", "normal"): toggles[.compact] = value == "compact"
    case ("density", _): throw Problem("“\(value)” is neither compact nor normal.")
    default:
      throw Problem(
        "There is no setting “\(name)”.",
        hint: "There are: theme, density, covers, sidebar, sync, timealarm, dayalarm, mouse, "
          + "ascii.")
    }
  }

  private mutating func setDayAlarm(_ value: String) throws(Problem) {
    if ["no", "off"].contains(value) {
      alarmRules.announcesDays = false
    } else if let minutes = LocaleFormat.minutes(ofClock: value) {
      (alarmRules.announcesDays, alarmRules.dayMinutes) = (true, minutes)
    } else {
      throw Problem("“\(value)” is neither a time nor off.", hint: "For example: 9:00.")
    }
  }

  private static func isOn(_ value: String) throws(Problem) -> Bool {
    switch value {
    case "yes", "on": true
    case "no", "off": false
    default: throw Problem("“\(value)” is neither yes nor no.")
    }
  }

  private mutating func bind(_ keys: String, to name: String) throws(Problem) {
    guard let sequence = Key.sequence(keys), !sequence.isEmpty else {
      throw Problem("“\(keys)” is not a key.", hint: "For example: n, gx, <c-n>, <f5>.")
    }
    guard let id = Command.ID(rawValue: Self.formerNames[name] ?? name) else {
      throw Problem(
        "There is no command “\(name)”.", hint: "reminders config --defaults names them all.")
    }
    keymap.bind(sequence, to: id)
  }

  /// What commands and roles were called before: configurations that say so go on working.
  private static let formerNames = [
    "mark": "select", "markAll": "selectAll", "dropMarks": "deselectAll",
    "leaveLosses": "leaveHistory", "selection": "cursor", "selectionElsewhere": "cursorElsewhere",
    "marked": "selected",
  ]

  private mutating func color(_ name: String, _ words: [String]) throws(Problem) {
    guard let role = Role(rawValue: Self.formerNames[name] ?? name) else {
      let names = Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem("There is no role “\(name)”.", hint: "There are: \(names).")
    }
    let colors = try words.prefix(2).map { word throws(Problem) in try Self.color(word) }
    var attributes: Attributes = []
    for word in words.dropFirst(2) {
      guard let attribute = Self.attributes[word] else {
        throw Problem("“\(word)” is not an attribute.", hint: "For example: bold, reverse.")
      }
      attributes.insert(attribute)
    }
    let background = colors.count > 1 ? colors[1] : nil
    theme = theme.replacing(role, with: Look(colors[0], on: background, attributes))
  }

  private static func color(_ word: String) throws(Problem) -> Color? {
    if word == "default" { return nil }
    if let index = colorNames.firstIndex(of: word) { return .ansi(UInt8(index)) }
    if word.hasPrefix("#"), word.count == 7, let value = UInt32(word.dropFirst(), radix: 16) {
      return .rgb(RGB(value))
    }
    throw Problem("“\(word)” is not a colour.", hint: "For example: red, bright-blue, #4A99EF.")
  }

  private static let colorNames: [String] = {
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
    return names + names.map { "bright-\($0)" }
  }()

  private static let attributes: [String: Attributes] = [
    "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse, "italic": .italic,
  ]

  /// The configuration file that changes nothing: what can be set, in comments.
  public static var defaults: String {
    """
    # How things look: \(Theme.Name.allCases.map(\.rawValue).joined(separator: ", ")).
    # set theme auto
    # compact: each reminder takes one line, without notes and tags.
    # set density normal
    # The covers of lists.
    # set covers on
    # off: the lists are shown only while they have the keys.
    # set sidebar on
    # off: the app starts with synchronization stopped; edits are kept.
    # set sync on
    # Whether a reminder with a due time and no alarm of its own is announced at that time.
    # set timealarm on
    # When one that is due on a day is announced; off: not at all.
    # set dayalarm 9:00
    # Click and scroll; selecting text in the terminal then needs shift.
    # set mouse yes
    # Signs in ASCII even where the terminal shows Unicode.
    # set ascii no

    # Colours of roles: foreground, background, attributes.
    # Roles: \(Role.allCases.map(\.rawValue).joined(separator: ", ")).
    # Colours: default, \(colorNames.joined(separator: ", ")), #4A99EF.
    # Attributes: \(attributes.keys.sorted().joined(separator: ", ")).
    # color overdue red default bold

    # Keys of commands.
    \(Command.all.map { command in
      command.keys.map { "# bind \($0) \(command.id.rawValue)" }.joined(separator: "\n")
    }.joined(separator: "\n"))

    """
  }
}
