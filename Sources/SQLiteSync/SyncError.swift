import GRDB

/// Why the engine does not do as asked: the reason, what it is about, and what can be done.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule or circumstance, for code.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// There is no such table, or it is a view or a virtual table.
    case unknownTable
    /// The table has no primary key.
    case missingPrimaryKey
    /// The primary key has several columns.
    case compoundPrimaryKey
    /// The primary key is a number, which two devices would give to two rows.
    case integerPrimaryKey
    /// The primary key is not `TEXT`.
    case keyIsNotText
    /// The primary key may be `NULL`.
    case nullablePrimaryKey
    /// The primary key compares neither byte for byte nor by `NOCASE`.
    case keyCollation
    /// A column is `NOT NULL`, and a record may lack its value: see `SyncEngine.warnings(_:)`.
    case missingDefault
    /// A column is `NOT NULL` without `ON CONFLICT REPLACE`: see `SyncEngine.warnings(_:)`.
    case missingConflictClause
    /// A foreign key sets on delete a column to `NULL` that is `NOT NULL`: see
    /// `SyncEngine.warnings(_:)`.
    case contradictoryForeignKey
    /// A `UNIQUE` index is over an expression or generated column, or has an `ON CONFLICT` clause.
    case uniqueConstraint
    /// A `NOT NULL` column has `ON CONFLICT IGNORE` or `ROLLBACK`: a record would be left out, or
    /// nothing arrive.
    case conflictClause
    /// The default of a column is another value each time: see `SyncEngine.warnings(_:)`.
    case varyingDefault
    /// A `UNIQUE` index is over bytes that may be an asset: see `SyncEngine.warnings(_:)`.
    case uniqueAsset
    /// The cloud has a table whose name differs only by case: see `SyncEngine.warnings(_:)`.
    case otherSpelling
    /// The primary key is another column than before, or is compared in another way.
    case changedKey
    /// A foreign key refers to a table that is not synchronized.
    case foreignKeyToUnsynchronizedTable
    /// A foreign key refers to a column that is not the primary key.
    case foreignKeyToOtherColumn
    /// A foreign key has several columns.
    case compoundForeignKey
    /// A foreign key does on delete what cannot be kept when the parent is deleted elsewhere.
    case unsupportedForeignKeyAction
    /// Several tables refer to each other in a circle.
    case foreignKeyCycle
    /// The table has a name that records cannot have.
    case invalidTableName
    /// The column has a name that fields cannot have.
    case invalidColumnName
    /// The column has a name that CloudKit keeps for itself.
    case reservedColumnName
    /// The table has more columns than a record has fields.
    case tooManyColumns
    /// A column cannot have the merge policy that is given for it.
    case invalidMergePolicy
    /// A synchronized table no longer exists, and no migration has called `SyncEngine.forget` or
    /// `SyncEngine.rename` for it.
    case removedTable
    /// A synchronized column no longer exists, and no migration has called `SyncEngine.forget` or
    /// `SyncEngine.rename` for it.
    case removedColumn
    /// `SyncEngine.rename` names a table or column that is not there, or one that no `ALTER TABLE`
    /// has renamed.
    case wrongRenaming
    /// A table is listed both among the tables and among those that are never shared.
    case listedTwice
    /// The `CREATE` statement is spelled in a way that is not understood.
    case unreadableSchema
    /// A newer version has written the metadata.
    case newerMetadata
    /// A table holds what nobody but another program, or a failing disk, can have written there.
    case damagedDatabase
    /// The integer keys could not be migrated; nothing was changed.
    case keysNotMigrated
    /// The data is another account's.
    case accountChanged
    /// Another cloud is there than the one that the data belongs to.
    case cloudChanged
    /// Edits would be lost that the cloud does not have.
    case unsentEdits
    /// The database cannot be written.
    case readOnlyDatabase
    /// Another connection is writing to the database, for longer than this one waits.
    case lockedDatabase
    /// The database was closed.
    case closedDatabase
    /// Nobody can tell whether the cloud has what was sent: what is here may be the last copy.
    case cloudUnconfirmed
    /// Rows that are not synchronized keep synchronized ones from going.
    case localReference
    /// The engine does not run, or cannot.
    case stopped
    /// Another process, or another engine of this one, synchronizes this database.
    case runsElsewhere
    /// Another engine was created over this database since, for other tables or columns.
    case outdatedEngine
    /// The URL of a cloud is not that of a directory: other places have a store of their own.
    case notADirectory
    /// The file of the database has several names, hard links or mounts: see
    /// `SyncEngine.requireOneName`.
    case severalNames
    /// A temporary table of the connection has the name of one of the database.
    case hiddenTable
    /// A commit of this device counts for nothing in the cloud; what it held is sent again.
    case voidCommit
    /// What is to be restored is not there, or has nowhere to go.
    case nothingToRestore
    /// A constraint of the tables refuses what is to be restored.
    case constraintViolated
    /// A trigger leaves out rows that come from other devices: see `SyncEngine.warnings(_:)`.
    case ignoringTrigger
    /// A trigger ends the transaction in which rows come from other devices: see
    /// `SyncEngine.warnings(_:)`.
    case rollingBackTrigger
    /// A trigger writes to synchronized tables also when rows come from other devices: see
    /// `SyncEngine.warnings(_:)`.
    case writingTrigger
    /// There is no such row.
    case unknownRow
    /// Rows of the table are never shared.
    case privateTable
    /// The row is a child of another one, and is shared with that.
    case notARoot
    /// The cloud does not have the row yet.
    case notSentYet
    /// Only its owner may do that with a share.
    case notTheOwner
    /// The row is not shared.
    case notShared
    /// The link is to what this account shares itself.
    case ownShare
    /// What is shared is here already, as a row of this account's own.
    case ownRow
    /// A trigger, or a view, names what is not there.
    case brokenTrigger
    /// A share has a title that no record can hold, or too many people.
    case invalidShare
    /// The link is to another cloud.
    case otherCloud
    /// The configuration has a value that nothing can be done with: a zone that cannot have its
    /// name, or a time of edits that is none.
    case invalidConfiguration
  }

  /// The rule or circumstance.
  public let reason: Reason
  /// The table it is about, if any.
  public let table: String?
  /// The column it is about, if any.
  public let column: String?
  /// One sentence: what is the matter.
  public let message: String
  /// One sentence: what to do.
  public let hint: String?
  /// What else was found to be wrong at the same time.
  public let others: [SyncError]

  /// An error with its reason and hint.
  public init(
    _ reason: Reason, table: String? = nil, column: String? = nil, _ message: String,
    hint: String? = nil
  ) {
    self.reason = reason
    self.table = table
    self.column = column
    self.message = message
    self.hint = hint
    others = []
  }

  /// Runs what writes to a database, and says what can be done where SQLite does not.
  static func explaining<T>(_ write: () throws -> T) throws -> T {
    do {
      return try write()
    } catch {
      throw SyncError(explaining: error) ?? error
    }
  }

  /// What an error of SQLite's or GRDB's means, and what can be done; nil where nothing is known of
  /// it.
  init?(explaining error: any Error) {
    switch error {
    case let error as RowDecodingError: self.init(error)
    case let error as DatabaseError where error.resultCode == .SQLITE_READONLY:
      self.init(
        .readOnlyDatabase, "The database cannot be written: \(error.message ?? "read-only").",
        hint: "Open it without `readonly`, where its file and directory may be written.")
    case let error as DatabaseError where error.resultCode == .SQLITE_MISUSE:
      self = Self.closedDatabase
    case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
      self.init(
        .lockedDatabase, "Another connection is writing to the database.",
        hint: "Try again; a busy mode that waits longer, as `.timeout(5)`, does so by itself.")
    case let error as DatabaseError where error.isOfMetadata:
      self = .damage(lacking: error)
    case let error as DatabaseError where error.isOfLack: self = .lacks(error)
    default: return nil
    }
  }

  /// What is written to a table needs something that is not there.
  static func lacks(_ error: DatabaseError, table: String? = nil) -> SyncError {
    SyncError(
      .brokenTrigger, table: table,
      "A row cannot be written: \(error.message ?? "\(error)").",
      hint: "If a trigger of the app names it, drop or mend that in a migration; then create the "
        + "engine anew.")
  }

  /// What SQLite calls misuse, and by mistake "out of memory".
  static let closedDatabase = SyncError(
    .closedDatabase, "The database was closed.",
    hint: "Call stop(within:) before, and let the engine go.")

  /// The first of several errors, with the others in it; nil when there is none.
  init?(_ errors: [SyncError]) {
    guard let first = errors.first else { return nil }
    (reason, table, column) = (first.reason, first.table, first.column)
    (message, hint) = (first.message, first.hint)
    others = first.others + errors.dropFirst()
  }

  /// The reason, what it is about, and the hint, in one line; what else was found, in a line each.
  public var description: String {
    let subject = [table, column].compactMap { $0 }.joined(separator: ".")
    let line = [subject.isEmpty ? message : "\(subject): \(message)", hint].compactMap { $0 }
      .joined(separator: " ")
    return ([line] + others.map(\.description)).joined(separator: "\n")
  }
}
