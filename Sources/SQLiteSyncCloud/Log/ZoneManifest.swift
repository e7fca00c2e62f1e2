import Foundation

/// What a zone's `meta` log says, folded: which epoch, from where to read, what may be gone.
///
/// Pure: entry after entry goes in. An entry that breaks the rules changes nothing.
struct ZoneManifest: Hashable, Sendable {
  /// The hash of entry 1: the zone's identity.
  let identity: ContentHash
  /// The number of the latest entry.
  private(set) var number: Int64
  /// The hash of the latest entry.
  private(set) var hash: ContentHash
  /// The epoch of the log, and the hash of the entry that began it: what its first commit follows.
  private(set) var epoch: Int64
  private(set) var genesis: ContentHash
  /// The epoch in which the zone was created; later ones are resets.
  private(set) var creation: Int64
  /// Why the zone was deleted; nil while it is there.
  private(set) var deletion: String?
  /// What a program must be able to do.
  private(set) var needs: MetaEntry.Needs
  /// The newest checkpoint of the epoch, and the number of the entry that names it.
  private(set) var checkpoint: Named?
  /// The checkpoint before: a reader may still be at it.
  private(set) var previousCheckpoint: Named?
  /// Commits up to this one may be gone.
  ///
  /// Never moves backwards in an epoch.
  private(set) var floor: Int64 = 0
  /// The entries that change nothing, and why.
  private(set) var voids: [Int64: String] = [:]

  /// A checkpoint with the number of the entry that names it.
  struct Named: Hashable, Sendable {
    let number: Int64
    let checkpoint: Checkpoint

    /// Whether the checkpoint has this part.
    func names(_ part: Checkpoint.Part) -> Bool { checkpoint.parts.contains(part) }
  }

  /// Begins with entry 1.
  init(first bytes: [UInt8], zone: ZoneID) throws(FormatError) {
    let file = SealedFile(bytes)
    let entry = try MetaEntry.read(file)
    guard case .zoneCreated(let name, let needs) = entry.kind,
      ExactString(name) == ExactString(zone.name)
    else { throw FormatError("entry 1 does not create the zone \(zone.name)") }
    guard entry.number == 1, entry.previous == nil else {
      throw FormatError("entry 1 is not the first entry of a log")
    }
    identity = file.hash
    number = 1
    hash = identity
    genesis = identity
    epoch = entry.epoch
    creation = entry.epoch
    self.needs = needs
  }

  /// The latest two checkpoints of the epoch.
  var checkpoints: [Named] { [checkpoint, previousCheckpoint].compactMap { $0 } }

  /// One of the latest two checkpoints, by the number of the entry that names it.
  func checkpoint(_ number: Int64) -> Checkpoint? {
    checkpoints.first { $0.number == number }?.checkpoint
  }

  /// Where a reader begins that knows nothing: with the newest checkpoint, or the first commit.
  var start: ChangeToken {
    guard let checkpoint else { return beginning }
    return ChangeToken(
      zone: identity, epoch: epoch, sequence: checkpoint.checkpoint.sequence,
      hash: checkpoint.checkpoint.hash,
      checkpoint: .init(metaNumber: checkpoint.number, nextPart: 0))
  }

  /// Whether the log is another one than in an epoch, for the same data: begun anew since, or
  /// restored from before.
  func hasBeenReset(since other: Int64) -> Bool {
    other != epoch && other >= creation
  }

  /// Whether a token is of this log, and not of one that was before it or is lost.
  func continues(_ token: ChangeToken) -> Bool {
    token.zone == identity && !hasBeenReset(since: token.epoch)
  }

  /// The position before the first commit of the epoch.
  var beginning: ChangeToken {
    ChangeToken(zone: identity, epoch: epoch, sequence: 0, hash: genesis)
  }

  /// Brings the next entry in.
  mutating func append(_ bytes: [UInt8]) {
    number += 1
    let previous = hash
    let file = SealedFile(bytes)
    hash = file.hash
    do {
      let entry = try MetaEntry.read(file)
      guard entry.number == number, entry.previous == previous else {
        throw FormatError("not the entry after entry \(number - 1)")
      }
      try apply(entry)
    } catch {
      voids[number] = "\(error)"
    }
  }

  private mutating func apply(_ entry: MetaEntry) throws(FormatError) {
    switch entry.kind {
    case .zoneCreated(_, let needs):
      guard deletion != nil else { throw FormatError("the zone is there already") }
      try begin(entry.epoch)
      creation = epoch
      self.needs = needs
      deletion = nil
    case .reset:
      guard deletion == nil else { throw FormatError("the zone is deleted") }
      try begin(entry.epoch)
    case .zoneDeleted(let reason):
      guard entry.epoch == epoch else { throw FormatError("another epoch") }
      deletion = reason
    case .upgrade(let needs):
      self.needs = needs
    case .checkpoint(let new):
      guard entry.epoch == epoch, deletion == nil else { throw FormatError("another epoch") }
      guard new.sequence > checkpoint?.checkpoint.sequence ?? 0 else {
        throw FormatError("not later than the checkpoint before")
      }
      previousCheckpoint = checkpoint
      checkpoint = Named(number: number, checkpoint: new)
      floor = max(floor, new.floor)
    }
  }

  private mutating func begin(_ next: Int64) throws(FormatError) {
    guard next == epoch + 1 else { throw FormatError("not the next epoch") }
    epoch = next
    genesis = hash
    checkpoint = nil
    previousCheckpoint = nil
    floor = 0
  }
}

extension ZoneManifest {
  /// Refuses a zone that is deleted, or that needs what this program cannot do.
  func requireReadable(_ zone: ZoneID) throws {
    if let deletion {
      throw CloudError(
        .userDeletedZone,
        "The zone \(zone.name) was deleted\(deletion.isEmpty ? "" : ": ")"
          + "\(deletion).")
    }
    if !needs.read.isEmpty {
      throw CloudError.newerFormat(
        "The zone \(zone.name) needs \(needs.read.joined(separator: ", "))")
    }
  }

  /// Refuses to write to a zone that needs what this program cannot do.
  func requireWritable(_ zone: ZoneID) throws {
    try requireReadable(zone)
    if !needs.write.isEmpty {
      throw CloudError.newerFormat(
        "Writing to the zone \(zone.name) needs \(needs.write.joined(separator: ", "))")
    }
  }
}

extension CloudError {
  static func newerFormat(_ reason: String) -> CloudError {
    CloudError(
      .incompatibleVersion, "\(reason), which this version does not have.",
      hint: "Install the newest version; what is on this device can be used meanwhile.")
  }

  static func damaged(_ reason: String) -> CloudError {
    CloudError(
      .internalError, reason,
      hint: "A check of the cloud says what is wrong and what can be done.")
  }

  static func rebuilt(_ zone: ZoneID) -> CloudError {
    CloudError(
      .zoneNotFound, "The zone \(zone.name) was reset or restored.",
      hint: "What is on this device is uploaded again.")
  }

  static let tokenExpired = CloudError(
    .changeTokenExpired, "The log no longer continues from here; everything is fetched again.")
}
