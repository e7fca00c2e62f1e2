import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What people call a device is told to the account's other devices, and to nobody else.
struct DeviceNameTests {
  private let cloud = MemoryStore()

  /// A database with a row for each key, and an engine over it.
  private func device(
    _ name: String?, account: AccountID = "ann", database: DatabaseQueue? = nil
  ) throws -> (DatabaseQueue, SyncEngine) {
    let database = try database ?? Self.makeDatabase()
    let id = try database.write { db in
      try SyncEngine.prepare(db)
      return try SyncEngine.device(of: db)
    }
    let container = CloudContainer(
      store: cloud, account: account, device: id, deviceName: name, app: "test")
    let engine = try SyncEngine(
      for: database, tableNames: ["notes"], cloud: container, startImmediately: false)
    return (database, engine)
  }

  private static func makeDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue(configuration: .synchronized)
    try database.write {
      try $0.execute(sql: "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, text TEXT)")
    }
    return database
  }

  private func execute(_ sql: String, _ database: DatabaseQueue) throws {
    try database.write { try $0.execute(sql: sql) }
  }

  private func names(_ database: DatabaseQueue) throws -> Set<String?> {
    try database.read { Set(try SyncDevice.all($0).map(\.name)) }
  }

  @Test func otherDevicesOfTheAccountKnowTheNameOfWhoEditedSomething() async throws {
    let (desk, atDesk) = try device("desk")
    let (phone, onPhone) = try device("phone")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    for engine in [atDesk, onPhone] { try await engine.syncChanges() }
    try execute("UPDATE notes SET text = 'Bread'", phone)
    for engine in [onPhone, atDesk] { try await engine.syncChanges() }
    #expect(try names(desk) == ["desk", "phone"])
    #expect(try names(phone) == ["desk", "phone"])
    let edit = try await desk.read { try SyncRowEdits($0, of: "notes", key: "1").fields["text"] }
    #expect(edit?.deviceName == "phone")
    let entry = try await desk.read { try #require(try SyncHistory.entries($0).first) }
    #expect(entry.winner.deviceName == "phone")
    #expect(entry.loser?.deviceName == "desk")
  }

  @Test func aNameIsNoChangeThatAnybodyCounts() async throws {
    let (desk, atDesk) = try device("desk")
    let (_, onPhone) = try device("phone")
    #expect(try await atDesk.syncChanges() == SyncResult())
    #expect(try await onPhone.syncChanges().fetched == 0)
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    #expect(try await atDesk.syncChanges().sent == 1)
    #expect(try await onPhone.syncChanges().fetched == 1)
    #expect((atDesk.status.sent, onPhone.status.fetched) == (1, 1))
  }

  @Test func aDeviceThatSendsNothingMakesNoCommitForItsName() async throws {
    let (desk, atDesk) = try device("desk")
    let (phone, onPhone) = try device("phone")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    for engine in [atDesk, onPhone, atDesk] { try await engine.syncChanges() }
    #expect(try names(desk) == ["desk"])
    #expect(try await phone.read(SyncCounts.init) == SyncCounts())
  }

  @Test func aNameThatWaitsIsNotCountedAsPending() throws {
    let (desk, _) = try device("desk")
    let synchronizer = try Synchronizer(
      database: desk, tables: ["notes"], privateTables: [],
      container: CloudContainer(store: cloud, account: "ann", device: UUID(), app: "test"),
      configuration: SyncConfiguration())
    try desk.write {
      try $0.execute(sql: "INSERT INTO notes VALUES ('1', 'Milk')")
      try DeviceNames(db: $0).set("desk", of: SyncEngine.device(of: $0))
    }
    for fold in [{}, synchronizer.foldEdits] {
      try fold()
      #expect(try desk.read(SyncCounts.init).pending == 1)
      #expect(try desk.read { try SyncPendingChange.all($0).map(\.table) } == ["notes"])
    }
  }

  @Test func anotherNameComesWithTheNextChange() async throws {
    let (desk, atDesk) = try device("desk")
    let (phone, onPhone) = try device("phone")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    for engine in [atDesk, onPhone] { try await engine.syncChanges() }
    let (_, renamed) = try device("office\u{07}\u{202E}\u{2028}\n ", database: desk)
    try await renamed.syncChanges()
    try await onPhone.syncChanges()
    #expect(try names(phone) == ["desk"])
    try execute("UPDATE notes SET text = 'Bread'", desk)
    for engine in [renamed, onPhone] { try await engine.syncChanges() }
    #expect(try names(phone) == ["office"])
    // The name before is nothing that anybody brings back.
    let kept = try await phone.read { try SyncHistory.entries($0).map(\.table) }
    #expect(kept == ["notes"])
  }

  @Test func aDeviceWithoutANameIsKnownByItsID() async throws {
    let (desk, atDesk) = try device(nil)
    let (phone, onPhone) = try device("")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    for engine in [atDesk, onPhone] { try await engine.syncChanges() }
    #expect(try names(phone) == [nil])
    #expect(try await phone.read { try DeviceNames(db: $0).all() } == [:])
  }

  @Test func theNameIsGoneWithTheAccountAndComesBackWithIt() async throws {
    let (desk, atDesk) = try device("desk")
    let (phone, onPhone) = try device("phone")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    for engine in [atDesk, onPhone] { try await engine.syncChanges() }
    try await onPhone.signOut()
    #expect(try names(phone) == [])
    #expect(try await phone.read { try DeviceNames(db: $0).all() } == [:])
    try await onPhone.signIn(
      CloudContainer(
        store: cloud, account: "ben", device: UUID(), deviceName: "phone", app: "test"))
    try await onPhone.syncChanges()
    #expect(try names(phone) == [])
  }

  @Test func whoTakesAlongTheRowsTakesNoNamesAlongAndDeletesNone() async throws {
    let (desk, atDesk) = try device("desk")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", desk)
    try await atDesk.syncChanges()
    let place = MemoryStore()
    try await atDesk.changeCloud(
      to: CloudContainer(
        store: place, account: "ann", device: UUID(), deviceName: "desk", app: "test"))
    #expect(try await desk.read(SyncCounts.init).pending == 1)
    #expect(try await atDesk.syncChanges().sent == 1)
    #expect(try names(desk) == ["desk"])
  }

  @Test func peopleWithWhomSomethingIsSharedDoNotLearnTheName() async throws {
    let (anns, ofAnn) = try device("desk")
    let (bens, ofBen) = try device("laptop", account: "ben")
    try execute("INSERT INTO notes VALUES ('1', 'Milk')", anns)
    try await ofAnn.syncChanges()
    let link = try await ofAnn.share(
      table: "notes", key: "1", title: "Milk", participants: ["ben": .write])
    try await ofAnn.syncChanges()
    try await ofBen.acceptShare(link)
    try execute("UPDATE notes SET text = 'Bread'", bens)
    for engine in [ofBen, ofAnn, ofBen] { try await engine.syncChanges() }
    #expect(try await anns.read { try DeviceNames(db: $0).all() }.values.sorted() == ["desk"])
    #expect(try await bens.read { try DeviceNames(db: $0).all() }.values.sorted() == ["laptop"])
    let edit = try await anns.read { try SyncRowEdits($0, of: "notes", key: "1").fields["text"] }
    #expect(edit?.account == "ben" && edit?.device != nil && edit?.deviceName == nil)
  }
}
