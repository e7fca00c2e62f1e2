/// Every limit of the cloud in one place.
///
/// The sizes of a request are CloudKit's published ones.
public enum CloudLimits {
  /// Operations in one commit.
  public static let operationsPerCommit = 400
  /// Bytes of one commit file that a writer may make.
  public static let commitBytes = 2 << 20
  /// Bytes of one record's operation.
  public static let recordBytes = 1 << 20
  /// Bytes of one asset.
  public static let assetBytes = 50 << 20
  /// Bytes that a reader accepts of a commit or a checkpoint part.
  public static let readBytes = 4 << 20
  /// Bytes that a reader accepts of a `meta` entry.
  public static let metaBytes = 256 << 10
  /// UTF-8 bytes of a record's, type's, field's or zone's name.
  public static let nameBytes = 255
  /// Fields of one record.
  public static let fieldsPerRecord = 200
  /// UTF-8 bytes of the title of a share.
  public static let titleBytes = 4 << 10
  /// People in a share, with those who have left and those who were removed: each is a field of its
  /// record, beside three others.
  ///
  /// Whoever has the link of a share that anyone may read can read it, also beyond them.
  public static let participants = fieldsPerRecord - 3
  /// The greatest number of a file or an epoch: 16 decimal digits.
  public static let number: Int64 = 9_999_999_999_999_999
  /// Zones of one account.
  public static let zonesPerAccount = 1_000
  /// Messages of one user that are read of an inbox.
  public static let messages = 1_000
  /// Files that are deleted in an inbox when it is read once.
  static let messagesDeletedAtOnce = 5_000
  /// Bytes of a message.
  public static let messageBytes = 64 << 10
  /// Bytes of a value that lie in the commit itself; more go into an asset.
  public static let inlineBytes = 4 << 10
  /// Findings of one severity that a check keeps; more are only counted.
  public static let findings = 1_000
  /// Nesting of a JSON document.
  public static let jsonDepth = 8
  /// Records of one part of a checkpoint.
  public static let recordsPerPart = 5_000
  /// Bytes of the records of one part of a checkpoint, unless one record alone has more.
  public static let partBytes = 2 << 20
  /// Commits in one fetch.
  public static let commitsPerFetch = 400
  /// Bytes of the commits of one fetch, after which it ends early.
  public static let fetchBytes = 8 << 20
  /// How often a writer tries again after others were faster.
  public static let lostRaces = 1_000
  /// How often a file is looked for when it is not known whether it was created.
  public static let unknownOutcomes = 5
}
