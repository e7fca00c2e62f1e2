import Foundation
import GRDB

/// What a new reminder is to be.
public struct ReminderDraft: Hashable, Sendable {
  /// What is to be done, in one line.
  public var title: String
  /// More about it.
  public var notes: String
  /// When it is due.
  public var due: DueDate?
  /// Marked by hand.
  public var isFlagged: Bool
  /// How much it matters.
  public var priority: Reminder.Priority?
  /// A link that belongs to it.
  public var url: String?
  /// The list to put it in; nil for the first list, which is made when there is none.
  public var listID: RemindersList.ID?
  /// Its tags; those that do not exist are made.
  public var tags: [Tag.ID]

  /// A draft.
  public init(
    title: String, notes: String = "", due: DueDate? = nil, isFlagged: Bool = false,
    priority: Reminder.Priority? = nil, url: String? = nil, listID: RemindersList.ID? = nil,
    tags: [Tag.ID] = []
  ) {
    self.title = title
    self.notes = notes
    self.due = due
    self.isFlagged = isFlagged
    self.priority = priority
    self.url = url
    self.listID = listID
    self.tags = tags
  }
}

/// A change of one field of a reminder. A write changes the fields that are named, and no others.
public enum ReminderEdit: Hashable, Sendable {
  /// A new title.
  case title(String)
  /// New notes.
  case notes(String)
  /// Due then, or not any more.
  case due(DueDate?)
  /// With a flag, or without.
  case isFlagged(Bool)
  /// As important as this.
  case priority(Reminder.Priority?)
  /// A new link, or none.
  case url(String?)
  /// Moved to this list.
  case list(RemindersList.ID)
  /// With these tags and no others; those that do not exist are made.
  case tags([Tag.ID])
  /// With these tags too.
  case addTags([Tag.ID])
  /// Without these tags.
  case removeTags([Tag.ID])
}

extension AppDatabase {
  /// Adds a reminder at the end of its list.
  ///
  /// - Throws: `AppError` when the title is empty or the list does not exist.
  public func addReminder(
    _ draft: ReminderDraft
  ) async throws -> (id: Reminder.ID, undo: UndoStep) {
    throw AppError(.failed, "not yet")
  }

  /// Changes fields of reminders.
  ///
  /// - Throws: `AppError` when a title is empty, or a reminder or list does not exist.
  public func editReminders(
    _ ids: [Reminder.ID], _ edits: [ReminderEdit]
  ) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Completes reminders, or takes that back: what Space does.
  ///
  /// When any of them is incomplete, those become `completing` for the grace period, whose clock
  /// the caller runs (`completeGrace`); otherwise all become incomplete.
  public func toggleDone(_ ids: [Reminder.ID]) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Completes reminders at once, or makes them incomplete again.
  public func setDone(_ isDone: Bool, _ ids: [Reminder.ID]) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Ends the grace period of those reminders that are still in it.
  public func completeGrace(_ ids: [Reminder.ID]) async throws {
    throw AppError(.failed, "not yet")
  }

  /// Ends the grace periods that began longer ago than they last, left over by an app that quit.
  public func completeLeftovers() async throws {
    throw AppError(.failed, "not yet")
  }

  /// Puts a reminder directly before or after another in the manual order.
  public func moveReminder(
    _ id: Reminder.ID, _ place: Place, _ other: Reminder.ID
  ) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Deletes reminders.
  public func deleteReminders(_ ids: [Reminder.ID]) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Takes back a write; the result takes back the taking back.
  public func undo(_ step: UndoStep) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }
}

/// On which side of another row.
public enum Place: Hashable, Sendable {
  /// Directly above.
  case before
  /// Directly below.
  case after
}
