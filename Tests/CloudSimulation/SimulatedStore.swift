import Foundation
import TestSupport

@testable import Cloud

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
  private var absent: [String: Int64] = [:]

  init(device: SimulatedDevice, schedule: Schedule) {
    self.device = device
    self.schedule = schedule
    lies = Lies(schedule.bugs)
  }

  static let eio = CloudError(.networkUnavailable, "Input/output error.")
  static let dead = CloudError(.networkUnavailable, "The process is dead.")

  func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try willCall("read", key.name)
    let file = schedule.disk[key]
    if schedule.plan.staleness > 0, isHidden(key, isThere: file != nil) { return nil }
    return try lies.read(key, file?.bytes, device: device)?.prefix(limit)
  }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do {
      try willCall("create", key.name)
    } catch {
      return .failed(error)
    }
    guard schedule.disk[key] == nil else { return .exists }
    do {
      try stall("link", key.name)
    } catch {
      return .failed(error)
    }
    guard schedule.disk[key] == nil else { return .exists }
    let outcome = schedule.chance(schedule.plan.lostAnswers) ? schedule.draw(3) : nil
    if outcome == 0 { return .unknown(Self.eio) }
    forget(key)
    schedule.disk.put(
      SimulatedDisk.File(bytes: bytes, created: schedule.time, maker: device.number), at: key)
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
    let entries = schedule.disk.files(in: prefix)
      .sorted { $0.key < $1.key }
      .filter {
        absent.isEmpty || absent[Self.path(prefix, $0.key)] == nil || !schedule.chance(300)
      }
      .filter { isWanted($0.key) }
      .map { name, file in
        StoreEntry(name: name, byteCount: Int64(file.bytes.count), modified: file.created)
      }
    return StoreEntry.page(of: entries, after: name, limit: limit)
  }

  func delete(_ key: StoreKey) throws {
    try willCall("delete", key.name)
    if schedule.disk.delete(key) { schedule.ledger.deleted(key, schedule) }
  }

  func barrier(_ prefix: StorePrefix) throws {
    try willCall("barrier", SimulatedDisk.directory(prefix))
    if !lies.skipsBarrier(prefix, device.work) { schedule.disk.synchronize(prefix) }
  }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    StoreWatch {}
  }

  /// Whether a network mount repeats that something is not there.
  private func isHidden(_ key: StoreKey, isThere: Bool) -> Bool {
    let path = Self.path(key.prefix, key.name)
    let known = absent.removeValue(forKey: path)
    guard isThere else {
      absent[path] = known ?? schedule.time
      return true
    }
    guard let known, schedule.time - known < schedule.plan.staleness, schedule.chance(500)
    else { return false }
    absent[path] = known
    schedule.ledger.mark(.staleAnswer)
    return true
  }

  private func forget(_ key: StoreKey) {
    if !absent.isEmpty { absent[Self.path(key.prefix, key.name)] = nil }
  }

  private static func path(_ prefix: StorePrefix, _ name: String) -> String {
    SimulatedDisk.directory(prefix) + "/" + name
  }

  private func willCall(_ call: String, _ name: String) throws(CloudError) {
    try stall(call, name)
    if schedule.chance(schedule.plan.errors) { throw Self.eio }
  }

  private func stall(_ call: String, _ name: String) throws(CloudError) {
    schedule.trace("\(device.number) \(call) \(name)")
    device.stallIfDue()
    if device.isDead { throw Self.dead }
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
