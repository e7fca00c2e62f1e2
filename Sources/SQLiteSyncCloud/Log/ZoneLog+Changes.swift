import Foundation

extension ZoneLog {
  /// Reads what the log holds after a token, at most `limit` commits at once.
  ///
  /// - Parameters:
  ///   - token: The position of the caller; nil reads everything, beginning with the checkpoint.
  ///   - limit: The most commits to read.
  ///   - view: What the caller knows of the zone at `token`.
  ///   - next: What the call before has begun to read, and where this one begins what follows; nil
  ///     reads nothing ahead.
  /// - Throws: When the log does not continue from `token`, and is to be read with nil:
  ///   `changeTokenExpired` when its beginning was compacted away, or the zone was deleted and
  ///   created again: what the caller knew and does not find was deleted. `zoneNotFound` when it is
  ///   another log, begun anew or restored from a backup: what the caller does not find was lost.
  public func changes(
    after token: ChangeToken?, limit: Int = CloudLimits.commitsPerFetch, view: ServerView,
    readingAhead next: NextPage? = nil
  ) throws -> ZoneChanges {
    try container.requireOpen()
    let manifest = try manifest()
    var cursor = try cursor(after: token, manifest: manifest, view: view)
    let first = cursor.token
    let atEnd = try advance(
      &cursor, limit: limit, manifest: manifest, found: next?.take(after: first))
    try settle(from: first, to: cursor.token, since: manifest)
    if atEnd {
      try permissions.requireReadable(
        cursor.fold.trustedShare(), isAnew: manifest.epoch > 1)
    }
    let changes = cursor.changes(moreComing: !atEnd)
    if changes.moreComing, changes.byteCount >= NextPage.worthwhile {
      next?.begin(after: changes.token, limit: limit, manifest: manifest, in: self)
    }
    return changes
  }

  /// A cursor at the caller's position, if the log still continues from there.
  func cursor(
    after token: ChangeToken?, manifest: ZoneManifest, view: ServerView
  ) throws -> LogCursor {
    guard let token else { return LogCursor(zone: id, from: manifest.start, view: nil) }
    guard manifest.continues(token) else { throw CloudError.rebuilt(id) }
    guard token.epoch == manifest.epoch else { throw CloudError.tokenExpired }
    try requireStanding(token, manifest: manifest)
    return LogCursor(zone: id, from: token, view: view)
  }

  /// Makes sure that the commit on which a token stands is still the one that its holder has read.
  ///
  /// A power cut, a restored backup or a fork can put another one in its place, or none.
  private func requireStanding(_ token: ChangeToken, manifest: ZoneManifest) throws {
    if let position = token.checkpoint {
      guard manifest.checkpoint(position.metaNumber) != nil else { throw CloudError.tokenExpired }
      return
    }
    var vouched = manifest.checkpoints.filter { $0.checkpoint.sequence == token.sequence }
      .map(\.checkpoint.hash)
    if token.sequence == 0 { vouched.append(manifest.genesis) }
    guard vouched.isEmpty else {
      guard vouched.contains(token.hash) else { throw CloudError.rebuilt(id) }
      return
    }
    // What is at the number of a commit that was compacted may be a stalled writer's, in vain.
    guard token.sequence > manifest.floor else { throw CloudError.tokenExpired }
    let found = try readCommit(token.sequence, epoch: token.epoch)?.hash
    guard found != token.hash else { return }
    // It may have been compacted since `manifest` was read.
    let isCompacted = try token.sequence <= self.manifest().floor
    throw isCompacted ? CloudError.tokenExpired : CloudError.rebuilt(id)
  }

  /// Reads the next part of the checkpoint, or the next commits.
  ///
  /// - Parameters:
  ///   - cursor: Where to read on, and afterwards how far it came.
  ///   - limit: The most commits to read.
  ///   - manifest: What is known of the zone.
  ///   - found: What was read ahead.
  /// - Returns: Whether the end of the log was reached.
  func advance(
    _ cursor: inout LogCursor, limit: Int, manifest: ZoneManifest, found: NextPage.Content? = nil
  ) throws -> Bool {
    guard let position = cursor.token.checkpoint else {
      return try readCommits(
        &cursor, limit: limit, manifest: manifest, found: found?.commits ?? [:])
    }
    guard let checkpoint = manifest.checkpoint(position.metaNumber) else {
      throw CloudError.tokenExpired
    }
    var byteCount = 0
    if checkpoint.parts.indices.contains(position.nextPart) {
      let part = checkpoint.parts[position.nextPart]
      byteCount = Int(part.byteCount)
      let copies = try found?.part ?? copies(in: part, epoch: manifest.epoch)
      for copy in copies { cursor.put(copy) }
    }
    cursor.move(
      toPart: position.nextPart + 1, of: checkpoint.parts.count, partBytes: byteCount)
    return false
  }

