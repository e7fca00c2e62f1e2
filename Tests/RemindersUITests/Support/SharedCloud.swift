import Foundation
import RemindersCore
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

/// A cloud in memory in which a person outside of the app shares lists with the app's, or is
/// invited by it: real engines.
@MainActor
final class SharedCloud {
  private let store = MemoryStore()
  private let directory: TemporaryDirectory
  private let outside: AppDatabase

  init() throws {
    directory = try TemporaryDirectory()
    outside = try AppDatabase.migrated(in: directory.url)
  }

  /// Ann shares Family with the app's account, ben.
  func annShares(
    with database: AppDatabase, allowing permission: Share.Permission
  ) async throws {
    let (list, _) = try await outside.addList(title: "Family", color: 0x4C_B05C)
    for title in ["Pack", "Swim"] {
      _ = try await outside.addReminder(ReminderDraft(title: title, listID: list))
    }
    let (ann, ben) = (try engine(outside, "ann"), try engine(database, "ben"))
    try await ben.syncChanges()
    try await ann.syncChanges()
    ann.start()
    let link = try await ann.share(
      table: "remindersLists", key: list, title: "Family",
      participants: [account("ben"): permission])
    try await ann.syncChanges()
    ben.start()
    try await ben.acceptShare(link)
    try await ben.syncChanges()
    ann.stopAndWait()
    ben.stopAndWait()
  }

  /// The app's account, ann, shares a list with people who have not accepted yet.
  func annInvites(
    _ people: [String: Share.Permission], to list: String, of database: AppDatabase
  ) async throws {
    let ann = try engine(database, "ann")
    let list = try database.list(named: list)
    try await ann.syncChanges()
    ann.start()
    try await ann.share(
      table: "remindersLists", key: list.id, title: list.title,
      participants: Dictionary(
        uniqueKeysWithValues: people.map { (try account($0), $1) }))
    try await ann.syncChanges()
    ann.stopAndWait()
  }

  private func engine(_ database: AppDatabase, _ name: String) throws -> SyncEngine {
    let device = try database.fetch(SyncQuery()).device
    return try SyncEngine(
      for: database.writer, tables: AppDatabase.synchronizedTables,
      privateTables: AppDatabase.privateTables,
      cloud: CloudContainer(
        store: store, account: account(name), device: device, app: "test"),
      startImmediately: false)
  }

  private func account(_ name: String) throws -> AccountID {
    try #require(AccountID(name: name))
  }
}
