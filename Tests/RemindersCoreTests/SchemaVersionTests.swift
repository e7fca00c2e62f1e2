import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersImages
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// One person's device with some version of the app; all share one cloud.
private final class Phone {
  private let directory: TemporaryDirectory
  private let store: MemoryStore
  private(set) var database: AppDatabase
  private(set) var engine: SyncEngine

  init(_ schema: SchemaVersion, _ store: MemoryStore) throws {
    self.store = store
    directory = try TemporaryDirectory()
    database = try AppDatabase.migrated(in: directory.url, schema: schema)
    engine = try Self.engine(of: database, store)
  }

  /// The app is replaced by one of another version.
  ///
  /// Nothing is fetched yet.
  func upgrade(to schema: SchemaVersion = .current) throws {
    engine.stopAndWait()
    database = try AppDatabase(directory: directory.url, schema: schema)
    engine = try Self.engine(of: database, store)
  }

  func reminder(_ title: String) throws -> ReminderRow {
    let rows = try database.fetch(ReminderListQuery(.all, showsCompleted: true, time: berlin()))
      .rows
    let row = try #require(rows.first { $0.title == title })
    return try #require(try database.fetch(ReminderQuery(row.id)))
  }

  private static func engine(of database: AppDatabase, _ store: MemoryStore) throws -> SyncEngine {
    try SyncEngine(
      for: database.writer, tables: database.schema.synchronizedTables,
      privateTables: database.schema.privateTables,
      cloud: CloudContainer(
        store: store, account: try #require(AccountID(name: "ann")),
        device: try database.fetch(SyncQuery()).device, app: "tests"),
      startImmediately: false)
  }
}

@Suite struct SchemaVersionTests {
  private let store = MemoryStore()
  private let old: Phone
  private let new: Phone

  init() throws {
    old = try Phone(.lists, store)
    new = try Phone(.current, store)
  }

  private func settle() async throws {
    for phone in [old, new, old, new] { try await phone.engine.syncChanges() }
  }

  @Test func `the old app edits what the new one gave a link, and nothing is lost`() async throws {
    let draft = ReminderDraft(title: "Read", url: "https://example.org")
    let id = try await new.database.addReminder(draft).id
    try await settle()
    #expect(try old.reminder("Read").reminder.url == nil)
    _ = try await old.database.editReminders(
      [id], [.set(\.title, "Read it"), .set(\.isFlagged, true)])
    try await settle()
    #expect(try new.reminder("Read it").reminder.url == "https://example.org")
    try old.upgrade()
    let upgraded = try old.reminder("Read it").reminder
    #expect(upgraded.url == "https://example.org" && upgraded.isFlagged)
    #expect(try old.database.fetch(SyncQuery()).counts == SyncCounts())
  }

  @Test func `a window of an earlier version sends no more, and says what to do`() async throws {
    let window = old.engine
    try old.upgrade()
    let error = await #expect(throws: SyncError.self) { try await window.syncChanges() }
    let hint = error.flatMap { AppError.known($0) }?.hint
    #expect(hint == "Another version of reminders has opened this data: start this one again.")
  }

  @Test func `a cover waits for the app that knows covers`() async throws {
    let cover = CoverImage(Data("a small image".utf8))
    let list = try await new.database.addList(title: "Trips", coverImage: cover).id
    let pending = try new.database.fetch(SyncDetailsQuery()).pending
    #expect(pending.map(\.title) == ["Trips", "Trips"])
    try await settle()
    let waiting = try old.database.fetch(SyncDetailsQuery()).waiting
    #expect(waiting.map(\.title) == ["Trips"])
    #expect(waiting.map(\.reason) == ["for a newer version of reminders"])
    _ = try await old.database.editList(list, [.title("Journeys")])
    try await settle()
    #expect(try new.database.list(named: "Journeys").id == list)
    try old.upgrade()
    #expect(try old.database.fetch(CoverQuery(list))?.data == cover.data)
    #expect(try old.database.list(named: "Journeys").id == list)
  }

  @Test func `a cover that is deleted meanwhile does not appear`() async throws {
    let cover = CoverImage(Data("a small image".utf8))
    let kept = try await new.database.addList(title: "Trips", coverImage: cover).id
    let gone = try await new.database.addList(title: "Books", coverImage: cover).id
    try await settle()
    _ = try await new.database.editList(kept, [.coverImage(nil)])
    _ = try await old.database.deleteList(gone)
    try await settle()
    #expect(try new.database.fetch(ListsQuery()).map(\.id) == [kept])
    try old.upgrade()
    for list in [kept, gone] { #expect(try old.database.fetch(CoverQuery(list)) == nil) }
    #expect(try old.database.fetch(ListsQuery()).map(\.id) == [kept])
  }

  @Test func `a link that was taken away is none, and one never set is none either`() async throws {
    let draft = ReminderDraft(title: "Read", url: "https://example.org")
    let id = try await new.database.addReminder(draft).id
    _ = try await old.database.addReminder(ReminderDraft(title: "Write"))
    try await settle()
    #expect(try new.reminder("Write").reminder.url == nil)
    _ = try await new.database.editReminders([id], [.set(\.url, nil)])
    try await settle()
    try old.upgrade()
    #expect(try old.reminder("Read").reminder.url == nil)
    #expect(try old.reminder("Write").reminder.url == nil)
    #expect(try old.database.fetch(SyncQuery()).counts.pending == 0)
  }

  @Test func `the later edit of a link wins after the upgrade too`() async throws {
    let id = try await new.database.addReminder(ReminderDraft(title: "Read", url: "https://a.org"))
      .id
    try await settle()
    try old.upgrade()
    _ = try await old.database.editReminders([id], [.set(\.url, "https://b.org")])
    try await settle()
    #expect(try new.reminder("Read").reminder.url == "https://b.org")
  }

  @Test func `the old app refuses what it has no place for`() async throws {
    let link = await #expect(throws: AppError.self) {
      try await old.database.addReminder(ReminderDraft(title: "Read", url: "https://x.org"))
    }
    #expect(link?.kind == .invalidInput && link?.hint != nil)
    let list = try await old.database.addList(title: "Trips").id
    let cover = await #expect(throws: AppError.self) {
      try await old.database.editList(list, [.coverImage(CoverImage(Data([1])))])
    }
    #expect(cover?.kind == .invalidInput)
    #expect(try old.database.fetch(ReminderListQuery(.all, time: berlin())).rows.isEmpty)
  }

  @Test func `a file does not go back to an earlier schema`() async throws {
    try old.upgrade()
    let error = #expect(throws: AppError.self) { try old.upgrade(to: .lists) }
    #expect(error?.hint?.contains("--schema") == true)
  }

  @Test func `everything else works in the old app`() async throws {
    try await old.database.addSampleData(in: berlin())
    let id = try old.reminder("Dentist").reminder.id
    let step = try await old.database.deleteReminders([id])
    _ = try await old.database.undo(step)
    _ = try await old.database.setDone(true, [id])
    let list = try old.database.fetch(ListsQuery()).first
    _ = try await old.database.undo(old.database.deleteList(try #require(list).id))
    try await settle()
    #expect(try new.reminder("Dentist").reminder.status != .incomplete)
  }
}
