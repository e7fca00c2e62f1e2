import Foundation
import RemindersTestSupport

@testable import SQLiteSyncCloud

/// The store as one device sees it: every call may stall, fail, lose its answer, find the process
/// dead, or see the disk as it was a moment ago.
///
/// `@unchecked Sendable`: one thread of a schedule runs at a time (`Worker`).
final class SimulatedStore: ObjectStore, @unchecked Sendable {
  unowned let device: SimulatedDevice
  unowned let schedule: Schedule
  /// What is wrong with the protocol, on purpose.
  let lies: Lies
  /// When this mount was told that something is not there, which it may repeat for a while.
  private var absent: [Path: Int64] = [:]

  private struct Path: Hashable {
    let directory: String
    let name: String

    init(_ prefix: StorePrefix, _ name: String) {
      directory = SimulatedDisk.directory(prefix)
      self.name = name
    }
  }

  init(device: SimulatedDevice, schedule: Schedule) {
    self.device = device
    self.schedule = schedule
    lies = Lies(schedule.bugs)
  }

  static let eio = CloudError(.networkUnavailable, "Input/output error.")
  static let dead = CloudError(.networkUnavailable, "The process is dead.")

  func read(_ key: StoreKey, limit: Int) throws -> Data? {
    let schedule = schedule
    try willCall("read", key.name)
    let bytes = schedule.disk.bytes(key)
    if schedule.staleness > 0, isHidden(key, isThere: bytes != nil) { return nil }
    guard let bytes = try lies.read(key, bytes, device: device) else { return nil }
    return bytes.count > limit ? bytes.prefix(limit) : bytes
  }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do {
      try willCall("create", key.name)
    } catch {
      return .failed(error)
    }
    guard schedule.disk.bytes(key) == nil else { return .exists }
    do {
      try stall("link", key.name)
    } catch {
      return .failed(error)
    }
    guard schedule.disk.bytes(key) == nil else { return .exists }
    let outcome = schedule.losesAnswer() ? schedule.draw(3) : nil
    if outcome == 0 { return .unknown(Self.eio) }
    forget(key)
    schedule.disk.put(
      SimulatedDisk.File(name: key.name, bytes: bytes, created: schedule.time), in: key.prefix)
    lies.created(key, bytes)
    if outcome == 1 { return lost(key) }  // Synchronizing the directory failed.
    do {
      try stall("fsync", key.name)
    } catch {
      return .unknown(error)
    }
    if !lies.skipsSynchronization { schedule.disk.synchronize(key.prefix) }
    return outcome == nil ? .created : lost(key)
  }

  private func lost(_ key: StoreKey) -> CreateOutcome {
    schedule.ledger.mark(.lostAnswer)
    return .unknown(Self.eio)
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    try willCall("list", SimulatedDisk.directory(prefix))
    var entries: [StoreEntry] = []
    for file in schedule.disk.files(in: SimulatedDisk.directory(prefix)) {
      if !absent.isEmpty, absent[Path(prefix, file.name)] != nil, schedule.chance(300) { continue }
      guard isWanted(file.name), entries.count < limit, name.map({ $0 < file.name }) ?? true
      else { continue }
      entries.append(
        StoreEntry(
          name: file.name, byteCount: Int64(file.bytes.count), modified: file.created))
    }
    return entries
  }

  func delete(_ key: StoreKey) throws {
    try willCall("delete", key.name)
    if schedule.disk.delete(key) { schedule.ledger.deleted(key, schedule) }
  }

  func barrier(_ prefix: StorePrefix) throws {
    try willCall("barrier", SimulatedDisk.directory(prefix))
    if !lies.skipsBarrier(prefix, device.work) { schedule.disk.synchronize(prefix) }
  }

  func now(in prefix: StorePrefix) -> Int64? { nil }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    StoreWatch {}
  }

  /// Whether a network mount repeats that something is not there.
  private func isHidden(_ key: StoreKey, isThere: Bool) -> Bool {
    let path = Path(key.prefix, key.name)
    let known = absent[path]
    guard isThere else {
      if known == nil { absent[path] = schedule.time }
      return true
    }
    guard let known else { return false }
    guard schedule.time - known < schedule.staleness, schedule.chance(500) else {
      absent[path] = nil
      return false
    }
    schedule.ledger.mark(.staleAnswer)
    return true
  }

  private func forget(_ key: StoreKey) {
    if !absent.isEmpty { absent[Path(key.prefix, key.name)] = nil }
  }

  private func willCall(_ call: String, _ name: String) throws(CloudError) {
    try stall(call, name)
    if schedule.fails() { throw Self.eio }
  }

  private func stall(_ call: String, _ name: String) throws(CloudError) {
    let device = device
    schedule.trace("\(device.number) \(call) \(name)")
    guard device.mayCall() else { throw Self.dead }
  }
}

extension SimulatedStore {
  /// What the cloud takes from the world, for this device.
  var environment: CloudEnvironment {
    CloudEnvironment(
      now: { self.schedule.time + self.device.skew },
      makeID: { UUID(self.schedule.random()) },
      random: { self.schedule.random() },
      pause: {
        self.schedule.ledger.mark(.lostRace)
        self.schedule.wait(milliseconds: $0)
      })
  }
}
