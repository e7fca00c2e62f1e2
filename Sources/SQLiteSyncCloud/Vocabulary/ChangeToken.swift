/// A position in a zone's log: everything up to here is known to its holder.
///
/// It names the zone by the hash of its first `meta` entry and the commit by its hash, so that a
/// restored backup, a re-created zone or a fork is noticed. Callers store `description` as text.
public struct ChangeToken: Hashable, Sendable, LosslessStringConvertible {
  /// The hash of the zone's first `meta` entry.
  let zone: ContentHash
  /// The epoch of the log.
  let epoch: Int64
  /// The number of the last known commit; 0 before the first.
  public let sequence: Int64
  /// The hash of that commit's file; before the first, of the `meta` entry that began the epoch.
  let hash: ContentHash
  /// How much of a checkpoint has been read, while it is being read.
  let checkpoint: CheckpointPosition?

  /// The next part to read of the checkpoint that a `meta` entry names.
  struct CheckpointPosition: Hashable, Sendable {
    let metaNumber: Int64
    let nextPart: Int
  }

  init(
    zone: ContentHash, epoch: Int64, sequence: Int64, hash: ContentHash,
    checkpoint: CheckpointPosition? = nil
  ) {
    self.zone = zone
    self.epoch = epoch
    self.sequence = sequence
    self.hash = hash
    self.checkpoint = checkpoint
  }

  /// Reads a token back from its text; nil when it is not one.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 || parts.count == 6,
      let zone = ContentHash(String(parts[0])), let hash = ContentHash(String(parts[3])),
      let epoch = Int64(parts[1]), let sequence = Int64(parts[2]),
      (1...CloudLimits.number) ~= epoch, (0...CloudLimits.number) ~= sequence
    else { return nil }
    var checkpoint: CheckpointPosition?
    if parts.count == 6 {
      guard let number = Int64(parts[4]), let part = Int(parts[5]), number >= 1, part >= 0
      else { return nil }
      checkpoint = CheckpointPosition(metaNumber: number, nextPart: part)
    }
    self.init(zone: zone, epoch: epoch, sequence: sequence, hash: hash, checkpoint: checkpoint)
  }

  /// `zone.epoch.sequence.hash`, and `.meta.part` in the middle of a checkpoint.
  public var description: String {
    let position = "\(zone).\(epoch).\(sequence).\(hash)"
    guard let checkpoint else { return position }
    return position + ".\(checkpoint.metaNumber).\(checkpoint.nextPart)"
  }
}
