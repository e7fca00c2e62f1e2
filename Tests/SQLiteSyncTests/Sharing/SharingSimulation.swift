import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A random schedule of three people with five to seven devices who write, move, share, accept,
/// leave and end, while calls fail, processes die at any call or commit, and syncs are cut short.
///
/// In every third there are forgers among them: see `SharingForger` and `SharingSecrets`.
///
/// Everything follows from the seed. What must be true in the end is in `SharingHealing.swift`.
struct SharingSimulation {
  let fleet: Fleet
  let devices: [SharingDevice]
  var trace: [String] = []
  var marks: Set<SharingMark> = []
  /// The rows that were made, of all tables but those of notes.
  var made: [String] = []
  let people: SharingPeople
  /// What people did themselves.
  var secrets: SharingSecrets
  /// What became of their rows by that; nil where it depends on who may do what, and when.
  private(set) var fates: SharingFates?
  /// What forgers brought about that they must not.
  var leaks: [String] = []
  /// Zones that were begun anew, and whose owner signed out before they were filled again and was
  /// ready to lose them.
  var forsaken: Set<ZoneID> = []
  /// The keys of rows that somebody has of them still.
  var forsakenRows: Set<String> = []
  private let swarm: SharingSwarm
  var random: SplitMix64
  private var links: [ShareLink] = []
  private var count = 0

