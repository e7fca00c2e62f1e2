import Foundation

/// Carries out what a check has proven to help, and nothing else.
///
/// - A leftover is removed when nobody can need it: a writer's file older than a day, a part that
///   no checkpoint names, an asset that nothing has named for a week.
/// - A lost file is put back when a file in the zone has exactly the bytes that another file's hash
///   asks for. What lies in its place goes into the zone's `quarantine` first.
/// - A lost asset is put back when this device has the bytes, also from the row they belong to.
/// - What is not a commit and lies at a number that is still to come goes into the `quarantine`
///   too; so does a file in the place of a directory. A link or a pipe there is removed.
/// - `CLOUD.json` is put back with the id that this device knows.
/// - What does not begin a zone, in the place of the `meta` entry that does, goes into the
///   `quarantine` when this device has been in step with the zone: its devices make it anew.
/// - The directories of a zone let in whom its share names, and nobody else.
/// - A log that cannot be read to its end is begun anew when this device holds all that was in it:
///   its change token stands at the end of the log, or right before a place at which nobody can
///   read on. The devices take what can be read past that (`ZoneLog.remains`), upload what they
///   have then, and merge it field by field; the old files stay until the collector's day is over.
///
/// Everything else is left for people, and stays as it was.
public struct CloudRepair {
  let container: CloudContainer
  let bytes: CloudCheck.HeldBytes

  /// Repairs in the cloud of a container, as its account.
  ///
  /// - Parameters:
  ///   - container: The cloud, opened or not.
  ///   - bytes: Finds the bytes of assets that this device has.
  public init(_ container: CloudContainer, bytes: @escaping CloudCheck.HeldBytes = { _ in nil }) {
    self.container = container
    self.bytes = bytes
  }

  /// Carries out the repair of a finding; does nothing when there is none.
  ///
  /// - Throws: `CloudError` when it did not succeed. It can be tried again.
  public func repair(_ finding: CheckFinding) throws {
    switch finding.repair {
    case nil: return
    case .remove(let key): try container.store.delete(key)
    case .restore(let key, let copy, let layout):
      try restore(key, from: copy, aside: layout)
    case .publish(let key, let hash, let layout):
      guard let bytes = try bytes("\(hash)"), ContentHash(of: bytes) == hash else {
        throw CloudError.unavailable("The bytes of \(key) are gone from this device.")
      }
      try put(bytes, at: key, aside: layout)
    case .beginAnew(let zone):
      try container.open()
      try container.zone(zone).reset(reason: "repaired")
    case .protect(let zone):
      try container.open()
      try container.zone(zone).protectAgain()
    case .setAside(let key, let layout): try quarantine(key, layout)
    case .clear(let key, let layout):
      // Nothing can be written, neither into the quarantine, while it is where it is.
      try quarantine(key, layout, removingFirst: true)
    case .nameCloud(let id): try container.restoreCloudFile(id: id)
    }
  }

  private func restore(_ key: StoreKey, from copy: StoreKey, aside layout: ZoneLayout) throws {
    guard let bytes = try container.store.read(copy, limit: CloudLimits.assetBytes + 1) else {
      throw CloudError.unavailable("\(copy) is gone.")
    }
    try put(bytes, at: key, aside: layout)
  }

  /// Puts a file where it belongs, and aside what is there.
  private func put(_ bytes: Data, at key: StoreKey, aside layout: ZoneLayout) throws {
    try quarantine(key, layout)
    switch container.store.createIfAbsent(key, bytes) {
    case .created: break
    case .exists: throw CloudError.damaged("Something else took the place of \(key).")
    case .failed(let error), .unknown(let error): throw error
    }
  }

  /// Puts a file aside, so that its name is free.
  private func quarantine(
    _ key: StoreKey, _ layout: ZoneLayout, removingFirst: Bool = false
  ) throws {
    let store = container.store
    guard let bytes = try store.read(key, limit: CloudLimits.assetBytes + 1) else { return }
    guard bytes.count <= CloudLimits.assetBytes else {
      throw CloudError.damaged("\(key) is too large to be put aside.")
    }
    if removingFirst { try store.delete(key) }
    switch store.createIfAbsent(layout.quarantine(key, bytes), bytes) {
    case .created, .exists:
      // By now there is a directory where it was, if it was in the place of one.
      if !removingFirst { try store.delete(key) }
    case .failed(let error), .unknown(let error): throw error
    }
  }
}
