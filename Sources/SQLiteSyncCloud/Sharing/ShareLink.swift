/// What the owner of a share gives to others so that they find it.
///
/// `share:<id of the cloud>/<owner>/<zone>`. The zone's name is unguessable, so for a share with a
/// public permission the link is the key.
public struct ShareLink: Hashable, Sendable, LosslessStringConvertible {
  /// The cloud in which the link means something.
  public let cloud: String
  /// The shared zone.
  public let zone: ZoneID

  private static let scheme = "share:"

  /// A link to a zone.
  public init(cloud: String, zone: ZoneID) {
    self.cloud = cloud
    self.zone = zone
  }

  /// Reads a link; nil when it is none.
  public init?(_ description: String) {
    guard description.hasPrefix(Self.scheme) else { return nil }
    let parts = description.dropFirst(Self.scheme.count)
      .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !parts[0].isEmpty, let owner = AccountID(rawValue: parts[1]),
      Validity.objection(toName: parts[2]) == nil
    else { return nil }
    self.init(cloud: parts[0], zone: ZoneID(name: parts[2], owner: owner))
  }

  /// The link as text.
  public var description: String {
    "\(Self.scheme)\(cloud)/\(zone.owner.rawValue)/\(zone.name)"
  }
}
