import GRDB
import TestSupport

@testable import Cloud
@testable import SQLiteSync

/// A device of the simulation: its process can die at any call to the cloud.
final class SharingDevice {
  let device: Device
  private let store: FaultyStore

  init(_ fleet: Fleet, account: AccountID, seed: UInt64) throws {
    store = FaultyStore(fleet.store)
    device = try fleet.device(store: store, account: account)
  }

  /// Whether the process is dead.
  var isDown: Bool { store.isDown }

  /// Does something that the cloud, a rule or the end of the process may prevent.
  func attempt(_ body: (Device) throws -> Void) -> String {
    do {
      try body(device)
      return "done"
    } catch let error as SyncError {
      return "\(error.reason)"
    } catch let error as CloudError {
      return error.label
    } catch {
      return "FAILED \(error)"
    }
  }

  /// Lets the process die at a call to come.
  func dieSoon(after calls: Int) -> String {
    let last = store.callCount + calls
    store.plan { $0.number >= last ? ($0.number & 1 == 0 ? .crashBefore : .crashAfter) : nil }
    return "in \(calls) calls"
  }

  /// Starts the process anew.
  @discardableResult
  func recover() throws -> String {
    store.plan { _ in nil }
    store.revive()
    try device.relaunch()
    return "done"
  }

  // MARK: - In the end

  /// What is not settled on this device.
  func findings() throws -> [String] {
    let counts = try device.counts()
    let outbox = try counts.pending == 0 ? [] : Array(device.outbox())
    let violations = try device.rows("PRAGMA foreign_key_check")
    return try (counts == SyncCounts() ? [] : ["\(counts) \(outbox)"]) + violations
      + device.strays().map { "stray \($0)" } + device.unsettled()
  }

  /// Rows that one device of an account has and another has not.
  func differences(from other: SharingDevice) throws -> [String] {
    let (mine, theirs) = try (device.contents(), other.device.contents())
    return mine.keys.sorted().compactMap { table in
      mine[table] == theirs[table]
        ? nil : "\(table): \(mine[table] ?? []) is not \(theirs[table] ?? [])"
    }
  }

  /// The records that a reader without a memory finds in a zone.
  func livingRecords(of zone: SyncZone) throws -> [String] {
    var copies: [String: ServerCopy] = [:]
    var token: ChangeToken?
    while true {
      let known = copies
      let view = ServerView(
        record: { name in known[name].map { RecordState($0) } },
        children: { parent in
          known.values.compactMap { copy in
            guard case .record(let record) = copy.content else { return nil }
            return record.parent == parent ? record.name : nil
          }
        },
        share: { known[Share.recordName]?.share })
      let changes = try zone.log.changes(after: token, view: view)
      for copy in changes.copies { copies[copy.name] = copy }
      token = changes.token
      if !changes.moreComing { break }
    }
    return copies.values.compactMap { copy in
      guard case .record = copy.content, copy.name != Share.recordName else { return nil }
      return copy.name
    }
  }
}
