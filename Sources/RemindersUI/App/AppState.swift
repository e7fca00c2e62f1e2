import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

/// All that the app knows: one value, from which every screen is drawn.
struct AppState: Equatable, Sendable {
  /// The extent of the terminal.
  var size: Size
  /// The present moment, as of the last action.
  var time: LocalTime
  /// How things look.
  var appearance: Appearance
  /// Which keys mean what.
  var keymap: Keymap
  /// What the configuration switched on or off.
  var configured: [Toggle: Bool] = [:]
  /// Whether the data can only be read.
  var isReadOnly = false
  /// The version of the schema that the file has: what it lacks is not shown.
  let schema: SchemaVersion
  /// The screen that is always there.
  var home = HomeState()
  /// What lies above it; the last one has the keys.
  var screens = ScreenStack()
  /// The beginning of a sequence of keys.
  var pendingKeys: [Key] = []
  /// How often the next movement is done: the number that was typed before it.
  var count: Int?
  /// What was typed to add reminders in one line.
  var quickAddMemory = QuickAddMemory()
  /// A form whose write is under way, to come back if the write fails.
  var saving: Saving?
  /// How far a write is that takes long.
  var writing: WriteProgress?
  /// The last keys that wait for what those before them lead to, where that takes long enough to be
  /// shown; nil where it does not.
  var waitingKeys: [Key]?
  /// A line for the person.
  var message: Message?
  /// The latest news that came while the line was taken.
  var waitingNews: Message?
  /// Recent messages, the newest last.
  private(set) var recentMessages: [RecentMessage] = []
  /// What there is to announce, and what was.
  var announcing = Announcing()
  /// How to take back the writes, the last one last.
  var undoSteps: [UndoStep] = []
  /// How to do again what was taken back.
  var redoSteps: [UndoStep] = []
  /// When the grace period of each reminder ends that was completed here.
  var graces: [Reminder.ID: Date] = [:]
  /// The reminders whose grace period is being ended by a write.
  var endingGraces: Set<Reminder.ID> = []
  /// The reminders whose grace period this app runs, and not another device.
  var completedHere: Set<Reminder.ID> = []
  /// Whether the first reminders were found, and all else begun.
  var hasBegun = false
  /// When the grace periods are over that an app left which was ended by force; nil afterwards.
  var abandonedGracesEnd: Date?
  /// How lists are to be shown whose writes are under way.
  var savingViews: [RemindersList.ID: SavingView] = [:]
  /// Whether the file of this device still says how lists are shown, as that of a version before.
  var hasFiledViews = false
  /// The lists that were given a place of the person's own.
  var placedLists: Set<RemindersList.ID> = []
  /// The reminders that were completed elsewhere and have not gone on yet.
  var overdueRollovers: Set<Reminder.ID> = []
  /// Where the choice of an image begins.
  var picturesDirectory = "~/"
  /// The lists that are shared, by this account or with it.
  var shares: [ListShare] = []
  /// The invitations that wait for an answer, as far as they are known.
  var invitations: [ListInvitation] = []
  /// How synchronization stands; nil without a cloud.
  var sync: SyncState?
  /// Whether the app is to end.
  var isQuitting = false

  /// A state with nothing in it yet.
  init(
    size: Size, time: LocalTime, appearance: Appearance, keymap: Keymap = .standard,
    schema: SchemaVersion = .current, sync: SyncState? = nil
  ) {
    self.size = size
    self.time = time
    self.appearance = appearance
    self.keymap = keymap
    self.schema = schema
    self.sync = sync
  }

  /// The time, as exact as queries need it: they run anew when the day changes, not every second.
  var day: LocalTime {
    var day = time
    day.now = time.start(of: time.today)
    return day
  }
}

/// A form that was left for its write, with all that was typed.
struct Saving: Equatable, Sendable {
  var write: Write
  var screens: ScreenStack
}

/// How things look, in a word: the signs and the theme.
struct Appearance: Equatable, Sendable {
  var glyphs: GlyphSet
  var theme: Theme
  var usesMouse = true
  /// Whether there are colours at all; without colours there are no pictures.
  var hasColors = false
  /// Whether the terminal has the signs and the colours for pictures made of cells.
  var showsPictures = false
  /// How it shows real pixels, if it does.
  var pictureFormat: PictureFormat?
}

extension Appearance {
  /// How things look by what the person decided and the terminal can do.
  init(_ settings: Settings, _ capabilities: TerminalCapabilities) {
    let glyphs = settings.usesASCII ? .ascii : capabilities.glyphs
    let hasColors = capabilities.colorDepth != .mono && settings.theme.name != .mono
    self.init(
      glyphs: glyphs, theme: hasColors ? settings.theme : Theme(.mono),
      usesMouse: settings.usesMouse, hasColors: hasColors,
      showsPictures: hasColors && capabilities.colorDepth >= .palette256 && glyphs == .unicode)
  }