  /// In every third schedule there are forgers among the people.
  private static let seedsPerForgery: UInt64 = 3
  /// In every fourth some devices have an old version of the app.
  private static let seedsPerMixture: UInt64 = 4

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let clock = TestClock(seed: seed)
    let births = Births(clock: clock)
    let store = MemoryStore(now: clock.server(seed: seed))
    people = SharingPeople(
      areForging: seed.isMultiple(of: Self.seedsPerForgery), on: store, using: &random)
    let isMixed = seed.isMultiple(of: Self.seedsPerMixture)
    let allMayWrite = people.forgers.isEmpty && !isMixed && !seed.isMultiple(of: 2)
    swarm = SharingSwarm(
      isForging: !people.forgers.isEmpty, isMixed: isMixed, allMayWrite: allMayWrite,
      using: &random)
    fates = people.forgers.isEmpty && !isMixed ? SharingFates(allMayWrite: allMayWrite) : nil
    secrets = SharingSecrets(forgers: people.forgers)
    fleet = try Fleet(store: people.cloud ?? store, schema: .family, clock: clock)
    var devices: [SharingDevice] = []
    let persons = [0, 0, 1, 1, 2] + (swarm.hasMoreDevices ? [2, 0] : [])
    for (number, person) in persons.enumerated() {
      let account = people.accounts[person]
      devices.append(
        try SharingDevice(
          number: number, isOld: swarm.isMixed && !number.isMultiple(of: 2), fleet: fleet,
          account: account,
          cloud: people.store(of: account, else: store), seed: random.next(), births: births))
    }
    self.devices = devices
    try begin()
    for device in devices { device.process.expose(to: swarm.faults) }
  }

  /// Everybody has two lists, and ann shares one of hers.
  private mutating func begin() throws {
    for index in [0, 2, 4] {
      for _ in 0..<2 {
        _ = makeList(on: devices[index])
        for _ in 0..<2 { _ = try insert("reminders", below: "lists", on: devices[index]) }
        _ = try insert("subtasks", below: "reminders", on: devices[index])
      }
    }
    try fleet.settle()
    let participants = [
      people.accounts[1]: Share.Permission.write,
      people.accounts[2]: swarm.allMayWrite ? .write : .read,
    ]
    let list = try keys("lists", on: devices[0])[0]
    for (account, permission) in participants {
      secrets.allows(permission, to: account, list: list)
    }
    let link = try devices[0].device.synchronizer.share(
      table: "lists", key: list, title: "Ours", participants: participants,
      publicPermission: .none)
    secrets.shares(list, as: link.zone)
    links = [link]
    try fleet.settle()
    for index in [2, 4] { try devices[index].device.synchronizer.accept(link) }
    try fleet.settle()
  }

  /// Runs the schedule, lets everybody recover, and says what is not as it should be.
  mutating func run(steps: Int) throws -> [String] {
    if swarm.length > 1 { marks.insert(.longSchedule) }
    if swarm.hasMoreDevices { marks.insert(.manyDevices) }
    if swarm.isMixed { marks.insert(.mixedVersions) }
    for _ in 0..<(steps * swarm.length) {
      let device = devices[pick(devices.count)]
      let step = swarm.step(using: &random)
      if device.process.isDead, pick(3) == 0 {
        trace.append("\(device.name) relaunch: \(relaunch(device))")
      }
      guard !device.process.isDead || step == .relaunch else { continue }
      let before = device.device.events.count
      trace.append("\(device.name) \(step): \(try perform(step, on: device))")
      trace += watch(device.device.events.dropFirst(before))
      if device.process.isDead { marks.insert(.crashed) }
      try noteLeaks()
      trace += try watch()
    }
    return try heal()
  }

  mutating func pick(_ count: Int) -> Int {
    Int(random.next() % UInt64(max(count, 1)))
  }

  private mutating func pick(_ values: [String]) -> String? {
    values.isEmpty ? nil : values[pick(values.count)]
  }

  // MARK: - What happens

  private mutating func perform(
    _ step: SharingSwarm.Step, on device: SharingDevice
  ) throws -> String {
    guard step.needsNobody || !device.isSignedOut else { return "signed out" }
    switch step {
    case .signOut: return try signOut(device)
    case .signIn: return signIn(device)
    case .makeList: return makeList(on: device)
    case .makeReminder: return try insert("reminders", below: "lists", on: device)
    case .makeSubtask: return try insert("subtasks", below: "reminders", on: device)
    case .makeNote: return try insert("notes", below: "lists", on: device)
    case .makeTag: return try makeTag(on: device)
    case .rename: return try rename(on: device)
    case .move: return try move(on: device)
    case .delete: return try delete("reminders", on: device)
    case .deleteList: return try delete("lists", on: device)
    case .share, .publish, .permit, .leave, .unshare: return try share(step, on: device)
    case .accept: return try accept(on: device)
    case .reset: return try reset(on: device)
    case .sync: return device.attempt { try $0.sync() }
    case .fetch: return device.attempt { try $0.fetch() }
    case .send: return device.attempt { try $0.send() }
    case .interruptedSync: return interruptedSync(device)
    case .crash: return crash(device)
    case .relaunch: return relaunch(device)
    case .weather: return changeWeather(of: device)
    case .clock:
      device.device.skew = Int64(pick(172_800_000)) - 86_400_000
      return "\(device.device.skew)"
    case .pause: return pause()
    case .checkpoint: return checkpoint(device)
    case .forge: return try forge()
    case .upgrade: return upgrade(device)
    }
  }

  /// A write that may be refused, because what it is about may only be read.
  private mutating func write(
    _ device: SharingDevice, _ sql: String, _ arguments: [String]
  ) -> String {
    // So that each has a moment of its own.
    if swarm.allMayWrite { fleet.clock.advance(milliseconds: 1_000) }
    do {
      try device.device.execute(sql, StatementArguments(arguments))
      return sql + " \(arguments)"
    } catch let error as DatabaseError where error.message == SyncEngine.writePermissionError {
      marks.insert(.refusedWrite)
      return "may not"
    } catch {
      return "FAILED \(error)"
    }
  }

  private mutating func next(_ prefix: String) -> String {
    count += 1
    return "\(prefix)\(count)"
  }

  private func keys(_ table: String, on device: SharingDevice) throws -> [String] {
    try device.device.rows("SELECT id FROM \(table) ORDER BY 1")
  }

  private mutating func makeList(on device: SharingDevice) -> String {
    let key = next("l")
    made.append(key)
    secrets.makes(list: key, device.account)
    let title = next("List")
    secrets.writes(title, into: key, of: key)
    fates?.makes(list: key, title, by: device)
    return write(device, "INSERT INTO lists VALUES (?, ?)", [key, title])
  }

  private mutating func insert(
    _ table: String, below parent: String, on device: SharingDevice
  ) throws -> String {
    guard let parentKey = pick(try keys(parent, on: device)),
      table != SharingDevice.laterTable || !device.isOld
    else { return "nothing there" }
    let key = next("r")
    let title = next("New")
    let list = try parent == "lists" ? parentKey : self.list(of: parentKey, on: device)
    let result = write(
      device, "INSERT INTO \(table) VALUES (?, ?, ?)", [key, title, parentKey])
    guard result.hasPrefix("INSERT") else { return result }
    if table == "notes" {
      fates?.writes(nil, into: parentKey, by: device)
    } else {
      made.append(key)
      let above = try rowsAbove(parentKey, on: device)
      fates?.puts(key, into: parentKey, in: above, title: title, by: device)
    }
    secrets.puts(
      key, of: table, into: list, below: parent == "lists" ? nil : parentKey)
    secrets.writes(title, into: key, of: list)
    return result
  }

  private mutating func makeTag(on device: SharingDevice) throws -> String {
    guard let reminder = pick(try keys("reminders", on: device)) else { return "nothing there" }
    let (key, tag) = (next("j"), "\(device.account)")
    _ = write(device, "INSERT OR IGNORE INTO tags VALUES (?, '')", [tag])
    let result = write(
      device, "INSERT INTO reminderTags VALUES (?, ?, ?)", [key, reminder, tag])
    let above = try rowsAbove(reminder, on: device)
    if result.hasPrefix("INSERT") { fates?.tags(reminder, with: key, in: above, by: device) }
    return result
  }

  private mutating func rename(on device: SharingDevice) throws -> String {
    let table = ["lists", "reminders", "reminders", "subtasks"][pick(4)]
    guard let key = pick(try keys(table, on: device)) else { return "nothing there" }
    let title = next("Title")
    secrets.writes(title, into: key, of: try list(of: key, on: device))
    let result = write(device, "UPDATE \(table) SET title = ? WHERE id = ?", [title, key])
    let above = try rowsAbove(key, on: device)
    if result.hasPrefix("UPDATE") { fates?.writes(title, into: key, in: above, by: device) }
    return result
  }

  /// What a row is in, as a device has it: its list last.
  private func rowsAbove(_ key: String, on device: SharingDevice) throws -> [String] {
    try device.device.database.inDatabase { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT listID FROM reminders WHERE id = :key
          UNION ALL SELECT reminderID FROM subtasks WHERE id = :key
          UNION ALL SELECT listID FROM subtasks JOIN reminders ON reminders.id = reminderID
            WHERE subtasks.id = :key
          """, arguments: ["key": key])
    }
  }

  /// The list that a row is in, as a device has it; of a list that one.
  private func list(of key: String, on device: SharingDevice) throws -> String {
    try rowsAbove(key, on: device).last ?? key
  }

  private mutating func move(on device: SharingDevice) throws -> String {
    guard let key = pick(try keys("reminders", on: device)),
      let list = pick(try keys("lists", on: device))
    else { return "nothing there" }
    let isElsewhere = try self.list(of: key, on: device) != list
    let result = write(device, "UPDATE reminders SET listID = ? WHERE id = ?", [list, key])
    // Who never had the right row of the name moves a forger's.
    let titles = try device.device.rows("SELECT title FROM reminders WHERE id = '\(key)'")
    if result.hasPrefix("UPDATE"), titles != ["Forged"] {
      secrets.puts(key, of: "reminders", into: list)
      // What changes nothing is no edit.
      if isElsewhere { fates?.puts(key, into: list, by: device) }
    }
    return result
  }

  private mutating func delete(_ table: String, on device: SharingDevice) throws -> String {
    guard let key = pick(try keys(table, on: device)) else { return "nothing there" }
    let before = try rows(on: device)
    let result = write(device, "DELETE FROM \(table) WHERE id = ?", [key])
    let gone = before.subtracting(try rows(on: device))
    fates?.deletes(gone, by: device)
    return result
  }

  // MARK: - What people do together

  private mutating func share(
    _ step: SharingSwarm.Step, on device: SharingDevice
  ) throws -> String {
    guard let list = pick(try keys("lists", on: device)) else { return "nothing there" }
    let account = people.accounts[pick(people.accounts.count)]
    let drawn = Share.Permission.allCases[1 + pick(2)]
    let permission = swarm.allMayWrite ? .write : drawn
    let isRemoval = pick(4) == 0
    let publicPermission = Share.Permission.allCases[pick(3)]
    switch step {
    case .publish: secrets.allows(publicPermission, to: nil, list: list)
    case .share: secrets.allows(permission, to: account, list: list)
    case .permit where !isRemoval: secrets.allows(permission, to: account, list: list)
    default: break
    }
    var link: ShareLink?
    let result = device.attempt { device in
      let synchronizer = device.synchronizer
      switch step {
      case .permit:
        try synchronizer.setPermissions(
          table: "lists", key: list,
          participants: [account: isRemoval ? .none : permission], publicPermission: nil)
      case .leave: try synchronizer.leave(table: "lists", key: list)
      case .unshare: try synchronizer.unshare(table: "lists", key: list)
      default:
        link = try synchronizer.share(
          table: "lists", key: list, title: list,
          participants: step == .publish ? [:] : [account: permission],
          publicPermission: step == .publish ? publicPermission : .none)
      }
    }
    if let link {
      if !links.contains(link) { links.append(link) }
      secrets.shares(list, as: link.zone)
    }
    if step == .leave, result == "done" { marks.insert(.left) }
    return "\(list) \(account) \(permission) \(result)"
  }

  private mutating func accept(on device: SharingDevice) throws -> String {
    guard !links.isEmpty else { return "nothing there" }
    let link = links[pick(links.count)]
    return link.zone.name + " " + device.attempt { try $0.synchronizer.accept(link) }
  }

  /// The log of a zone is begun anew, as a repair does.
  ///
  /// What only a device had that has signed out since is lost with it.
  private mutating func reset(on device: SharingDevice) throws -> String {
    let zones = try device.device.synchronizer.zones().filter { $0.access == .owner }
    let zone = zones[pick(zones.count)]
    guard let before = try readableCopies(in: zone.log.id) else {
      return "\(zone.log.id.name) is damaged"
    }
    let result = device.attempt { _ in
      do {
        try zone.log.reset(reason: "a test")
      } catch let error as CloudError where error.code == .userDeletedZone {
        throw CloudError(.unknownItem, "Another device was faster.")
      }
    }
    if try copies(in: zone.log.id).isEmpty {
      try lose(Set(before.keys.map { RecordName.parsing($0).key }).subtracting(known()))
    }
    if result == "done" { marks.insert(.reset) }
    return zone.log.id.name + " " + result
  }
}
