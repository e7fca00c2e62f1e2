import Foundation
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// What was deleted or overwritten on one of two devices can be seen and brought back.
@Suite struct HistoryTests {
  let desk: Fixture
  let laptop: Fixture
  private let engines: [SyncEngine]

  init() async throws {
    let store = MemoryStore()
    let fixtures = [try Fixture(), try Fixture()]
    (desk, laptop) = (fixtures[0], fixtures[1])
    engines = try fixtures.map { fixture in
      try SyncEngine(
        for: fixture.database.writer, tables: AppDatabase.synchronizedTables,
        privateTables: AppDatabase.privateTables,
        cloud: CloudContainer(
          store: store, account: try #require(AccountID(name: "ann")),
          device: try fixture.database.fetch(SyncQuery()).device, app: "tests"),
        startImmediately: false)
    }
    try await desk.database.addSampleData(in: berlin())
    try await sync()
  }

  private func sync() async throws {
    for _ in 1...2 {
      for engine in engines { try await engine.syncChanges() }
    }
  }

  private func id(_ title: String) throws -> Reminder.ID {
    try #require(try desk.detail(.all, completed: true).rows.first { $0.title == title }).id
  }

  private func deleted(_ fixture: Fixture) throws -> [DeletedItem] {
    try fixture.database.fetch(DeletedQuery())
  }

  @Test func `a line shows the beginning of a long value`() {
    let text = String(repeating: "e\u{301}", count: 1 << 18)
    #expect(StoredValue.text(text).beginning == .text(String(text.unicodeScalars.prefix(1000))))
    #expect(StoredValue.text("short").beginning == .text("short"))
    #expect(StoredValue.integer(1).beginning == .integer(1))
  }

