import Foundation
import GRDB
import RemindersImages

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
  /// What was added since stays. These are edits of now, which reach the other devices: a copy
  /// never takes the place of the data, because the cloud would not know what to make of it.
  ///
  /// - Throws: `AppError` when the file is no copy of such data; nothing is changed then.
  public func restoreBackup(_ file: URL) async throws -> UndoStep {
    guard FileManager.default.isReadableFile(atPath: file.path),
      !OrdinaryFile.isImpossible(file.path)
    else { throw AppError(.cannotRead, "\(file.path) is not there, or cannot be read.") }
    let rows = try Self.rows(ofBackup: file)
    return try await write { transaction in
      try transaction.bringBack(rows)
    }
  }

  private static func rows(ofBackup file: URL) throws -> [(RowID, RowChange.Columns)] {
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
        return try AppTable.allCases.filter { try db.tableExists($0.name) }.flatMap { table in
          try Row.fetchAll(db, sql: "SELECT * FROM \(table.name)").map { row in
            let columns = Dictionary(row.map { ($0, $1) }, uniquingKeysWith: { $1 })
            return (RowID(table, row[table.key]), columns)
          }
        }
      }
    } catch let error as DatabaseError {
      throw AppError(error, ofFile: file.path, hint: hintForBackups)
    }
  }
}

private let hintForBackups =
  "`reminders backup FILE` makes one; other files are for `reminders import`."

extension WriteTransaction {
  fileprivate func bringBack(_ rows: [(RowID, RowChange.Columns)]) throws -> UndoStep {
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

  /// An occurrence that was completed since would be gone on from at once, on any device: the one
  /// that comes back is of a series of its own.
  private func restartingSeries(
    _ columns: RowChange.Columns, in table: AppTable
  ) throws -> RowChange.Columns {
    guard table == .reminders,
      let stored = columns["occurrence"].flatMap(String.fromDatabaseValue),
      let occurrence = Occurrence(stored: stored),
      try !state(of: [RowID(.reminders, occurrence.completedID)]).isEmpty
    else { return columns }
    return columns.merging(["occurrence": occurrence.ofSeries(makeID()).stored.databaseValue]) {
      $1
    }
  }
}
