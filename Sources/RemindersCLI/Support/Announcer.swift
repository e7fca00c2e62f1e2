import Foundation
import Glibc
import RemindersCore
import RemindersUI
import SQLiteSync

/// Announces what is due, through the desktop or in lines, and waits for what comes next.
struct Announcer {
  private let session: Session
  private let desktop: DesktopNotifications?
  private let settings: NotifySettings

  init(_ session: Session, desktop: DesktopNotifications?) {
    self.session = session
    self.desktop = desktop
    settings = NotifySettings(session.paths.settingsOrWarning())
  }

  /// Announces what is due now and nobody has announced.
  ///
  /// - Parameter show: Shows it; what it throws takes the announcement back.
  func announceDue(_ show: ([Announcement]) async throws -> Void) async throws {
    // Another device may have announced or completed it meanwhile, and hears what this one does.
    let synchronization = settings.synchronizes ? BackgroundSync(session) : nil
    await synchronization?.run()
    try await session.settleCompletions()
    let due = try await claimDue()
    do {
      try await show(due)
      try Output.finish()
    } catch {
      try await session.database.retract(due)
      throw error
    }
    if !due.isEmpty { await synchronization?.run() }
  }

  private func claimDue() async throws -> [Announcement] {
    let time = Self.time(like: session.time)
    let query = AnnouncementQuery(rules: settings.rules, time: time)
    let due = try await session.database.value(of: query).due(at: time.now)
    return due.isEmpty ? [] : try await session.database.announce(due)
  }

  /// Goes on until the process is ended.
  ///
  /// - Throws: `AppError` when another one does it already.
  func run() async throws {
    let lock = try NotifierLock(session.paths.notifierLock)
    // Not started: it only tells of what other processes write.
    let watch = try session.database.engine(for: nil)
    defer { withExtendedLifetime((lock, watch)) {} }
    let synchronization = settings.synchronizes ? BackgroundSync(session) : nil
    await synchronization?.run()
    while true {
      // The time zone or the day may be others by now.
      let time = Self.time(like: session.time)
      try await follow(AnnouncementQuery(rules: settings.rules, time: time), synchronization)
    }
  }

  /// Announces what a query finds, until another one is to take its place.
  private func follow(
    _ query: AnnouncementQuery, _ synchronization: BackgroundSync?
  ) async throws {
    let (moments, clock) = AsyncStream.makeStream(
      of: AnnouncementSchedule?.self, bufferingPolicy: .bufferingNewest(4))
    let values = session.database.values(of: query)
    let following = Task {
      do {
        for try await reading in values { clock.yield(reading.value) }
      } catch {
        Messages.write("The reminders cannot be read: \(AppError(error))".printable)
        try await Task.sleep(for: .seconds(5))
        clock.finish()
      }
    }
    defer { following.cancel() }
    var schedule = AnnouncementSchedule()
    var alarm: Task<Void, any Error>?
    defer { alarm?.cancel() }
    for await found in moments {
      schedule = found ?? schedule
      let now = Date()
      var due = schedule.due(at: now)
      if let missed = due.first, now.timeIntervalSince(missed.moment) > Self.latenessSeconds,
        let synchronization
      {
        // Another device may have announced or completed it meanwhile.
        await synchronization.run()
        schedule = try await session.database.value(of: query)
        due = schedule.due(at: now)
      }
      if !due.isEmpty {
        await show(try await session.database.announce(due))
        // The other devices are to hear of it before they announce the same; nothing waits for it.
        if let synchronization { Task { await synchronization.run() } }
      }
      await synchronization?.runIfDue()
      let time = Self.time(like: query.time)
      guard time.today == query.time.today, time.timeZone == query.time.timeZone else { return }
      // The clock may be set, or the machine sleep: whoever waits looks at it every minute.
      let wait = min(schedule.next(after: now)?.timeIntervalSince(now) ?? 60, 60)
      alarm?.cancel()
      alarm = Task {
        try await Task.sleep(for: .seconds(max(wait, 0.05)))
        clock.yield(nil)
      }
    }
  }

