import Foundation
import GRDB
import SQLiteSyncCloud

/// What an engine is told beside its tables and its cloud.
///
/// The defaults are for production.
public struct SyncConfiguration: Sendable {
  /// The zone of the account in which the records live: 1 to 255 bytes without control characters.
  public var zone = "default"
  /// Tables that are only on this device, on purpose: the status names all others that are not
  /// synchronized.
  public var localTables: [String] = []
  /// Runs in a transaction of its own before unsent edits are sent, after a fetch that went before:
  /// for what an app made because it did not know yet what the cloud has.
  ///
  /// Rows that no other device has heard of can be changed and deleted here without meeting edits
  /// of others. What it writes is captured as any edit is; an error ends the round.
  public var willSend: (@Sendable (Database) throws -> Void)?
  /// How edits of a column are merged that did not know of each other, by table and column.
  ///
  /// Of all other columns the later edit wins. Spelled as the table spells them: an engine refuses
  /// names that there are not, keys and foreign keys.
  public var mergePolicies: [String: [String: MergePolicy]] = [:]
  /// Milliseconds between looks at the cloud while there is something new.
  ///
  /// The watch usually comes first. When nothing is new, each wait is twice the one before, up to
  /// `idlePollMilliseconds`.
  public var pollMilliseconds = 5_000
  /// The most milliseconds between looks at the cloud, if they are more than `pollMilliseconds`.
  public var idlePollMilliseconds = 60_000
  /// Milliseconds since 1970, for the outbox and the history.
  ///
  /// Edits are timed by the triggers. A time before 1970 or after 2099 counts as the first or last
  /// moment between.
  public var now: @Sendable () -> Int64 = CloudEnvironment.live.now {
    didSet { now = CloudEnvironment.bounding(now) }
  }
  /// Random numbers, for back-off and polls.
  public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Which assets come to this device by themselves, and how many of the others it keeps.
  public var assetPolicy = SyncAssetPolicy.all
  /// Commits applied in one transaction.
  public var commitsPerTransaction = 64
  /// The time of an edit as an SQL expression.
  ///
  /// For tests: it is stored in the database's triggers.
  public var editTimeSQL: String?
  /// How many plain records in a row are written together: see `PlainPage`.
  ///
  /// For tests: what comes of it is the same.
  var plainRun = Applier.plainRun
  /// From how many entries on rows that were made are folded by one statement: see `EditLog`.
  var bulkOfEdits = EditLog.bulk
  /// How many entries of the edit log are sorted at once, about: see `EditEntries.parts`.
  var partOfEdits = EditLog.part

  /// The defaults.
  public init() {}

  /// Milliseconds until the next look, when so many in a row have found nothing new.
  func pollWait(quiet: Int) -> Int {
    let first = pollMilliseconds.clamped
    return min(first << min(quiet, 16), max(first, idlePollMilliseconds.clamped))
  }

  /// At least one commit is applied at once, or nothing ever would be.
  var pageLimit: Int { max(1, commitsPerTransaction) }
}

extension Int {
  /// A wait that neither spins nor overflows: a millisecond to a year.
  fileprivate var clamped: Int { Swift.min(Swift.max(1, self), 365 * 86_400_000) }
}