  /// How the terminal shows real pixels over so many cells; nil when it does not.
  func pixelFormat(over size: Size) -> PictureFormat? {
    guard hasColors, let pictureFormat else { return nil }
    // A larger one would be cut off.
    if case .sixels(let limits) = pictureFormat, !limits.allow(size) { return nil }
    return pictureFormat
  }
}

extension AppState {
  /// Takes over what the person decided meanwhile.
  mutating func apply(_ settings: Settings, _ capabilities: TerminalCapabilities) {
    let format = appearance.pictureFormat
    appearance = Appearance(settings, capabilities)
    appearance.pictureFormat = format
    keymap = settings.keymap
    configured = settings.toggles
    announcing.rules = settings.alarmRules
  }

  /// Says what was not understood in the configuration.
  mutating func notifyWarnings(of settings: Settings) {
    for warning in settings.warnings.reversed() { notify(warning, .failed) }
  }
}

/// A line for the person at the foot of the screen.
struct Message: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// Something was done.
    case done
    /// A command is not possible now.
    case refused
    /// Something did not work.
    case failed
    /// Something happened that no command asked for.
    case news
    /// The moment of a reminder has come.
    case due
  }

  var text: String
  var kind: Kind
  /// A command that the person may want now.
  var command: Command.ID?
  /// When it disappears.
  var end: Date
}

/// A message with the moment of it.
struct RecentMessage: Equatable, Sendable {
  let moment: Date
  let message: Message
}

extension AppState {
  /// Shows a message.
  ///
  /// Errors stay for a minute or until the person does something, reminders for a minute, all else
  /// for some seconds.
  ///
  /// The answer to a command is never replaced by news, nor an error by anything else: news waits
  /// until the line is free, and all of it can be read among the messages. A reminder comes back
  /// after the answer to a command.
  mutating func notify(
    _ text: String, _ kind: Message.Kind = .done, offering command: Command.ID? = nil
  ) {
    let duration = Self.duration(of: kind)
    let end = time.now.addingTimeInterval(duration)
    let message = Message(text: text, kind: kind, command: command, end: end)
    recentMessages.append(RecentMessage(moment: time.now, message: message))
    if recentMessages.count > Self.maximumRecentCount { recentMessages.removeFirst() }
    switch (self.message?.kind, kind) {
    case (.due, .due), (nil, _), (.news, _): self.message = message
    case (.due, .news): break
    case (.due, _):
      waitingNews = self.message
      self.message = message
    case (.failed, .due): waitingNews = message
    case (_, .failed), (_, .due): self.message = message
    case (_, .news): waitingNews = message
    case (.failed, _): break
    default: self.message = message
    }
  }

  /// Takes the message away, and shows the news that waited for its place.
  mutating func endMessage() {
    message = waitingNews
    if let kind = message?.kind {
      message?.end = time.now.addingTimeInterval(Self.duration(of: kind))
    }
    waitingNews = nil
  }

  /// Says what did not work.
  mutating func notify(_ problem: Problem) {
    notify(problem.description, .failed)
  }

  private static func duration(of kind: Message.Kind) -> TimeInterval {
    [.failed, .due].contains(kind) ? errorDuration : messageDuration
  }

  private static let messageDuration: TimeInterval = 6
  private static let errorDuration: TimeInterval = 60
  private static let maximumRecentCount = 200
}

extension AppState {
  /// Leaves the topmost form for its write.
  mutating func leave(for write: Write) -> [Effect] {
    saving = Saving(write: write, screens: ScreenStack(screens.suffix(1)))
    screens.removeLast()
    return [.write(write)]
  }

  mutating func open(_ screen: some Screen) -> [Effect] {
    screens.append(screen)
    return []
  }

  mutating func closeScreen() -> [Effect] {
    screens.removeLast()
    return []
  }

  /// Says why something is not done.
  mutating func refuse(_ problem: Problem) -> [Effect] {
    notify(problem.description, .refused)
    return []
  }
}

extension AppState {
  /// When the next timer fires: for the clock, a message or a grace period.
  var nextMoment: Date {
    let now = time.now
    let minute = Date(
      timeIntervalSince1970: ((now.timeIntervalSince1970 / 60).rounded(.down) + 1) * 60)
    // While a countdown is shown, the next whole second of it.
    let countdowns = graces.values.map { end in
      let remaining = end.timeIntervalSince(now)
      return remaining <= 0 ? now : end.addingTimeInterval(-(remaining.rounded(.up) - 1))
    }
    let others = [minute, message?.end, abandonedGracesEnd, nextAnnouncement].compactMap(\.self)
    return (others + countdowns).min() ?? minute
  }
}
