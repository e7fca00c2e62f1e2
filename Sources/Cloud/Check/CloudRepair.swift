import Foundation

/// Carries out what a check has proven to help, and nothing else.
///
/// - A leftover is removed when nobody can need it: a writer's file older than a day, a part that
///   no checkpoint names, an asset that nothing has named for a week.
/// - A lost file is put back when a file in the zone has exactly the bytes that another file's hash
///   asks for. What lies in its place goes into the zone's `quarantine` first.
/// - What is no commit and lies at a number that is still to come goes into the `quarantine` too.
/// - `CLOUD.json` is put back with the id that this device knows.
/// - A log that cannot be read to its end is begun anew when this device holds all that was in it:
///   its change token stands at the end of the log. The devices upload what they have then, and
///   merge it field by field; the old files stay until the collector's day is over.
///
/// Everything else is left for people, and stays as it was.
public struct CloudRepair {
  let container: CloudContainer

  /// Repairs in the cloud of a container, as its account.
  public init(_ container: CloudContainer) {
    self.container = container
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
    case .beginAnew(let zone):
      try container.open()
      try container.zone(zone).reset(reason: "repaired")
    case .setAside(let key, let layout): try quarantine(key, layout)
    case .nameCloud(let id): try container.restoreCloudFile(id: id)
    }
  }

  private func restore(_ key: StoreKey, from copy: StoreKey, aside layout: ZoneLayout) throws {
    let store = container.store
    guard let bytes = try store.read(copy, limit: CloudLimits.assetBytes + 1) else {
      throw CloudError.unavailable("\(copy) is gone.")
    }
    try quarantine(key, layout)
    switch store.createIfAbsent(key, bytes) {
    case .created: break
    case .exists: throw CloudError.damaged("Something else took the place of \(key).")
    case .failed(let error), .unknown(let error): throw error
    }
  }

  /// Puts a file aside, so that its name is free.
  private func quarantine(_ key: StoreKey, _ layout: ZoneLayout) throws {
    let store = container.store
    guard let bytes = try store.read(key, limit: CloudLimits.assetBytes + 1) else { return }
    guard bytes.count <= CloudLimits.assetBytes else {
      throw CloudError.damaged("\(key) is too large to be put aside.")
    }
    switch store.createIfAbsent(layout.quarantine(key, bytes), bytes) {
    case .created, .exists: try store.delete(key)
    case .failed(let error), .unknown(let error): throw error
    }
  }
}
