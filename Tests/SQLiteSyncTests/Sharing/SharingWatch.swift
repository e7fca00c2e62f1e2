import Foundation
import GRDB

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What is known of the records with a key, step by step: for `WATCH=key make simulate-sharing
/// SHARING_SEED=…`.
extension SharingSimulation {
  private static let watched = ProcessInfo.processInfo.environment["WATCH"]

  /// What every device and every zone has of them; without lines when nobody asks.
  ///
  /// The devices' own ways to the cloud are not taken: that would draw their next faults.
  func watch() throws -> [String] {
    guard let key = Self.watched else { return [] }
    var zones: Set<String> = []
    var lines: [String] = []
    for device in devices {
      lines.append("    \(device.name) " + (try device.device.watch(key)))
      let paths = try device.device.database.inDatabase { db in
        try String.fetchAll(db, sql: "SELECT id || ' ' || owner || '/' || name FROM sync_zones")
      }
      lines.append("    \(device.name) zones \(paths)")
      zones.formUnion(paths.compactMap { $0.split(separator: " ").last.map(String.init) })
    }
    return try lines + zones.sorted().flatMap { try watch(key, in: $0) }
  }

  /// What a device's engine said; without lines when nobody asks.
  func watch(_ events: some Sequence<SyncEvent>) -> [String] {
    Self.watched == nil ? [] : events.map { "    - \($0)" }
  }

  private func watch(_ key: String, in path: String) throws -> [String] {
    guard let zone = ZoneID(path: path) else { return [] }
    guard let copies = try readableCopies(in: zone) else {
      return ["    cloud \(path) is damaged"]
    }
    guard !copies.isEmpty else { return ["    cloud \(path) is gone or empty"] }
    return copies.values
      .filter { RecordName.parsing($0.name).key == key || $0.name == Share.recordName }
      .sorted { $0.name < $1.name }
      .map { "    cloud \(path) \($0.name) \($0.tag) by \($0.author): \($0.content)" }
  }

  /// What is in a zone, read past everybody's faulty way to the cloud.
  func copies(in zone: ZoneID) throws -> [String: ServerCopy] {
    let container = CloudContainer(
      store: fleet.store, account: zone.owner, device: UUID(), app: "watch", environment: .live)
    _ = try container.open(expecting: nil)
    let log = container.zone(zone)
    return try log.exists() ? CloudImage.copies(in: log) : [:]
  }

  /// The same; nil where a forger has damaged the log.
  func readableCopies(in zone: ZoneID) throws -> [String: ServerCopy]? {
    do {
      return try copies(in: zone)
    } catch let error as CloudError where error.code == .internalError {
      return nil
    }
  }
}
