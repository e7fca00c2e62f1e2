/// Why the engine does not do as asked: the reason, what it is about, and what can be done.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule or circumstance, for code.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case unknownTable
    case missingPrimaryKey
    case compoundPrimaryKey
    case integerPrimaryKey
    case keyIsNotText
    case nullablePrimaryKey
    case missingDefault
    case missingConflictClause
    case uniqueConstraint
    case foreignKeyToUnsynchronizedTable
    case foreignKeyToOtherColumn
    case compoundForeignKey
    case unsupportedForeignKeyAction
    case foreignKeyCycle
    case invalidTableName
    case invalidColumnName
    case reservedColumnName
    case tooManyColumns
    case removedTable
    case removedColumn
    case unreadableSchema
    case newerMetadata
    case keysNotMigrated
    case invalidRecordName
    case accountChanged
    case cloudChanged
    case unsentEdits
    case localReference
    case stopped
    case runsElsewhere
    case nothingToRestore
    case unknownRow
    case privateTable
    case notARoot
    case notSentYet
    case notTheOwner
    case notShared
    case ownShare
    case otherCloud
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
  }

  /// The reason, what it is about, and the hint, in one line.
  public var description: String {
    let subject = [table, column].compactMap { $0 }.joined(separator: ".")
    return [subject.isEmpty ? message : "\(subject): \(message)", hint].compactMap { $0 }
      .joined(separator: " ")
  }
}
