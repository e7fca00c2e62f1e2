import Foundation
import GRDB
import RemindersFiles
import SQLiteSyncHashing

extension AppDatabase {
  /// Writes a copy of the data to a new file, also while other programs write the data.
  ///
  /// - Throws: `AppError` when it cannot be written, or when there is a file already.
  public func backUp(to file: URL) throws {
    do {
      try PrivateFile.create(Data(), at: file)
    } catch {
      throw AppError(
        .cannotCreate, "\(file.path) cannot be made: \(AppError(error).reason)",
        hint: "Name a new file in a directory that you may write to.")
    }
    do {
      try writer.vacuum(into: file.path)
    } catch {
      unlink(file.path)
      throw (error as? DatabaseError).map { AppError($0) } ?? error
    }
  }

  /// Brings back what a copy has.
  ///
  /// Rows that are gone come back, and values that have become others are again what they were.
  /// What was added since stays. A list that others shared then and that is not here any more comes
  /// back as one's own under another key, so that it can be accepted again. These are edits of now,
  /// which reach the other devices: a copy never takes the place of the data, because the cloud
  /// would not know what to make of it.
  ///
  /// - Throws: `AppError` when the file is not a copy of such data; nothing is changed then.
  public func restoreBackup(_ file: URL) async throws -> UndoStep {
    guard FileManager.default.isReadableFile(atPath: file.path),
      !OrdinaryFile.isImpossible(file.path)
    else { throw AppError(.cannotRead, "\(file.path) is not there, or cannot be read.") }
    let backup = try Self.read(backup: file)
    return try await write { transaction in
      try transaction.bringBack(backup.rows, listsOfOthers: backup.listsOfOthers)
    }
  }

  private static func read(
    backup file: URL
  ) throws -> (rows: [(RowID, RowChange.Columns)], listsOfOthers: Set<RemindersList.ID>) {
    do {
      var configuration = Configuration()
      configuration.readonly = true
      return try DatabaseQueue(path: file.path, configuration: configuration).read { db in
        guard
          try AppTable.allCases.filter({ $0.since == .lists }).allSatisfy({
            try db.tableExists($0.name)
          })
        else {
          throw AppError(
            .cannotRead, "\(file.path) is not a backup of reminders.",
            hint: hintForBackups)
        }
        let rows = try AppTable.allCases.filter { try db.tableExists($0.name) }.flatMap { table in
          try Row.fetchAll(db, sql: "SELECT * FROM \(table.name)").map { row in
            let columns = Dictionary(row.map { ($0, $1) }, uniquingKeysWith: { $1 })
            return try (RowID(table, row.read(table.key)), columns)
          }
        }
        return (rows, Set(try SharesQuery().fetch(db).filter { !$0.isOwn }.map(\.id)))
      }
    } catch let error as DatabaseError {
      throw AppError(error, ofFile: file.path, hint: hintForBackups)
    }
  }
}

private let hintForBackups =
  "`reminders backup FILE` makes one; other files are for `reminders import`."

extension WriteTransaction {
  fileprivate func bringBack(
    _ rows: [(RowID, RowChange.Columns)], listsOfOthers: Set<RemindersList.ID>
  ) throws -> UndoStep {
    let left = try listsOfOthers.subtracting(
      state(of: listsOfOthers.map { RowID(.remindersLists, $0) }).keys.map(\.key))
    let rows = try left.isEmpty ? rows : underNewKeys(rows, of: left)
    let ids = rows.map(\.0)
    let now = try state(of: ids)
    return try recording("Restored a backup", touching: Array(now.keys)) { inserted in
      for (row, columns) in rows {
        if now[row] == nil {
          try insert(row.table, columns)
          inserted.append(row)
        } else {
          // When it was changed last is now, if it is changed.
          let columns = try restartingSeries(columns, in: row.table)
          try update(row, columns.filter { $0.key != row.table.key && $0.key != "updatedAt" })
        }
      }
    }
  }

  /// The rows with other keys for lists that are out of reach, and for what was in them: their
  /// owner has the rows with these keys.
  ///
  /// The same keys each time, so that a copy that is restored twice makes no doubles.
  private func underNewKeys(
    _ rows: [(RowID, RowChange.Columns)], of lists: Set<RemindersList.ID>
  ) throws -> [(RowID, RowChange.Columns)] {
    let here = try state(of: rows.map(\.0).filter { $0.table == .reminders })
    var keys = Dictionary(
      lists.map { (RowID(.remindersLists, $0), Self.key(restoring: $0)) }, uniquingKeysWith: { $1 })
    for (row, columns) in rows where row.table == .reminders && here[row] == nil {
      guard let list = columns.text("remindersListID"), lists.contains(list) else { continue }
      keys[row] = Self.key(restoring: row.key)
    }
    return rows.compactMap { row, columns in
      var columns = columns
      var table = row.table
      if AppTable.partsOfReminders.contains(table),
        let reminder = columns.text("reminderID").flatMap({ keys[RowID(.reminders, $0)] })
      {
        // That one was told of it was about the reminder of the owner.
        if table == .reminderNotices { return nil }
        columns["reminderID"] = reminder.databaseValue
        columns[table.key] = Self.key(restoring: row.key).databaseValue
      } else if [.remindersListAssets, .listViews].contains(table) {
        table = .remindersLists
      }
      if let new = keys[RowID(table, row.key)] {
        columns[row.table.key] = new.databaseValue
        // What is completed of it is not what its owner completes.
        if columns["occurrence"] != nil {
          let occurrence = columns.text("recurrence").flatMap { _ in
            Occurrence(stored: columns.text("occurrence"))
          }
          columns["occurrence"] = (occurrence?.ofSeries(new).stored).databaseValue
        }
      }
      for (column, table) in [
        ("remindersListID", AppTable.remindersLists), ("parentID", .reminders),
      ] {
        guard let key = columns.text(column), let new = keys[RowID(table, key)] else { continue }
        columns[column] = new.databaseValue
      }
      return (RowID(row.table, columns.text(row.table.key) ?? row.key), columns)
    }
  }

  private static func key(restoring key: String) -> String {
    UUID(name: "restored \(key)").lowercaseString
  }

  /// An occurrence that was completed since would be gone on from at once, on any device: the one
  /// that comes back is of a series of its own.
  private func restartingSeries(
    _ columns: RowChange.Columns, in table: AppTable
  ) throws -> RowChange.Columns {
    guard table == .reminders, columns.text("recurrence") != nil,
      let occurrence = Occurrence(stored: columns.text("occurrence")),
      try !state(of: [RowID(.reminders, occurrence.completedID)]).isEmpty
    else { return columns }
    return columns.merging(["occurrence": occurrence.ofSeries(makeID()).stored.databaseValue]) {
      $1
    }
  }
}
