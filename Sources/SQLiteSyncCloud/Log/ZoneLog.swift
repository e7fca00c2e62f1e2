import Foundation
import SQLiteSyncHashing

/// The commit log of a zone, shared by everybody who uses it.
public struct ZoneLog: Sendable {
  /// The zone.
  public let id: ZoneID
  let container: CloudContainer
  let layout: ZoneLayout

  init(id: ZoneID, container: CloudContainer) {
    self.id = id
    self.container = container
    layout = ZoneLayout(id)
  }

  var store: any ObjectStore { container.store }
  var environment: CloudEnvironment { container.environment }
  var permissions: SharePermissions {
    SharePermissions(author: container.account, owner: id.owner)
  }

  /// Creates the zone, or creates it again if it was deleted; does nothing when it is there.
  ///
  /// Where its `meta` log was lost and others were left, it begins past them: their commits belong
  /// to another zone, and what is missing of them would stop everybody. Who could read them can
  /// read the new log.
  public func create() throws {
    if let objection = Validity.objection(toName: id.name) {
      throw CloudError(.invalidArguments, "The zone cannot have this name: \(objection).")
    }
    try publishMeta { manifest in
      if let manifest, manifest.deletion == nil { return nil }
      let latest = try manifest?.epoch ?? epochs().max() ?? 0
      if manifest == nil, latest > 0 {
        try prepareDirectories(ofEpoch: latest + 1, like: latest)
      }
      return (latest + 1, .zoneCreated(name: id.name, needs: .init()))
    }
  }

  /// Deletes the zone and everything in it.
  ///
  /// Its `meta` log stays, to tell the devices that were away.
  public func delete(reason: String) throws {
    try publishMeta { manifest in
      guard let manifest else { throw CloudError.noZone(id) }
      return manifest.deletion == nil ? (manifest.epoch, .zoneDeleted(reason: reason)) : nil
    }
  }

  /// Begins the log anew: what is in the zone is left behind, and the devices upload what they
  /// have.
  ///
  /// Their tokens are answered with `zoneNotFound` from then on. Whom it is shared with may do in
  /// the new log what they may do in this one: who is kept out of it would think that it is not
  /// shared any more.
  public func reset(reason: String) throws {
    // Where `meta` has lost entries, a later log than it knows of lies in the way: it is passed.
    var isInUse = false
    repeat {
      try publishMeta { manifest in
        guard let manifest else { throw CloudError.noZone(id) }
        try manifest.requireReadable(id)
        let next = manifest.epoch + 1
        isInUse = try !store.list(layout.log(epoch: next), after: nil, limit: 1).isEmpty
        try prepareDirectories(ofEpoch: next, like: manifest.epoch)
        return (next, .reset(reason: reason))
      }
    } while isInUse
  }

  /// Whether the zone is there and not deleted.
  public func exists() throws -> Bool {
    try container.requireOpen()
    guard let manifest = try container.manifest(of: id, in: layout) else { return false }
    return manifest.deletion == nil
  }

  /// Whether the zone is the one that a token is of, and not another of its name.
  public func continues(_ token: ChangeToken) throws -> Bool {
    try container.requireOpen()
    return try container.manifest(of: id, in: layout)?.identity == token.zone
  }

  /// The folded `meta` log of a zone that can be read.
  ///
  /// - Parameter seen: What the caller has just been given by this: only what has come since is
  ///   looked for.
  func manifest(since seen: ZoneManifest? = nil) throws -> ZoneManifest {
    guard let manifest = try container.manifest(of: id, in: layout, since: seen) else {
      guard id.owner != container.account else { throw CloudError.noZone(id) }
      let owner = id.owner.displayName
      throw CloudError(
        .zoneNotFound, "What \(owner) shares is not in the cloud any more.",
        hint: "The next synchronization of \(owner) puts it there again. "
          + "If it was removed for good, leave it.")
    }
    try manifest.requireReadable(id)
    return manifest
  }

  /// Appends to the `meta` log what `decide` makes of its state, until it is there or needless.
  func publishMeta(
    _ decide: (ZoneManifest?) throws -> (epoch: Int64, kind: MetaEntry.Kind)?
  ) throws {
    try container.requireWritable()
    guard id.owner == container.account else {
      throw CloudError.forbidden("The zone \(id.name) belongs to \(id.owner).")
    }
    var contention = Contention(environment: environment)
    while true {
      let manifest = try container.manifest(of: id, in: layout)
      guard let (epoch, kind) = try decide(manifest) else { return }
      guard epoch <= CloudLimits.number else {
        throw CloudError.damaged("The zone \(id.name) cannot have epoch \(epoch).")
      }
      let entry = MetaEntry(
        origin: origin(), number: (manifest?.number ?? 0) + 1, previous: manifest?.hash,
        epoch: epoch, kind: kind)
      let key = layout.metaEntry(entry.number)
      if try publish(key, entry.encoded, limit: CloudLimits.metaBytes + 1) {
        // Read back, so that a watch begins in the right epoch.
        _ = try container.manifest(of: id, in: layout)
        return
      }
      try contention.lost(key)
    }
  }

  /// Creates a numbered file; returns whether it is ours, and not another writer's.
  ///
  /// The answer may be lost on the way. Then the file itself tells: its bytes hold an id of this
  /// attempt alone.
  func publish(_ key: StoreKey, _ bytes: Data, limit: Int) throws -> Bool {
    var contention = Contention(environment: environment)
    while true {
      let failure: CloudError?
      switch store.createIfAbsent(key, bytes) {
      case .created: return true
      case .failed(let error): throw error
      case .exists: failure = nil
      case .unknown(let error): failure = error
      }
      if let found = try store.read(key, limit: limit) {
        // Ours, or the same as ours: but nobody has said yet that it is durable.
        if found == bytes { try store.barrier(key.prefix) }
        return found == bytes
      }
      // Said to exist and not found: a stale cache of a network mount. Unknown: it may still
      // appear.
      try contention.lost(key, failure: failure)
    }
  }

  /// What a file that is written now says of its writer.
  func origin() -> Origin {
    Origin(
      milliseconds: environment.now(), app: container.app, author: container.account,
      device: container.device.lowercaseString, id: environment.makeID().lowercaseString)
  }
}

extension CloudError {
  static func noZone(_ zone: ZoneID) -> CloudError {
    CloudError(.zoneNotFound, "There is no zone \(zone.name).")
  }
}

/// Backs off after lost races: at random, so that nobody starves.
struct Contention {
  let environment: CloudEnvironment
  private var attempts = 0

  init(environment: CloudEnvironment) {
    self.environment = environment
  }

  /// Waits before the next attempt, or gives up after many.
  mutating func lost(_ key: StoreKey, failure: CloudError? = nil) throws {
    attempts += 1
    guard attempts <= (failure == nil ? CloudLimits.lostRaces : CloudLimits.unknownOutcomes) else {
      throw failure
        ?? CloudError(
          .networkUnavailable, "Others were faster \(attempts) times at \(key).",
          hint: "It is tried again.")
    }
    let bound = UInt64(1) << UInt64(min(attempts, 8))
    environment.pause(Int64(environment.random() % bound))
  }
}
