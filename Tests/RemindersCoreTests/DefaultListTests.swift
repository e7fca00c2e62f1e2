import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// The list that the app makes when a reminder needs one and there is none.
@Suite struct DefaultListTests {
  private struct Device {
    let directory: TemporaryDirectory
    let database: AppDatabase
    let engine: SyncEngine

    init(
      of name: String, _ store: MemoryStore, schema: SchemaVersion = .current
    ) throws {
      directory = try TemporaryDirectory()
      database = try AppDatabase.migrated(in: directory.url, schema: schema)
      engine = try database.engine(
        for: CloudContainer(
          store: store, account: try #require(AccountID(name: name)),
          device: try database.fetch(SyncQuery()).device, app: "tests"))
    }

    var lists: [RemindersList] {
      get throws { try database.fetch(ListsQuery()) }
    }

    func add(_ title: String) async throws {
      _ = try await database.addReminder(ReminderDraft(title: title))
    }

    func ids() throws -> [String] {
      try database.writer.read { try String.fetchAll($0, sql: "SELECT id FROM reminders") }
    }

    func titles() throws -> [String] {
      try database.writer.read {
        try String.fetchAll(
          $0,
          sql: """
            SELECT remindersLists.title || ': ' || reminders.title
            FROM reminders JOIN remindersLists ON remindersLists.id = remindersListID ORDER BY 1
            """)
      }
    }
  }

  private let store = MemoryStore()

  @Test(arguments: [SchemaVersion.current, .linksAndCovers])
  func `devices that each made one before their first sync have one`(
    schema: SchemaVersion
  ) async throws {
    let devices = try [
      Device(of: "ann", store), Device(of: "ann", store, schema: schema), Device(of: "ann", store),
    ]
    for (device, title) in zip(devices, ["a", "b", "c"]) { try await device.add(title) }
    for device in devices + devices { try await device.engine.syncChanges() }
    for device in devices {
      #expect(try device.titles() == ["Personal: a", "Personal: b", "Personal: c"])
      #expect(try device.lists == devices[0].lists && device.lists.count == 1)
    }
  }

  @Test func `devices that sent theirs at the same time have one, with all that is added`()
    async throws
  {
    let devices = try (1...3).map { _ in try Device(of: "ann", store) }
    for (device, title) in zip(devices, ["a", "b", "c"]) {
      try await device.add(title)
      // Nothing is fetched before.
      try await device.engine.sendChanges()
    }
    for device in devices { try await device.engine.fetchChanges() }
    #expect(try devices[0].lists.count == 3)
    for device in devices { _ = try await device.database.joinDefaultLists() }
    for device in devices + devices { try await device.engine.syncChanges() }
    for device in devices {
      #expect(try device.titles() == ["Personal: a", "Personal: b", "Personal: c"])
      #expect(try device.lists == devices[0].lists && device.lists.count == 1)
    }
  }

  private static let seeds =
    1...(ProcessInfo.processInfo.environment["JOIN_SEEDS"].flatMap(UInt64.init) ?? 8)

