/// When a log is folded into a checkpoint, and what is kept for slow readers.
///
/// Correctness does not depend on these numbers: they make it rare that a device has to fetch
/// everything again.
struct MaintenancePolicy: Sendable {
  /// Commits since the checkpoint before another one is worth its bytes, if `bytes` says so too.
  var commits = 256
  /// Bytes of those commits before another checkpoint is worth writing.
  var bytes: Int64 = 1 << 20
  /// Commits that are too many to read one by one, whatever their bytes.
  var manyCommits = 4_096
  /// Commits that are kept although they are folded.
  var keptCommits: Int64 = 1_024
  /// For how long younger commits are kept in any case.
  var keptCommitAge = Self.days(30)
  /// For how long a deletion is remembered; after that, an edit made before it wins.
  var tombstoneAge = Self.days(180)
  /// Which deletions of that age are not remembered any more.
  var forgettable = Forgettable.all
  /// The time between the announcement that commits go and their deletion: longer than a network
  /// mount remembers that the announcement was not there.
  var announcement = Self.hours(1)
  /// The age of a checkpoint's part or of a writer's leftover that nobody names.
  var leftoverAge = Self.hours(24)
  /// The age of an asset that nobody names: longer than a writer takes from upload to commit.
  var assetAge = Self.days(7)
  /// Operations, and bytes of their commits, that are folded at once and held in memory.
  var operationsAtOnce = 8_192
  var bytesAtOnce = CloudLimits.fetchBytes / 2
  /// Bytes of what was folded that are held; more lie in a temporary file.
  var spooledBytes = 1 << 18

  /// Which deletions may be forgotten, by their place in the log.
  enum Forgettable {
    case all
    /// Those up to where a device had read the log long ago; none where it had not.
    case upTo(ChangeToken?)
  }

  static let standard = MaintenancePolicy()

  static func hours(_ count: Int64) -> Int64 { count * 3_600_000 }
  static func days(_ count: Int64) -> Int64 { hours(24 * count) }

  /// Whether to fold so many commits of so many bytes.
  func isDue(commits count: Int, bytes size: Int64, checkpointBytes: Int64) -> Bool {
    count >= manyCommits || (count >= commits && size >= max(bytes, checkpointBytes / 2))
  }
}

/// What maintaining a zone came to.
public struct MaintenanceReport: Hashable, Sendable {
  /// The last commit that was folded into a new checkpoint; nil when none was due.
  public internal(set) var checkpoint: Int64?
  /// The most records that were held at once to fold them.
  var recordsAtOnce = 0
  /// The files that nobody needs any more and that are gone.
  public internal(set) var deletedFiles = 0
  /// What could not be deleted, and why.
  ///
  /// It is tried again the next time.
  public internal(set) var failures: [CloudError] = []
}
