import Foundation
import RemindersCore
import RemindersTerminal

/// What the app knows of announcements.
struct Announcing: Equatable, Sendable {
  /// How reminders are announced that have no alarm of their own.
  var rules = AlarmRules.standard
  /// What there is to announce.
  var schedule = AnnouncementSchedule()
  /// What this app has claimed: until the schedule is without it, it is not to be claimed again.
  var claimed: Set<Notice.ID> = []
  /// What was announced since a key was pressed last; the window's title speaks of it.
  var unseen: [Announcement] = []
  /// What was announced last, to be snoozed.
  var latest: [Announcement] = []
  /// How often the bell rang.
  var bells = 0
}

extension AnnouncementQuery: ShownQuery {
  func show(_ schedule: AnnouncementSchedule, in state: inout AppState) {
    state.announcing.schedule = schedule
  }

  func isAwaited(in state: AppState) -> Bool { false }
}

extension AppState {
  /// Claims what is due, so that it is announced once.
  mutating func announceDue() -> [Effect] {
    let due = announcing.schedule.due(at: time.now).filter {
      !announcing.claimed.isSuperset(of: $0.notices)
    }
    guard !due.isEmpty else { return [] }
    announcing.claimed.formUnion(due.flatMap(\.notices))
    return [.announce(due)]
  }

  /// Announces: by a line, the bell and the title of the window.
  mutating func announce(_ announcements: [Announcement]) {
    guard let latest = announcements.last else { return }
    announcing.latest = announcements
    announcing.unseen += announcements
    announcing.bells += 1
    let text: String
    if announcements.count == 1 {
      text = "\(appearance.glyphs.quoted(latest.title.oneLine)) \(dueText(latest))"
    } else {
      let summary = Announcement.summary(announcements, in: time)
      text = "\(summary.title): \(summary.body)"
    }
    notify(text, .due, offering: .snooze)
  }

  private func dueText(_ announcement: Announcement) -> String {
    announcement.dueText(in: time).map { "is \($0)" } ?? "was to be remembered"
  }

  /// The title of the window: what was announced and nobody has seen yet comes first.
  var windowTitle: String {
    switch announcing.unseen.count {
    case 0: "Reminders"
    case 1: "\(announcing.unseen[0].title.oneLine.prefix(60)) - Reminders"
    case let count: "\(count) due - Reminders"
    }
  }

  /// When the next announcement is due that this app has not claimed.
  var nextAnnouncement: Date? { announcing.schedule.next(after: time.now) }

  /// Until when a reminder is snoozed.
  func snoozedUntil(_ id: Reminder.ID) -> Date? { announcing.schedule.snoozedUntil(id) }
}

// MARK: - Snoozing

extension AppState {
  /// What is snoozed: what is being announced, else the reminders that commands act on.
  fileprivate var snoozeTargets: (ids: [Reminder.ID], subject: String) {
    if message?.kind == .due {
      let latest = announcing.latest
      let subject = latest.count == 1 ? latest[0].title.oneLine : counted(latest.count, "reminder")
      return (latest.map(\.reminderID), subject)
    }
    guard screens.isEmpty || searchScreen != nil else { return ([], "") }
    return (targets.ids, targets.subject)
  }

  /// Why nothing can be snoozed; nil when something can.
  var snoozeProblem: String? {
    snoozeTargets.ids.isEmpty ? "There is no reminder here." : nil
  }

  mutating func openSnooze() -> [Effect] {
    let (ids, subject) = snoozeTargets
    return open(SnoozePrompt(ids, subject))
  }
}

/// Asks until when reminders are snoozed.
struct SnoozePrompt: LinePrompt {
  let reminderIDs: [Reminder.ID]
  let subject: String
  var line = TextField("")
  let acceptHint = "snooze"

  init(_ ids: [Reminder.ID], _ subject: String) {
    reminderIDs = ids
    self.subject = subject
  }

  private func until(in time: LocalTime) throws(Problem) -> Date? {
    do {
      return try Snooze.moment(line.text.isEmpty ? Snooze.usual : line.text, in: time)
    } catch {
      throw Problem(error)
    }
  }

  func accept(in state: inout AppState) -> [Effect] {
    do throws(Problem) {
      let until = try until(in: state.time)
      if state.message?.kind == .due { state.endMessage() }
      return state.closeScreen() + [.write(.snooze(reminderIDs, until: until))]
    } catch {
      return state.refuse(error)
    }
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    let explanation: [StyledRun]
    do throws(Problem) {
      let until = try until(in: state.time).map { DueDate.moment($0).fullText(in: state.time) }
      let text = until.map { "until \($0)" } ?? "not snoozed any more"
      explanation = [StyledRun(state.appearance.glyphs.adapted(text))]
    } catch {
      explanation = [StyledRun(state.appearance.glyphs.adapted(error.description), .warning)]
    }
    return LineSurroundings(
      columns: 60, title: "Snooze \(state.appearance.glyphs.separator) \(subject)",
      placeholder: "\(Snooze.usual), 1h, tonight, tomorrow 9:00, none", explanation: explanation,
      isExplainedApart: false)
  }
}
