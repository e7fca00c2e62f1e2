import Foundation
import RemindersCore

/// A named write as a value: what an effect asks of the database.
enum Write: Equatable, Sendable {
  case add([ReminderDraft])
  case edit([Reminder.ID], [ReminderEdit])
  case saveDeleted(Reminder.ID, ReminderDraft, [ReminderEdit])
  case changePriority([Reminder.ID], by: Int)
  case toggleDone([Reminder.ID])
  case endGrace([Reminder.ID])
  case skip([Reminder.ID])
  case snooze([Reminder.ID], until: Date?)
  case move(Reminder.ID, Place, Reminder.ID)
  case delete([Reminder.ID])
  case clearCompleted(ClearScope, CompletedAge)
  case addList(title: String, color: Int, cover: CoverImage?)
  case editList(RemindersList.ID, [ListEdit])
  case moveList(RemindersList.ID, Place, RemindersList.ID)
  case setView(RemindersList.ID, ListOptions)
  case placeSharedLists
  case deleteList(RemindersList.ID)
  case renameTag(Tag.ID, to: String)
  case deleteTag(Tag.ID)
  case saveSearch(title: String, query: String)
  case renameSearch(SavedSearch.ID, to: String)
  case deleteSearch(SavedSearch.ID)
  case restore([HistoryEntry.ID])
  case endAbandonedGraces(begunBy: Date)
  case rollOver
  case addSampleData
  case undo(UndoStep)
  case redo(UndoStep)
}

/// What a write came to.
struct Written: Equatable, Sendable {
  /// A row that the write made, for the cursor to go to.
  enum Added: Equatable, Sendable {
    case reminder(Reminder.ID)
    case list(RemindersList.ID)
  }

  /// How to take it back; nil for what is not worth it.
  var undo: UndoStep?
  /// What it made.
  var added: Added?
}

extension Written {
  /// After what is not worth undoing, and made nothing.
  init(after work: some Any) { self.init() }
}

extension Write {
  /// Whether the next key may be about a row of the sidebar that this write makes or takes away.
  var changesSidebar: Bool {
    switch self {
    // Without a list there is none yet, and the reminder makes one.
    case .add(let drafts): drafts.contains { $0.listID == nil }
    case .saveDeleted, .addList, .editList, .moveList, .deleteList, .renameTag, .deleteTag,
      .saveSearch, .renameSearch, .deleteSearch, .addSampleData, .restore, .undo, .redo:
      true
    case .setView, .placeSharedLists, .edit, .changePriority, .toggleDone, .endGrace, .skip,
      .snooze, .move, .delete, .clearCompleted, .endAbandonedGraces, .rollOver:
      false
    }
  }

  /// Performs the write, and says what came of it or why nothing did.
  func result(on database: AppDatabase, in time: LocalTime) async -> Result<Written, Problem> {
    do {
      return .success(try await run(on: database, in: time))
    } catch {
      return .failure(Problem(error))
    }
  }

  /// Performs the write in one transaction.
  func run(on database: AppDatabase, in time: LocalTime) async throws -> Written {
    switch self {
    case .add(let drafts):
      let (ids, undo) = try await database.addReminders(drafts)
      return Written(undo: undo, added: ids.last.map { .reminder($0) })
    case .saveDeleted(let id, let draft, let edits):
      let (id, undo) = try await database.saveDeleted(id, draft, edits)
      return Written(undo: undo, added: .reminder(id))
    case .addList(let title, let color, let cover):
      let (id, undo) = try await database.addList(title: title, color: color, coverImage: cover)
      return Written(undo: undo, added: .list(id))
    case .endGrace(let ids):
      return Written(after: try await database.completeGrace(ids))
    case .endAbandonedGraces(let moment):
      return Written(after: try await database.completeAbandonedGraces(begunBy: moment))
    case .setView(let id, let options):
      return Written(after: try await database.setView(of: id, options))
    case .placeSharedLists: return Written(after: try await database.placeSharedLists())
    case .rollOver: return Written(after: try await database.rollOver())
    case .addSampleData:
      return Written(undo: try await database.addSampleData(in: time))
    case .edit(let ids, let edits):
      return Written(undo: try await database.editReminders(ids, edits))
    case .changePriority(let ids, let steps):
      return Written(undo: try await database.changePriority(ids, by: steps))
    case .toggleDone(let ids):
      return Written(undo: try await database.toggleDone(ids))
    case .skip(let ids): return Written(undo: try await database.skip(ids))
    case .snooze(let ids, let moment):
      return Written(undo: try await database.snooze(ids, until: moment))
    case .move(let id, let place, let other):
      return Written(undo: try await database.moveReminder(id, place, other))
    case .delete(let ids):
      return Written(undo: try await database.deleteReminders(ids))
    case .clearCompleted(let scope, let age):
      return Written(
        undo: try await database.clearCompleted(scope, leftAloneFor: age, in: time))
    case .editList(let id, let edits):
      return Written(undo: try await database.editList(id, edits))
    case .moveList(let id, let place, let other):
      return Written(undo: try await database.moveList(id, place, other))
    case .deleteList(let id):
      return Written(undo: try await database.deleteList(id))
    case .renameTag(let title, let newTitle):
      return Written(undo: try await database.renameTag(title, to: newTitle))
    case .deleteTag(let title):
      return Written(undo: try await database.deleteTag(title))
    case .saveSearch(let title, let query):
      return Written(
        undo: try await database.saveSearch(titled: title, query: query, in: time).undo)
    case .renameSearch(let id, let title):
      return Written(undo: try await database.renameSearch(id, to: title))
    case .deleteSearch(let id):
      return Written(undo: try await database.deleteSearch(id))
    case .restore(let ids):
      return Written(undo: try await database.restore(ids))
    case .undo(let step), .redo(let step):
      return Written(undo: try await database.undo(step))
    }
  }
}
