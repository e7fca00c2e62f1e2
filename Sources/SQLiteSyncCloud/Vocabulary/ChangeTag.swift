/// Identifies one version of a record: the place in the log of the operation that wrote it.
///
/// Written `epoch.sequence.index` (`1.40.2`). Unique in a zone and never used again, so it needs no
/// allocator.
public struct ChangeTag: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The epoch of the zone's log.
  public let epoch: Int64
  /// The number of the commit.
  public let sequence: Int64
  /// The index of the operation in the commit, from 0.
  public let index: Int

  /// The tag of an operation.
  public init(epoch: Int64, sequence: Int64, index: Int) {
    self.epoch = epoch
    self.sequence = sequence
    self.index = index
  }

  /// Parses `epoch.sequence.index` in its only spelling: no sign, no leading zero.
  public init?(_ description: String) {
    let dot = UInt8(ascii: ".")
    var rest = description.utf8[...]
    guard let epoch = rest.takeNumber(), rest.popFirst() == dot,
      let sequence = rest.takeNumber(), rest.popFirst() == dot,
      let index = rest.takeNumber(), rest.isEmpty, epoch >= 1, sequence >= 1
    else { return nil }
    self.init(epoch: epoch, sequence: sequence, index: Int(index))
  }

  /// `epoch.sequence.index`, as commit files spell it.
  public var description: String { "\(epoch).\(sequence).\(index)" }

  /// Whether the left tag was given earlier in the zone.
  public static func < (left: ChangeTag, right: ChangeTag) -> Bool {
    (left.epoch, left.sequence, left.index) < (right.epoch, right.sequence, right.index)
  }
}
