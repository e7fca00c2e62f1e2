/// A commit that breaks a rule, and counts as if it were empty, for everybody.
public struct VoidCommit: Hashable, Sendable {
  /// Its number in the log.
  public let number: Int64
  /// The rule, in words.
  public let reason: String
  /// Who made it, as its header says; nil when that cannot be read.
  public let author: AccountID?
  /// The device that made it, as its header says.
  public let device: String?
  /// Whether the author can be who it says: see `ServerCopy.isAuthentic`.
  public let isAuthentic: Bool

  init(
    number: Int64, reason: String, author: AccountID? = nil, device: String? = nil,
    isAuthentic: Bool = false
  ) {
    self.number = number
    self.reason = reason
    self.author = author
    self.device = device
    self.isAuthentic = isAuthentic
  }
}

/// What a zone's log holds after a token.
public struct ZoneChanges: Hashable, Sendable {
  /// The latest version of each record that was touched, in the order of their tags.
  ///
  /// Of the share record the latest authentic version comes, too, when a later one is not.
  public let copies: [ServerCopy]
  /// Commits that change nothing.
  ///
  /// No program that keeps the rules writes one, so somebody should hear of them.
  public let voids: [VoidCommit]
  /// The position reached: to be stored in one transaction with `copies`.
  public let token: ChangeToken
  /// Whether there is more after `token` already.
  public let moreComing: Bool
  /// Bytes of the files that were read.
  public let byteCount: Int

  init(
    copies: [ServerCopy], voids: [VoidCommit], token: ChangeToken, moreComing: Bool, byteCount: Int
  ) {
    self.copies = copies
    self.voids = voids
    self.token = token
    self.moreComing = moreComing
    self.byteCount = byteCount
  }

  /// The same with other copies in place of each: for callers who call records by other names.
  public func mapCopies(_ transform: (ServerCopy) -> ServerCopy) -> ZoneChanges {
    ZoneChanges(
      copies: copies.map(transform), voids: voids, token: token, moreComing: moreComing,
      byteCount: byteCount)
  }
}

/// The cloud's answer to a request to change records.
public struct ModifyResult: Sendable {
  /// Why a record was not changed, by its name.
  ///
  /// The others were.
  public let failures: [String: CloudError]
  /// Everything after the caller's token, up to and including the request's own commit.
  public let changes: ZoneChanges

  init(failures: [String: CloudError], changes: ZoneChanges) {
    self.failures = failures
    self.changes = changes
  }
}