  /// Bytes of the files that a reader at `token` has not read yet: what a listing shows now.
  public func byteCount(after token: ChangeToken) throws -> Int {
    let manifest = try manifest()
    let parts = token.checkpoint.flatMap { position in
      manifest.checkpoint(position.metaNumber)?.parts.dropFirst(position.nextPart)
    }
    let commits = try store.list(
      layout.log(epoch: token.epoch), after: ZoneLayout.fileName(token.sequence), limit: .max
    ) { ZoneLayout.number(inFileName: $0) != nil }
    return commits.reduce(Int(parts?.reduce(0) { $0 + $1.byteCount } ?? 0)) {
      // No more of a file is read.
      $0 + min(Int(clamping: $1.byteCount), CloudLimits.readBytes)
    }
  }

  /// The versions of records in a part of a checkpoint.
  func copies(in part: Checkpoint.Part, epoch: Int64) throws -> [ServerCopy] {
    var copies: [ServerCopy] = []
    copies.reserveCapacity(Int(clamping: min(part.recordCount, Int64(CloudLimits.recordsPerPart))))
    try readPart(part, epoch: epoch) { copy, _ in copies.append(copy) }
    return copies
  }

  /// Reads a part of a checkpoint and verifies it.
  func readPart(
    _ part: Checkpoint.Part, epoch: Int64,
    _ line: (ServerCopy, ArraySlice<UInt8>) -> Void
  ) throws {
    let key = layout.part(part, epoch: epoch)
    guard let object = try store.object(key, limit: CloudLimits.readBytes + 1) else {
      let manifest = try manifest()
      // The checkpoint before the latest two is collected; a slow reader begins again.
      guard manifest.epoch == epoch, manifest.checkpoints.contains(where: { $0.names(part) }) else {
        throw end(of: epoch, manifest)
      }
      throw CloudError.damaged("\(key) is missing.")
    }
    let file = SealedFile(Array(object.bytes))
    guard file.hash == part.hash else {
      throw CloudError.damaged("\(key) is not what was written.")
    }
    do {
      // Its writer is the zone's owner, who can vouch for nobody else.
      let isOwners = try container.vouches(object.owner, for: id.owner)
      try CheckpointPart.read(file) { copy, bytes in
        let isAuthentic = object.owner == nil || isOwners && copy.author == id.owner
        line(isAuthentic ? copy : copy.unauthenticated, bytes)
      }
    } catch let error as FormatError {
      throw CloudError.damaged("\(key) cannot be read: \(error).")
    }
  }

  /// Reads commits until the end, the limit, or as many bytes as a fetch may hold.
  ///
  /// What comes before a commit that is missing counts, and is not thrown away with the rest: only
  /// a device that has read all of it can reset the log.
  ///
  /// - Parameters:
  ///   - cursor: Where to read on, and afterwards how far it came.
  ///   - limit: The most commits to read.
  ///   - manifest: What is known of the zone.
  ///   - found: Files that were read before, by number.
  /// - Returns: Whether the end of the log was reached.
  func readCommits(
    _ cursor: inout LogCursor, limit: Int, manifest: ZoneManifest,
    found: [Int64: CommitFile] = [:]
  ) throws -> Bool {
    var byteCount = 0
    var ahead = ReadAhead(log: self, epoch: manifest.epoch, found: found)
    for _ in 0..<limit {
      let next = cursor.token.sequence + 1
      let found: CommitFile?
      do {
        found = try ahead.commit(next) ?? late(next, after: manifest)
      } catch let error as CloudError where error.code == .internalError && byteCount > 0 {
        return false
      }
      guard let file = found else { return true }
      try append(file, to: &cursor)
      byteCount += file.bytes.count
      if byteCount >= CloudLimits.fetchBytes { return false }
    }
    return false
  }

  /// Makes sure that what was read will stay: durable, and not removed or replaced meanwhile.
  ///
  /// A commit is visible before it is durable, so a reader waits for that before it stores a token.
  /// And a stalled writer may create a number again after it was compacted away, so a reader looks
  /// at the floor after it has read.
  ///
  /// - Parameters:
  ///   - first: Where the reader was.
  ///   - last: How far it came.
  ///   - seen: What was known of the zone before anything was read.
  ///   - isDurable: Whether `last` was made durable by this device, and with it all before.
  func settle(
    from first: ChangeToken, to last: ChangeToken, since seen: ZoneManifest,
    isDurable: Bool = false
  ) throws {
    if last.sequence > first.sequence, !isDurable {
      try store.barrier(layout.log(epoch: first.epoch))
    }
    let manifest = try manifest(since: seen)
    guard manifest.epoch == first.epoch,
      last.sequence == first.sequence || manifest.floor <= first.sequence
    else { throw end(of: first.epoch, manifest) }
    // An upgrade that came meanwhile may not allow what was just committed.
    if isDurable { try manifest.requireWritable(id) }
  }

