import Foundation
import SQLiteSyncCloud
import Synchronization

extension StoreCheck {
  static let using = [
    StoreCheck(name: "a watch may be ended twice, and tells nothing afterwards") { checked in
      let store = try checked.connect()
      let calls = Mutex(0)
      let watch = store.watch([checked.places.log]) { calls.withLock { $0 += 1 } }
      watch.cancel()
      watch.cancel()
      let before = calls.withLock(\.self)
      try checked.create(checked.places.commit(1), Data([1]), in: store)
      // A call that is under way may still finish.
      try checked.require(calls.withLock(\.self) <= before + 1, "It was told all the same.")
    },
    StoreCheck(name: "two devices that write at once agree") { checked in
      let places = checked.places
      let (desk, phone) = (try CheckedDevice(checked), try CheckedDevice(checked))
      try desk.log.create()
      let failures = Mutex<[any Error]>([])
      let group = DispatchGroup()
      for (name, device) in [("desk", desk), ("phone", phone)] {
        group.enter()
        Thread {
          for number in 1...10 {
            do {
              try device.save("\(name) \(number)")
            } catch {
              failures.withLock { $0.append(error) }
            }
          }
          group.leave()
        }.start()
      }
      group.wait()
      if let failure = failures.withLock(\.first) { throw failure }
      try desk.fetch()
      try phone.fetch()
      let wanted = Set((1...10).flatMap { ["desk \($0)", "phone \($0)"] })
      try checked.require(desk.names, is: wanted, "what the first has of \(places.zone.name)")
      try checked.require(phone.names, is: wanted, "what the second has")
    },
  ]
}

/// A device that only appends records.
private final class CheckedDevice: Sendable {
  private struct State {
    var token: ChangeToken?
    var copies: [String: ServerCopy] = [:]
  }

  let log: ZoneLog
  private let state = Mutex(State())

  init(_ checked: CheckedStore) throws {
    let cloud = CloudContainer(
      store: try checked.connect(), account: checked.account, device: UUID(), app: "conformance")
    try cloud.open()
    log = cloud.zone(checked.places.zone)
  }

  var names: Set<String> { state.withLock { Set($0.copies.keys) } }

  private var view: ServerView {
    ServerView(
      record: { name in
        self.state.withLock { state in
          state.copies[name].flatMap { copy in
            guard case .record(let record) = copy.content else { return nil }
            return RecordState(type: record.type, parent: record.parent, tag: copy.tag)
          }
        }
      }, children: { _ in [] })
  }

  func save(_ name: String) throws {
    let clock = FieldClock(milliseconds: 1, device: 1)
    let record = CloudRecord(
      name: name, type: "check", life: clock, fields: ["name": CloudField(.text(name), clock)])
    let result = try log.modify(
      [.save(record, base: nil)], after: state.withLock(\.token), view: view, atomically: false)
    if let failure = result.failures.values.first { throw failure }
    take(result.changes)
  }

  func fetch() throws {
    while true {
      let changes = try log.changes(after: state.withLock(\.token), view: view)
      take(changes)
      if !changes.moreComing { return }
    }
  }

  private func take(_ changes: ZoneChanges) {
    state.withLock { state in
      for copy in changes.copies { state.copies[copy.name] = copy }
      state.token = changes.token
    }
  }
}
