import GRDB
import SQLiteSyncCloud

/// A fact about synchronization: what the log shows and what tests await.
public enum SyncEvent: Hashable, Sendable {
  /// A record by its type (the table) and name.
  public struct Record: Hashable, Sendable {
    /// The record's type: the table.
    public let type: String
    /// `<primary key>:<table>`.
    public let name: String

    /// A record's type and name.
    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }

    /// The row's primary key, as the table has it; the whole name when it is not a row's.
    public var primaryKey: String { RecordName.parsing(name).key }
  }

  /// A record that the cloud did not take, with its error.
  public struct Failure: Hashable, Sendable {
    /// The record.
    public let record: Record
    /// Whether its deletion was refused, and not its save.
    public let isDeletion: Bool
    /// What the cloud answered.
    public let error: CloudError

    /// Whether the cloud has another version: they are merged, and sent again.
    public var isConflict: Bool { error.code == .serverRecordChanged }
    /// Whether nothing is wrong with it: another change of the same batch was refused.
    public var isHeldBack: Bool { error.code == .batchRequestFailed }
  }

  /// A record with unsent edits that met another version: which side's fields were kept.
  public struct Conflict: Hashable, Sendable {
    /// The record.
    public let record: Record
    /// Fields where the other edit was later.
    public let theirs: [String]
    /// Fields where this device's edit was later.
    public let mine: [String]
  }

  /// A record that somebody put where it does not belong.
  public struct Ignored: Hashable, Sendable {
    /// The record.
    public let record: Record
    /// Who put it there.
    public let author: String
    /// Why it does not belong there.
    public let reason: String
  }

  /// A change about to be sent.
  public struct Change: Hashable, Sendable {
    /// The record.
    public let record: Record
    /// Whether the record was deleted.
    public let isDeletion: Bool
  }

  /// What became of a whole zone.
  public enum ZoneChange: Hashable, Sendable {
    /// Somebody deleted it: what was synchronized goes, and it is made again.
    case deleted
    /// The log no longer reaches back to where this device was: it fetches everything again.
    case expired
    /// It is kept in step with from now on: somebody shares it.
    case followed
    /// The log was begun anew or restored: this device sends what it lacks.
    case rebuilt
    /// Its owner does not share it with this account any more: its rows go.
    case ended
  }

  /// A zone, and whose it is.
  public struct Zone: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// Who shares it with this account; nil for one of its own.
    public let sharedBy: String?

    /// A zone's name and owner.
    public init(name: String, sharedBy: String?) {
      self.name = name
      self.sharedBy = sharedBy
    }
  }

  /// Why the engine fetches or sends.
  public enum Occasion: String, Hashable, Sendable {
    /// Somebody asked for it.
    case manual
    /// It began, something was edited here, or it was time to look.
    case scheduled
    /// The cloud's watch told that something is new.
    case notified
  }

  /// The engine runs: the cloud was opened, and is watched.
  case started
  /// The engine was stopped.
  case stopped
  /// Another process runs the engine on this database.
  case runsElsewhere
  /// An account was signed in: its name.
  case signIn(account: String)
  /// An account was signed out: its name.
  case signOut(account: String)
  /// The data here belongs to another cloud than the one that is there.
  case accountChanged
  /// A zone was made in the cloud.
  case sentDatabaseChanges(zone: String, owner: String)
  /// Something became of a whole zone.
  case fetchedDatabaseChanges(zone: String, owner: String, change: ZoneChange)
  /// The change token that is stored now.
  case stateUpdate(token: String)
  /// Tables lost their triggers, as when a migration makes one anew: rows that were not known are
  /// sent, all is fetched again, and what differs from the cloud is an edit made now.
  case rebuiltTables([String])
  /// Rows of such tables with values that differ from those in the cloud.
  case adopted([Record])
  /// A fetch begins.
  case willFetchChanges(Occasion)
  /// A page of fetched records was applied: those whose rows changed. The zone is nil when they are
  /// of several.
  case fetchedRecordZoneChanges(modified: [Record], deleted: [Record], zone: Zone? = nil)
  /// A fetch is over, whether or not it came to its end.
  case didFetchChanges
  /// A send begins.
  case willSendChanges(Occasion)
  /// Changes are about to be sent in one commit.
  case nextRecordZoneChangeBatch([Change], zone: Zone? = nil)
  /// The cloud answered a batch: what it took, and what it refused.
  case sentRecordZoneChanges(
    saved: [Record], deleted: [Record], failed: [Failure], zone: Zone? = nil)
  /// A send is over, whether or not all was sent.
  case didSendChanges
  /// Records whose unsent edits met another version: both are one now.
  case merged([Conflict])
  /// Deleted rows that came back, because something that lives depends on them or was edited later.
  case revived([Record])
  /// Rows with unsent edits that cannot be sent any more: they may only be read by now, or are out
  /// of reach. What was edited is in the history.
  case withdrawn([Record])
  /// A record was fetched whose parent, by its name, is not here yet.
  case waiting(Record, needs: String)
  /// A record that a local constraint refuses, with what SQLite says.
  case quarantined(Record, error: String)
  /// The name of an asset whose bytes are not in the cloud.
  case assetMissing(String)
  /// A commit in the cloud that breaks a rule: it changes nothing, for anybody.
  case ignoredCommit(zone: String, number: Int64, reason: String)
  /// Records in a zone that is shared, and that do not belong there: they change nothing here.
  case ignoredRecords([Ignored])
  /// The cloud's log was looked after: whether it was folded, and how many files are gone.
  case maintained(folded: Bool, deletedFiles: Int)
  /// Something did not work: what, and what can be done about it.
  case failed(message: String, hint: String?)
}

extension SyncEvent {
  /// What went wrong.
  static func failed(_ error: any Error) -> SyncEvent {
    let (message, hint) = explanation(of: error)
    return .failed(message: message, hint: hint)
  }

  /// An error in words, and what can be done.
  static func explanation(of error: any Error) -> (message: String, hint: String?) {
    switch error {
    case let error as CloudError: (error.reason, error.hint)
    case let error as SyncError: (error.message, error.hint)
    case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
      ("The disk is full.", "Free some space; nothing is lost meanwhile.")
    case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
      ("Another program is writing to the database.", "It is tried again.")
    case let error as DatabaseError where error.isOfDamage:
      ("SQLite: \(error.message ?? error.resultCode.description).", SyncError.damageHint)
    default: explanation(ofOther: error)
    }
  }

  private static func explanation(ofOther error: any Error) -> (message: String, hint: String?) {
    if let known = SyncError(explaining: error) { return (known.message, known.hint) }
    guard let error = error as? DatabaseError else { return ("\(error)", nil) }
    return ("SQLite: \(error.message ?? error.resultCode.description).", nil)
  }
}