  private static let latenessSeconds: TimeInterval = 90

  /// The present moment in the zone of the machine, which may have travelled.
  private static func time(like time: LocalTime) -> LocalTime {
    LocalTime(now: Date(), localeFormat: time.localeFormat)
  }

  // MARK: - Showing

  /// More than this at once are announced together.
  private static let mostApart = 3

  /// Shows announcements.
  ///
  /// `waitsForAnswers`: whether Done and Snooze are offered.
  func show(_ announcements: [Announcement], waitsForAnswers: Bool = true) async {
    let time = Self.time(like: session.time)
    guard announcements.count <= Self.mostApart else {
      let text = Announcement.summary(announcements, in: time)
      if await desktop?.show(text.title, text.body, actions: []) == nil {
        announcements.forEach { printLine($0, time) }
      }
      return
    }
    for announcement in announcements {
      guard let desktop else {
        printLine(announcement, time)
        continue
      }
      if waitsForAnswers {
        // It stays until it is answered.
        Task { await offer(announcement, desktop, time) }
      } else if await desktop.show(
        announcement.title, announcement.body(in: time), actions: []) == nil
      {
        printLine(announcement, time)
      }
    }
  }

  private func offer(
    _ announcement: Announcement, _ desktop: DesktopNotifications, _ time: LocalTime
  ) async {
    let actions = [("done", "Done"), ("snooze", "Snooze \(Snooze.usual)")]
    let answer = await desktop.show(
      announcement.title, announcement.body(in: time), actions: actions)
    do {
      switch answer {
      case nil: printLine(announcement, time)
      case "done":
        try session.undoStack.push(
          try await session.database.setDone(true, [announcement.reminderID]))
      case "snooze":
        let until = try Snooze.moment(Snooze.usual, in: Self.time(like: time))
        try session.undoStack.push(
          try await session.database.snooze([announcement.reminderID], until: until))
      default: break
      }
    } catch {
      Messages.write("“\(announcement.title)”: \(AppError(error))".printable)
    }
  }

  private func printLine(_ announcement: Announcement, _ time: LocalTime) {
    print(announcement.line(in: time).printable)
    fflush(nil)
  }
}

/// What the configuration says of announcing.
struct NotifySettings {
  let rules: AlarmRules
  let synchronizes: Bool

  init(_ settings: Settings) {
    for warning in settings.warnings { Messages.write(warning) }
    rules = settings.alarmRules
    synchronizes = settings.synchronizes
  }
}

/// Sends and fetches now and then, while no app does.
private actor BackgroundSync {
  private static let interval: TimeInterval = 300
  /// So long announcements wait for a cloud.
  private static let patience: Duration = .seconds(10)

  private let session: Session
  private var task: Task<Void, Never>?
  private var last = Date.distantPast
  private var knownProblem: String?

  init(_ session: Session) {
    self.session = session
  }

  func runIfDue() async {
    if Date().timeIntervalSince(last) >= Self.interval { await run() }
  }

  /// Sends and fetches; what takes longer goes on while nobody waits.
  func run() async {
    last = Date()
    let work = task ?? Task { await synchronize() }
    task = work
    await withTaskGroup { group in
      group.addTask { await work.value }
      // Cancelled when the work has ended.
      group.addTask { try? await Task.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
  }

  private func synchronize() async {
    defer { task = nil }
    do {
      try session.requireSignedIn()
      _ = try await session.logging(session.engine) { try await $0.syncChanges() }
      try await session.settleCompletions()
      knownProblem = nil
    } catch let error as SyncError where error.reason == .runsElsewhere {
      // The app is open, and does it.
    } catch {
      let problem = AppError(error).description
      if problem != knownProblem { Messages.write("Not synchronized: \(problem)".printable) }
      knownProblem = problem
    }
  }
}