  /// Three devices that each made one, by the ids of their lists: the first one will be kept.
  private func ordered() async throws -> [Device] {
    let devices = try (1...3).map { _ in try Device(of: "ann", store) }
    for device in devices { try await device.add("x") }
    let lists = try devices.map { try $0.lists[0].id }
    return zip(devices, lists).sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// All synchronize until nothing changes, and have one list with everything.
  private func agree(_ devices: [Device], reminders: Int) async throws {
    for device in devices + devices + devices {
      try await device.engine.syncChanges()
      // As the app does after each.
      if try await device.database.joinDefaultLists() > 0 { try await device.engine.syncChanges() }
    }
    try await devices[0].engine.syncChanges()
    for device in devices {
      #expect(try device.titles().count == reminders)
      #expect(try device.titles() == devices[0].titles())
      #expect(try device.lists == devices[0].lists && device.lists.count == 1)
    }
  }

  @Test(arguments: [false, true])
  func `what moved into a list that another device joins meanwhile stays, unsent or sent`(
    isSent: Bool
  ) async throws {
    let devices = try await ordered()
    try await devices[1].engine.sendChanges()
    try await devices[2].engine.fetchChanges()
    #expect(try await devices[2].database.joinDefaultLists() == 1)
    try await devices[0].engine.sendChanges()
    try await devices[1].engine.fetchChanges()
    if isSent { try await devices[2].engine.sendChanges() }
    #expect(try await devices[1].database.joinDefaultLists() == 1)
    try await devices[1].engine.sendChanges()
    try await agree(devices, reminders: 3)
  }

  @Test(arguments: seeds)
  func `devices that join in any order lose nothing`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let devices = try (1...4).map { _ in try Device(of: "ann", store) }
    for device in devices { try await device.add("x") }
    for step in 0..<16 {
      let device = devices.randomElement(using: &random)!
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await device.engine.fetchChanges()
      case 1: _ = try await device.database.joinDefaultLists()
      case 2 where step < 8: try await device.add("y")
      default: try await device.engine.sendChanges()
      }
    }
    let reminders = try Set(devices.flatMap { try $0.ids() })
    try await agree(devices, reminders: reminders.count)
  }

  @Test func `it joins the list of that name that somebody has had for long`() async throws {
    let (desk, laptop) = (try Device(of: "ann", store), try Device(of: "ann", store))
    let id = try await desk.database.addList(title: "Personal", color: 0xFF_0000).id
    try await desk.engine.syncChanges()
    try await laptop.add("milk")
    try await laptop.engine.syncChanges()
    let list = try #require(try laptop.lists.first)
    #expect(try list.id == id && list.color == 0xFF_0000 && laptop.lists.count == 1)
    #expect(try laptop.titles() == ["Personal: milk"])
  }

  @Test func `what a person made or changed stays, and so does what the cloud has`() async throws {
    let (desk, laptop) = (try Device(of: "ann", store), try Device(of: "ann", store))
    try await desk.add("milk")
    try await desk.engine.syncChanges()
    try await laptop.add("bread")
    let made = try #require(try laptop.lists.first)
    _ = try await laptop.database.editList(made.id, [.color(0xFF_0000)])
    try await laptop.engine.syncChanges()
    #expect(try laptop.lists.count == 2)
    _ = try await laptop.database.editList(made.id, [.color(RemindersList.defaultColor)])
    _ = try await laptop.database.addList(title: "Personal")
    try await laptop.engine.syncChanges()
    #expect(try laptop.lists.count == 3)
  }

  @Test func `it joins no list that others see`() async throws {
    let (ann, laptop) = (try Device(of: "ann", store), try Device(of: "ann", store))
    let ben = try Device(of: "ben", store)
    try await ann.add("ours")
    let list = try #require(try ann.lists.first)
    try await ann.engine.syncChanges()
    let account = try #require(AccountID(name: "ben"))
    let link = try await ann.engine.share(
      table: "remindersLists", key: list.id, title: "Personal", participants: [account: .write])
    for device in [ann, ben] { try await device.engine.syncChanges() }
    try await ben.engine.acceptShare(link)
    for device in [ben, laptop] {
      try await device.add("mine")
      try await device.engine.syncChanges()
      #expect(try device.lists.count == 2)
      #expect(try device.database.fetch(SharesQuery()).map(\.id) == [list.id])
    }
    #expect(try ann.titles() == ["Personal: ours"])
  }

  @Test func `what made it can be undone after it has joined another`() async throws {
    let (desk, laptop) = (try Device(of: "ann", store), try Device(of: "ann", store))
    try await desk.add("milk")
    try await desk.engine.syncChanges()
    let undo = try await laptop.database.addReminder(ReminderDraft(title: "bread")).undo
    try await laptop.engine.syncChanges()
    _ = try await laptop.database.undo(undo)
    for device in [laptop, desk] {
      try await device.engine.syncChanges()
      #expect(try device.titles() == ["Personal: milk"])
    }
  }
}
