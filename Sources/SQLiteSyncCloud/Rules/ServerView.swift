/// What the rules must know of a record's version in the cloud.
public struct RecordState: Hashable, Sendable {
  /// The record's type.
  public var type: String
  /// The record it depends on.
  public var parent: String?
  /// The version.
  public var tag: ChangeTag
  /// The clock of its deletion; `nil` while it lives.
  public var deleted: FieldClock?

  /// The state of a record.
  public init(type: String, parent: String?, tag: ChangeTag, deleted: FieldClock? = nil) {
    self.type = type
    self.parent = parent
    self.tag = tag
    self.deleted = deleted
  }
}

/// The caller's memory of a zone at its token: so that work grows with the change, not with the
/// data.
///
/// It is asked only for what a fetch or a commit touches, and not at all without a token.
public struct ServerView {
  /// The state of a record by its name, of a deleted one while its tombstone is known.
  let record: (String) throws -> RecordState?
  /// The names of the living records whose parent this is.
  let children: (String) throws -> [String]
  /// Who may do what in the zone; nil when it is not shared.
  let share: () throws -> Share?
  /// The same, as its owner has said it: see `ServerCopy.isAuthentic`.
  let trustedShare: () throws -> Share?
  /// Runs a body that asks all about one commit, whose records have these names, and reads nothing
  /// of the cloud.
  let together: ([String], () throws -> Void) throws -> Void

  /// A view of what the caller stores.
  public init(
    record: @escaping (String) throws -> RecordState?,
    children: @escaping (String) throws -> [String],
    share: @escaping () throws -> Share? = { nil },
    trustedShare: (() throws -> Share?)? = nil,
    together: @escaping ([String], () throws -> Void) throws -> Void = { try $1() }
  ) {
    self.record = record
    self.children = children
    self.share = share
    self.trustedShare = trustedShare ?? share
    self.together = together
  }
}
