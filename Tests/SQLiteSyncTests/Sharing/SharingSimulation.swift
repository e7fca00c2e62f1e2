import Cloud
import GRDB
import TestSupport
import Testing

@testable import SQLiteSync

/// A random schedule of three people with five devices who write, move, share, accept, leave and
/// end, with processes that die in between.
///
/// Everything follows from the seed.
struct SharingSimulation {
  private let seed: UInt64
  private let fleet: Fleet
  private let devices: [SharingDevice]
  private var random: SplitMix64
  private var links: [ShareLink] = []
  private var made = 0
  private(set) var trace: [String] = []

  private static let accounts = ["ann", "ben", "cat"].compactMap(AccountID.init(name:))

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    fleet = try Fleet(schema: .family, clock: TestClock(seed: seed))
    var devices: [SharingDevice] = []
    for (index, account) in [0, 0, 1, 1, 2].enumerated() {
      devices.append(
        try SharingDevice(fleet, account: Self.accounts[account], seed: seed &+ UInt64(index)))
    }
    self.devices = devices
    try begin()
  }

  /// Everybody has two lists, and ann shares one of hers.
  private mutating func begin() throws {
    for index in [0, 2, 4] {
      for _ in 0..<2 {
        let list = next("l")
        _ = write(devices[index], "INSERT INTO lists VALUES (?, ?)", [list, next("List")])
        for _ in 0..<2 { _ = try insert("reminders", below: "lists", on: devices[index]) }
        _ = try insert("subtasks", below: "reminders", on: devices[index])
      }
    }
    try fleet.settle()
    let participants = [Self.accounts[1]: Share.Permission.write, Self.accounts[2]: .read]
    let link = try devices[0].device.synchronizer.share(
      table: "lists", key: keys("lists", on: devices[0])[0], title: "Ours",
      participants: participants, publicPermission: .none)
    links = [link]
    try fleet.settle()
    for index in [2, 4] { try devices[index].device.synchronizer.accept(link) }
    try fleet.settle()
  }

  /// Runs the schedule, lets everybody recover, and says what is not as it should be.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let device = devices[pick(devices.count)]
      if device.isDown, pick(3) > 0 { try device.recover() }
      let name = "\(device.device.container.account) \(devices.firstIndex { $0 === device } ?? 0)"
      let action = Self.actions[pick(Self.actions.count)]
      trace.append("\(name) \(action): \(try perform(action, on: device))")
    }
    for device in devices { try device.recover() }
    for _ in 0..<8 {
      // Longer than what was refused waits.
      fleet.clock.advance(milliseconds: 600_000)
      for device in devices { try device.device.sync() }
    }
    return try findings()
  }

  private mutating func pick(_ count: Int) -> Int {
    Int(random.next() % UInt64(max(count, 1)))
  }

  private mutating func pick(_ values: [String]) -> String? {
    values.isEmpty ? nil : values[pick(values.count)]
  }

  // MARK: - What happens

  private enum Action {
    case makeList, makeReminder, makeSubtask, makeNote, rename, move, delete, deleteList
    case share, accept, permit, leave, unshare
    case sync, fetch, send, fault, relaunch
  }

  /// How often each happens, beside the others.
  private static let weights: [(Action, Int)] = [
    (.makeList, 1), (.makeReminder, 4), (.makeSubtask, 4), (.makeNote, 1), (.rename, 5),
    (.move, 10), (.delete, 2), (.deleteList, 1), (.share, 4), (.accept, 5), (.permit, 3),
    (.leave, 1), (.unshare, 1), (.sync, 24), (.fetch, 3), (.send, 3), (.fault, 4), (.relaunch, 1),
  ]
  private static let actions = weights.flatMap { Array(repeating: $0, count: $1) }

  private mutating func perform(_ action: Action, on device: SharingDevice) throws -> String {
    switch action {
    case .makeList:
      return write(device, "INSERT INTO lists VALUES (?, ?)", [next("l"), next("List")])
    case .makeReminder: return try insert("reminders", below: "lists", on: device)
    case .makeSubtask: return try insert("subtasks", below: "reminders", on: device)
    case .makeNote: return try insert("notes", below: "lists", on: device)
    case .rename: return try rename(on: device)
    case .move: return try move(on: device)
    case .delete: return try delete("reminders", on: device)
    case .deleteList: return try delete("lists", on: device)
    case .share, .permit, .leave, .unshare: return try share(action, on: device)
    case .accept: return try accept(on: device)
    case .sync: return device.attempt { try $0.sync() }
    case .fetch: return device.attempt { try $0.fetch() }
    case .send: return device.attempt { try $0.send() }
    case .fault: return device.dieSoon(after: pick(40))
    case .relaunch: return try device.recover()
    }
  }

  private mutating func next(_ prefix: String) -> String {
    made += 1
    return "\(prefix)\(made)"
  }

  /// A write that may be refused, because what it is about may only be read.
  private func write(
    _ device: SharingDevice, _ sql: String, _ arguments: [String]
  ) -> String {
    do {
      try device.device.execute(sql, StatementArguments(arguments))
      return sql + " \(arguments)"
    } catch let error as DatabaseError where error.message == SyncEngine.writePermissionError {
      return "may not"
    } catch {
      return "FAILED \(error)"
    }
  }

  private func keys(_ table: String, on device: SharingDevice) throws -> [String] {
    try device.device.rows("SELECT \(table == "covers" ? "listID" : "id") FROM \(table) ORDER BY 1")
  }

  private mutating func insert(
    _ table: String, below parent: String, on device: SharingDevice
  ) throws -> String {
    guard let key = pick(try keys(parent, on: device)) else { return "nothing there" }
    return write(device, "INSERT INTO \(table) VALUES (?, ?, ?)", [next("r"), next("New"), key])
  }

  private mutating func rename(on device: SharingDevice) throws -> String {
    let table = ["lists", "reminders", "reminders", "subtasks"][pick(4)]
    guard let key = pick(try keys(table, on: device)) else { return "nothing there" }
    return write(device, "UPDATE \(table) SET title = ? WHERE id = ?", [next("Title"), key])
  }

  private mutating func move(on device: SharingDevice) throws -> String {
    guard let key = pick(try keys("reminders", on: device)),
      let list = pick(try keys("lists", on: device))
    else { return "nothing there" }
    return write(device, "UPDATE reminders SET listID = ? WHERE id = ?", [list, key])
  }

  private mutating func delete(_ table: String, on device: SharingDevice) throws -> String {
    guard let key = pick(try keys(table, on: device)) else { return "nothing there" }
    return write(device, "DELETE FROM \(table) WHERE id = ?", [key])
  }

  private mutating func share(_ action: Action, on device: SharingDevice) throws -> String {
    guard let list = pick(try keys("lists", on: device)) else { return "nothing there" }
    let account = Self.accounts[pick(Self.accounts.count)]
    let permission = Share.Permission.allCases[1 + pick(2)]
    let isRemoval = pick(4) == 0
    var link: ShareLink?
    let result = device.attempt { device in
      let synchronizer = device.synchronizer
      switch action {
      case .permit:
        try synchronizer.setPermissions(
          table: "lists", key: list,
          participants: [account: isRemoval ? .none : permission], publicPermission: nil)
      case .leave: try synchronizer.leave(table: "lists", key: list)
      case .unshare: try synchronizer.unshare(table: "lists", key: list)
      default:
        link = try synchronizer.share(
          table: "lists", key: list, title: list, participants: [account: permission],
          publicPermission: .none)
      }
    }
    if let link, !links.contains(link) { links.append(link) }
    return "\(list) \(account) \(permission) \(result)"
  }

  private mutating func accept(on device: SharingDevice) throws -> String {
    guard !links.isEmpty else { return "nothing there" }
    let link = links[pick(links.count)]
    return link.zone.name + device.attempt { try $0.synchronizer.accept(link) }
  }

  // MARK: - What must be true in the end

  private func findings() throws -> [String] {
    var findings: [String] = trace.filter { $0.contains("FAILED") }
    for (index, device) in devices.enumerated() {
      findings += try device.findings().map { "device \(index): \($0)" }
    }
    let groups = Dictionary(grouping: devices) { $0.device.container.account.rawValue }
    for (account, group) in groups.sorted(by: { $0.key < $1.key }) {
      for other in group.dropFirst() {
        findings += try group[0].differences(from: other).map { "\(account): \($0)" }
      }
    }
    return try findings + placesTaken()
  }

  /// Records that live in more than one zone that an account can see, as a reader without a memory
  /// finds them.
  private func placesTaken() throws -> [String] {
    try devices.flatMap { device -> [String] in
      var places: [String: [String]] = [:]
      for zone in try device.device.synchronizer.zones() {
        for name in try device.livingRecords(of: zone) {
          places[name, default: []].append(zone.log.id.path)
        }
      }
      return places.filter { $0.value.count > 1 }.map { "\($0.key) is in \($0.value)" }.sorted()
    }
  }
}