  /// Why a reader who is in an epoch cannot go on from where it is.
  private func end(of epoch: Int64, _ manifest: ZoneManifest) -> CloudError {
    manifest.hasBeenReset(since: epoch) ? .rebuilt(id) : .tokenExpired
  }

  /// A commit's file; nil when it is absent.
  func readCommit(_ number: Int64, epoch: Int64) throws -> CommitFile? {
    try store.object(layout.commit(number, epoch: epoch), limit: CloudLimits.readBytes + 1)
      .map { CommitFile(bytes: Array($0.bytes), owner: $0.owner) }
  }

  /// The files of several commits.
  func readCommits(_ numbers: Range<Int64>, epoch: Int64) throws -> [CommitFile?] {
    guard numbers.count > 1 else { return [try readCommit(numbers.lowerBound, epoch: epoch)] }
    let keys = numbers.map { layout.commit($0, epoch: epoch) }
    return try store.objects(keys, limit: CloudLimits.readBytes + 1).map { object in
      object.map { CommitFile(bytes: Array($0.bytes), owner: $0.owner) }
    }
  }

  /// Brings the next commit in, unless it proves that the file before it was altered.
  ///
  /// What is not a commit of its place and never was one is followed like any other. If the next
  /// commit was written after another file, then devices that were faster have read that one: who
  /// went on without it would see another zone than they do.
  func append(_ file: CommitFile, to cursor: inout LogCursor) throws {
    try cursor.append(file, vouches: { try container.vouches(file.owner, for: $0) })
    let number = cursor.token.sequence
    guard cursor.isBroken, let before = try readCommit(number - 1, epoch: cursor.token.epoch)
    else { return }
    let reason: String
    do {
      let commit = try Commit.read(SealedFile(before.bytes))
      guard !commit.isAt(number - 1, epoch: cursor.token.epoch, zone: id.name) else { return }
      reason = "it is a commit of another place"
    } catch {
      reason = "\(error)"
    }
    throw CloudError.damaged(
      "Commit \(number - 1) of the zone \(id.name) was altered: \(reason), and the next one was "
        + "written after another file.")
  }

  /// Looks again for a commit that is absent: it may be the end of the log, or there may be more.
  ///
  /// Two commits may have come since, or a network mount repeats what it was told before. If
  /// neither, then what follows an absent commit has lost its base.
  private func late(_ number: Int64, after known: ZoneManifest) throws -> CommitFile? {
    guard number > known.floor else { throw CloudError.tokenExpired }
    guard try isFollowed(number, epoch: known.epoch) else { return nil }
    let key = layout.commit(number, epoch: known.epoch)
    var contention = Contention(environment: environment)
    while true {
      if let file = try readCommit(number, epoch: known.epoch) { return file }
      let manifest = try manifest()
      guard manifest.epoch == known.epoch, manifest.floor < number else {
        throw end(of: known.epoch, manifest)
      }
      try contention.lost(key, failure: absence(of: key, number))
    }
  }

  /// Whether one of the next two files is a commit of this log, which nobody writes before the one
  /// that it follows.
  ///
  /// Anything else was put there by somebody: it is in nobody's way until its number comes, and
  /// then it counts as a void commit.
  private func isFollowed(_ number: Int64, epoch: Int64) throws -> Bool {
    let numbers = (number + 1)..<(number + 3)
    return try zip(numbers, readCommits(numbers, epoch: epoch)).contains { later, file in
      file?.isCommit(number: later, epoch: epoch, zone: id.name) == true
    }
  }

  /// What it means that a commit cannot be read and later ones can: a listing does not come from
  /// the memory of what was not there.
  private func absence(of key: StoreKey, _ number: Int64) throws -> CloudError {
    let before = ZoneLayout.fileName(number - 1)
    if try store.list(key.prefix, after: before, limit: 1).first?.name == key.name {
      return CloudError(
        .networkUnavailable, "The mount lists commit \(number) and does not find it yet.",
        hint: "It shows what was there a moment ago; it is tried again.")
    }
    return CloudError.damaged(
      "Commit \(number) of the zone \(id.name) is missing, and later ones are there.")
  }
}

extension ServerCopy {
  /// The same copy of an author whom nothing vouches for.
  var unauthenticated: ServerCopy {
    ServerCopy(content: content, tag: tag, author: author, device: device, isAuthentic: false)
  }
}