  @Test func `a deleted reminder comes back with its tags, on all devices`() async throws {
    let before = try desk.contents()
    _ = try await desk.database.deleteReminders([try id("Dentist")])
    try await sync()
    for fixture in [desk, laptop] {
      let item = try #require(try deleted(fixture).first)
      #expect(item.subject.title == "Dentist" && item.subject.kind == .reminder)
      #expect(item.listTitle == "Personal" && item.deletion.isHere == (fixture === desk))
      #expect(try deleted(fixture).count == 1)
    }
    // Its tags went with it, and are not told by themselves.
    #expect(try desk.database.fetch(HistoryQuery()).entries.map(\.content) == [.deletion])
    let step = try await laptop.database.restore([try #require(deleted(laptop).first).id])
    #expect(step.label == "Restored “Dentist”")
    try await sync()
    #expect(try deleted(desk).isEmpty && deleted(laptop).isEmpty)
    #expect(try desk.contents() == before && laptop.contents() == before)
    #expect(try desk.database.fetch(SearchQuery("x-ray", time: berlin())).hits.count == 1)
  }

  @Test func `restoring can be taken back, and done again`() async throws {
    let before = try desk.contents()
    _ = try await desk.database.deleteReminders([try id("Dentist")])
    let after = try desk.contents()
    let restored = try await desk.database.restore([try #require(deleted(desk).first).id])
    let undone = try await desk.database.undo(restored)
    #expect(try desk.contents() == after)
    #expect(try deleted(desk).count == 1)
    _ = try await desk.database.undo(undone)
    #expect(try desk.contents() == before)
  }

  @Test func `a completion that was taken back is not deleted`() async throws {
    let id = try await desk.database.addReminder(
      ReminderDraft(title: "Pill", due: .day(berlin().today), recurrence: Recurrence(.daily))
    ).id
    let part = try await desk.database.addReminder(ReminderDraft(title: "Water", parentID: id)).id
    _ = try await desk.database.setDone(true, [part])
    let step = try await desk.database.setDone(true, [id])
    _ = try await desk.database.undo(step)
    #expect(try deleted(desk).isEmpty)
    let history = try desk.database.fetch(HistoryQuery()).entries.filter { $0.column == nil }
    #expect(Set(history.map(\.content)) == [.completionUndone])
    _ = try await desk.database.setDone(true, [id])
    let completed = try #require(
      desk.detail(.completed, completed: true).rows.first { $0.title == "Pill" })
    _ = try await desk.database.deleteReminders([completed.id])
    #expect(try deleted(desk).map(\.subject.title).contains("Pill"))
  }

  @Test func `a part that is there again stays as it is when its parent comes back`() async throws {
    let parent = try await desk.database.addReminder(ReminderDraft(title: "Bags")).id
    let part = try await desk.database.addReminder(
      ReminderDraft(title: "Socks", parentID: parent)
    ).id
    _ = try await desk.database.deleteReminders([parent])
    let item = try #require(try deleted(desk).first { $0.subject.key == part })
    _ = try await desk.database.restore([item.id])
    _ = try await desk.database.editReminders([part], [.set(\.title, "Two socks")])
    _ = try await desk.database.restore(
      [try #require(try deleted(desk).first { $0.subject.key == parent }).id])
    #expect(try desk.details(part).reminder.draft.title == "Two socks")
  }

  @Test func `edits of a deleted reminder bring it back, with its parts and its list`() async throws
  {
    let list = try await desk.database.addList(title: "Trip").id
    let id = try await desk.database.addReminder(ReminderDraft(title: "Bags", listID: list)).id
    let part = try await desk.database.addReminder(
      ReminderDraft(title: "Socks", listID: list, parentID: id)
    ).id
    try await sync()
    let draft = try #require(try laptop.detail(.all).rows.first { $0.id == id }).reminder.draft
    _ = try await desk.database.deleteList(list)
    try await sync()
    let saved = try await laptop.database.saveDeleted(id, draft, [.set(\.notes, "Two of them")])
    #expect(saved.id == id)
    try await sync()
    for fixture in [desk, laptop] {
      #expect(try fixture.details(id).reminder.draft.notes == "Two of them")
      #expect(try fixture.details(part).reminder.draft.title == "Socks")
    }
    _ = try await laptop.database.undo(saved.undo)
    try await sync()
    #expect(try desk.detail(.all).rows.allSatisfy { $0.id != id })
  }

  @Test func `edits of a reminder that nobody knows any more make a new one`() async throws {
    let draft = ReminderDraft(title: "Bags", notes: "Two of them", listID: "gone", parentID: "gone")
    let saved = try await desk.database.saveDeleted("gone", draft, [])
    #expect(try desk.details(saved.id).reminder.draft.notes == "Two of them")
  }

  @Test func `a list names its reminders, which come back with it`() async throws {
    let before = try desk.contents()
    _ = try await desk.database.deleteReminders([try id("Pack the swimming bag")])
    let family = try desk.database.list(named: "Family")
    _ = try await desk.database.deleteList(family.id)
    let items = try deleted(desk)
    let list = try #require(items.first { $0.subject.kind == .list })
    #expect(list.subject.title == "Family")
    #expect(items.count { $0.withList == list.id } == 3)
    #expect(items.count { $0.withList == nil } == 2)
    _ = try await desk.database.restore([list.id])
    let rest = try deleted(desk)
    #expect(rest.map(\.subject.title) == ["Pack the swimming bag"])
    _ = try await desk.database.restore(rest.map(\.id))
    #expect(try desk.contents() == before)
  }

  @Test func `a deleted reminder comes back with its parts`() async throws {
    let trip = try await desk.add("Trip")
    for title in ["Bag", "Ticket"] {
      _ = try await desk.database.addReminder(ReminderDraft(title: title, parentID: trip))
    }
    let before = try desk.contents()
    _ = try await desk.database.deleteReminders([trip])
    let item = try #require(try deleted(desk).first { $0.subject.title == "Trip" })
    _ = try await desk.database.restore([item.id])
    #expect(try desk.contents() == before)
  }

  @Test func `of several things those are counted that come back`() async throws {
    for title in ["Dentist", "Haircut"] {
      _ = try await desk.database.deleteReminders([try id(title)])
    }
    let entries = try deleted(desk).map(\.id)
    _ = try await desk.database.restore([entries[0]])
    let step = try await desk.database.restore(entries)
    #expect(step.label == "Restored “Dentist”")
    #expect(try await desk.database.restore(entries).isEmpty)
  }

  @Test func `undo of a restored parent takes it away though its part is there again`() async throws
  {
    let trip = try await desk.add("Trip")
    let bag = try await desk.database.addReminder(ReminderDraft(title: "Bag", parentID: trip)).id
    _ = try await desk.database.deleteReminders([trip])
    func restore(_ id: Reminder.ID) async throws -> UndoStep {
      try await desk.database.restore(
        [try #require(try deleted(desk).first { $0.subject.key == id }).id])
    }
    _ = try await restore(bag)
    let before = try desk.contents()
    let step = try await restore(trip)
    let kept = try JSONDecoder().decode(UndoStep.self, from: JSONEncoder().encode(step))
    let redo = try await desk.database.undo(kept)
    #expect(kept.textWhenUndone(by: redo) == "Undone: Restored “Trip”")
    #expect(try desk.contents() == before)
    let undo = try await desk.database.undo(redo)
    _ = try await desk.database.undo(undo)
    #expect(try desk.contents() == before)
  }

  @Test func `what was restored and has got something since is left, and why is said`() async throws
  {
    let list = try await desk.database.addList(title: "Trip").id
    let id = try await desk.database.addReminder(ReminderDraft(title: "Bags", listID: list)).id
    _ = try await desk.database.deleteList(list)
    let item = try #require(try deleted(desk).first { $0.subject.kind == .list })
    let step = try await desk.database.restore([item.id])
    _ = try await desk.database.addReminder(
      ReminderDraft(title: "Socks", listID: list, parentID: id))
    let nothing = try await desk.database.undo(step)
    #expect(nothing.isEmpty)
    #expect(
      step.textWhenUndone(by: nothing) == "Undone in part: Restored “Trip”. "
        + "1 reminder is left for its subtasks. 1 list is left for its reminders.")
    _ = try await desk.database.editReminders([id], [.set(\.notes, "two")])
    let edited = try await desk.database.undo(step)
    #expect(
      step.textWhenUndone(by: edited) == "Undone in part: Restored “Trip”. "
        + "1 reminder was edited since, and is left. 1 list is left for its reminders.")
  }

  @Test func `a deleted tag is found by its name`() async throws {
    let before = try desk.contents()
    _ = try await desk.database.deleteTag("health")
    let item = try desk.database.deletedItem(matching: "#health")
    _ = try await desk.database.restore([item.id])
    #expect(try desk.contents() == before)
  }

  @Test func `the history of a reminder tells who set each field, and what lost`() async throws {
    let id = try id("Dentist")
    _ = try await desk.database.editReminders([id], [.set(\.title, "Dentist, Dr. Ames")])
    try await sync()
    _ = try await laptop.database.editReminders(
      [id], [.set(\.title, "Orthodontist"), .set(\.due, nil)])
    try await sync()
    let history = try desk.database.fetch(HistoryQuery(of: id))
    #expect(history.fields.first { $0.column == "title" }?.edit.isHere == false)
    #expect(history.fields.first { $0.column == "priority" }?.edit.isHere == true)
    #expect(!history.fields.contains { $0.column == "updatedAt" })
    let title = try #require(history.entries.first { $0.column == "title" })
    #expect(
      title.content
        == .value(
          column: "title", lost: .text("Dentist, Dr. Ames"), kept: .text("Orthodontist")))
    #expect(title.loser?.isHere == true && title.subject.title == "Orthodontist")
    #expect(Set(history.entries.compactMap(\.column)) == ["title", "dueDate"])
    let step = try await desk.database.restore([title.id])
    #expect(step.label == "Restored the title of “Orthodontist”")
    try await sync()
    #expect(try laptop.details(id).reminder.title == "Dentist, Dr. Ames")
    #expect(try laptop.details(id).reminder.due == nil)
    #expect(try await desk.database.restore([title.id]).isEmpty)
  }

  @Test func `a tag that was taken off can be put on again`() async throws {
    let id = try id("Dentist")
    _ = try await laptop.database.editReminders([id], [.removeTags(["health"])])
    try await sync()
    let entry = try #require(try desk.database.fetch(HistoryQuery(of: id)).entries.first)
    #expect(entry.content == .tag("health") && !entry.winner.isHere)
    _ = try await desk.database.restore([entry.id])
    try await sync()
    #expect(try laptop.details(id).tags == ["health"])
  }

  @Test func `what both devices edited at once is listed with both values`() async throws {
    let id = try id("Dentist")
    _ = try await desk.database.editReminders(
      [id], [.set(\.title, "Mine"), .set(\.isFlagged, false)])
    _ = try await laptop.database.editReminders([id], [.set(\.title, "Theirs")])
    try await sync()
    // One of the two has met both; which one depends on who was first.
    let conflicts = try [desk, laptop].flatMap {
      try $0.database.fetch(SyncDetailsQuery()).conflicts
    }
    #expect(conflicts.map(\.column) == ["title"])
    guard case .value(_, let lost, let kept) = try #require(conflicts.first).content else { return }
    #expect(Set([lost, kept]) == [.text("Mine"), .text("Theirs")])
  }

  @Test func `a conflict says when what was kept is not there any more`() async throws {
    let id = try id("Dentist")
    _ = try await desk.database.editReminders([id], [.set(\.title, "Mine")])
    _ = try await laptop.database.editReminders([id], [.set(\.title, "Theirs")])
    try await sync()
    let witness = try #require(
      try [desk, laptop].first {
        try !$0.database.fetch(SyncDetailsQuery()).conflicts.isEmpty
      })
    func outcome() throws -> ConflictOutcome? {
      let details = try witness.database.fetch(SyncDetailsQuery())
      return try details.outcomes[#require(details.conflicts.first).id]
    }
    #expect(try outcome() == nil)
    let conflict = try #require(try witness.database.fetch(SyncDetailsQuery()).conflicts.first)
    _ = try await witness.database.restore([conflict.id])
    #expect(try outcome() == .restored)
    _ = try await witness.database.editReminders([id], [.set(\.title, "Ours")])
    #expect(try outcome() == .edited(.text("Ours")))
    _ = try await witness.database.deleteReminders([id])
    #expect(try outcome() == .deleted)
  }

  @Test func `what waits is listed by its title, also what was deleted`() async throws {
    let dentist = try id("Dentist")
    _ = try await desk.database.editReminders([try id("Haircut")], [.set(\.isFlagged, false)])
    _ = try await desk.database.deleteReminders([dentist])
    let pending = try desk.database.fetch(SyncDetailsQuery()).pending
    #expect(pending.first { $0.table == "reminders" && !$0.isDeletion }?.title == "Haircut")
    #expect(pending.first { $0.table == "reminders" && $0.isDeletion }?.title == "Dentist")
    try await sync()
    #expect(try desk.database.fetch(SyncDetailsQuery()).pending.isEmpty)
  }

  @Test func `what a record waits for is named by its title, or by its kind`() async throws {
    let (dentist, haircut) = (try id("Dentist"), try id("Haircut"))
    let list = try desk.database.list(named: "Personal").id
    for (key, needs) in [(dentist, list), (haircut, "far")] {
      try desk.execute(
        """
        INSERT INTO sync_parked (recordID, reason, needs, image, since)
        SELECT id, 'waiting', '\(needs):remindersLists', '', 0 FROM sync_records
        WHERE primaryKey = '\(key)'
        """)
    }
    let waiting = try desk.database.fetch(SyncDetailsQuery()).waiting
    #expect(
      Dictionary(uniqueKeysWithValues: waiting.map { ($0.title, $0.reason) }) == [
        "Dentist": "needs the list “Personal”", "Haircut": "needs a list that is not here yet",
      ])
  }

  @Test func `what is not kept is refused`() async throws {
    let error = await #expect(throws: AppError.self) { try await desk.database.restore([9999]) }
    #expect(error?.kind == .noSuchItem)
    #expect(throws: AppError.self) { try desk.database.deletedItem(matching: "abcd") }
    #expect(throws: AppError.self) { try desk.database.reminderID(everMatching: "abcd") }
  }

  @Test(arguments: [
    ("dueDate", StoredValue.text("2026-11-23"), "Mon 23 Nov"), ("dueDate", .null, "none"),
    ("isFlagged", .integer(1), "flagged"), ("priority", .integer(3), "high"),
    ("status", .integer(2), "completed"), ("remindersListID", .text("l"), "Home"),
    ("remindersListID", .text("x"), "a list that is gone"), ("color", .integer(0xFF), "#0000FF"),
    ("notes", .text("two\nlines"), "two lines"), ("coverImage", .bytes(12), "12 bytes"),
    ("priority", .integer(.max), "high"), ("dueDate", .text("someday"), "someday"),
  ])
  func `values are told in words`(column: String, value: StoredValue, words: String) {
    #expect(value.words(of: column, in: berlin(), lists: ["l": "Home"]) == words)
  }
}

extension HistoryEntry {
  fileprivate var column: String? {
    if case .value(let column, _, _) = content { column } else { nil }
  }
}
