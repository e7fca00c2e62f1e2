import GRDB
import SQLiteSync

// What the app says about synchronization: which tables, and the engine over them. The rest is in
// two other places: `Migrations` makes the tables, by the rules of the library's article Schemas,
// and `Session` of the command line says which cloud and whose. No delegate decides about accounts:
// the commands and screens for signing in and out ask before they call the engine.

extension AppDatabase {
  /// The tables to synchronize, parents before children.
  public static let synchronizedTables: [any TableRecord.Type] = [
    RemindersList.self, RemindersListAsset.self, Tag.self, Reminder.self, ReminderTag.self,
    ReminderAlarm.self,
  ]

  /// The tables that are synchronized among the devices of a person, and never shared.
  public static let privateTables: [any TableRecord.Type] = [
    ReminderNotice.self, SavedSearch.self, ListView.self,
  ]

  /// The tables that are made from the others, on each device for itself.
  public static let localTables = [
    "openTags", "openTagCounts", "reminderCounts", "replacedReminders", "replacedReminderTags",
    "reminderIndexed", "reminderTexts", "searchFolds",
  ]

  /// An engine for an account, or for nobody; not started.
  ///
  /// - Throws: `SyncError`, as every engine does.
  public func engine(for cloud: CloudContainer?) throws -> SyncEngine {
    var configuration = SyncConfiguration()
    configuration.localTables = Self.localTables
    configuration.willSend = { try RemindersList.joinDefaults($0) }
    return try SyncEngine(
      for: writer, tables: schema.synchronizedTables, privateTables: schema.privateTables,
      cloud: cloud, configuration: configuration, startImmediately: false)
  }
}
