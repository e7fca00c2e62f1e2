import Foundation

/// Walks a commit log: takes one file after the other, and knows the position and the folded state.
///
/// Pure but for the caller's view: no verdict depends on a clock, an owner or the time of a file,
/// so every reader reaches the same. The owner tells only whether the author can be who it says.
struct LogCursor {
  /// The position reached.
  private(set) var token: ChangeToken
  private(set) var fold: ZoneFold
  /// The commits that change nothing, and why.
  private(set) var voids: [VoidCommit] = []
  /// Whether the latest commit names another file than the one before it as the one before it.
  private(set) var isBroken = false
  /// Bytes of the files that were brought in.
  private(set) var byteCount = 0

  private let zone: ZoneID

  init(zone: ZoneID, from token: ChangeToken, view: ServerView?) {
    self.zone = zone
    self.token = token
    fold = ZoneFold(view: view)
  }

  /// Brings the file of the next commit in, or skips it as void.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - vouches: Whether the owner of the file can be this author.
  mutating func append(
    _ file: CommitFile, vouches: (AccountID) throws -> Bool = { _ in true }
  ) throws {
    byteCount += file.bytes.count
    let decoded = file.decoded ?? DecodedCommit(SealedFile(file.bytes))
    try append(decoded.commit, hash: decoded.hash, vouches: vouches)
  }

  /// Brings the next commit in, or skips it as void, given the hash of its file.
  mutating func append(
    _ commit: Result<Commit, FormatError>, hash: ContentHash,
    vouches: (AccountID) throws -> Bool = { _ in true }
  ) throws {
    let sequence = token.sequence + 1
    isBroken = false
    switch commit {
    case .success(let commit):
      if let reason = try apply(commit, sequence: sequence, vouches: vouches) {
        voids.append(
          VoidCommit(
            number: sequence, reason: reason, author: commit.origin.author,
            device: commit.origin.device, isAuthentic: try vouches(commit.origin.author)))
      }
    case .failure(let error): voids.append(VoidCommit(number: sequence, reason: "\(error)"))
    }
    token = ChangeToken(zone: token.zone, epoch: token.epoch, sequence: sequence, hash: hash)
  }

  /// Brings a version of a record from a checkpoint in.
  mutating func put(_ copy: ServerCopy) {
    fold.put(copy)
  }

  /// Continues after a part of the checkpoint, with the next one or with the log.
  ///
  /// - Parameter partBytes: What there was of it.
  mutating func move(toPart next: Int, of count: Int, partBytes: Int) {
    byteCount += partBytes
    let position = token.checkpoint.map { position in
      ChangeToken.CheckpointPosition(metaNumber: position.metaNumber, nextPart: next)
    }
    token = ChangeToken(
      zone: token.zone, epoch: token.epoch, sequence: token.sequence, hash: token.hash,
      checkpoint: next < count ? position : nil)
  }

  /// Applies a commit, unless it breaks a rule: then says which.
  private mutating func apply(
    _ commit: Commit, sequence: Int64, vouches: (AccountID) throws -> Bool
  ) throws -> String? {
    guard commit.sequence == sequence, commit.epoch == token.epoch,
      ExactString(commit.zone) == ExactString(zone.name)
    else { return "it is a commit of another place" }
    isBroken = commit.previous != token.hash
    guard !isBroken else { return "it does not follow the commit before" }
    let rules = CommitRules(
      role: .reader,
      permissions: SharePermissions(author: commit.origin.author, owner: zone.owner))
    let refusals = try rules.refusals(of: commit.operations, in: fold)
    if let (index, refusal) = refusals.min(by: { $0.key < $1.key }) {
      return "operation \(index): \(refusal)"
    }
    let epoch = token.epoch
    try fold.apply(commit, isAuthentic: vouches(commit.origin.author)) { index in
      ChangeTag(epoch: epoch, sequence: sequence, index: index)
    }
    return nil
  }

  /// What was read, for the caller.
  func changes(moreComing: Bool) -> ZoneChanges {
    ZoneChanges(
      copies: fold.changed, voids: voids, token: token, moreComing: moreComing,
      byteCount: byteCount)
  }
}
