import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Several people on one cloud: who may read and write a zone of somebody else.
@Suite struct SharingTests {
  let store = MemoryStore()
  let clock = TestTime()
  let ann: CloudFixture
  let zone: ZoneID

  init() throws {
    ann = try CloudFixture(over: store, clock: clock, zone: "share-1")
    try ann.log.create()
    zone = ann.log.id
    try ann.device.save("list", "Family")
  }

  /// Another account's device, looking at ann's zone.
  private func visitor(_ name: String, seed: UInt64) throws -> Device {
    Device(try container(name, seed: seed).zone(zone))
  }

  private func container(_ name: String, seed: UInt64) throws -> CloudContainer {
    let container = CloudContainer(
      store: store, account: ownAccount(name), device: UUID(seed), app: "test 1",
      environment: .deterministic(seed: seed, clock: clock))
    try container.open()
    return container
  }

  private func share(_ change: (inout Share) -> Void) throws {
    try ann.device.fetch()
    let known = ann.device.records[Share.recordName]
    var share = known.flatMap { Share($0) } ?? Share(root: "list", title: "Family")
    change(&share)
    let record = share.record(over: known) { clock in
      clock.edited(atMilliseconds: TestTime.beginning, device: 1)
    }
    let result = try ann.device.modify(
      [.save(record, base: ann.device.tag(Share.recordName))])
    #expect(result.failures.isEmpty)
  }

  private func invite(_ name: String, _ permission: Share.Permission) throws {
    try share { $0.participants[ownAccount(name)] = .init(permission: permission) }
  }

  @Test func nobodyElseReadsOrWritesAZoneThatIsNotShared() throws {
    let ben = try visitor("ben", seed: 2)
    let error = #expect(throws: CloudError.self) { try ben.fetch() }
    #expect(error?.code == .permissionFailure)
    #expect(ben.copies.isEmpty)
    let result = try ben.log.modify(
      [.save(.test("a"), base: nil)], after: nil, view: ben.view, atomically: false)
    #expect(result.failures["a"]?.code == .permissionFailure)
  }

  @Test func aParticipantWhoMayWriteIsFollowedByTheOwner() throws {
    try invite("ben", .write)
    let ben = try visitor("ben", seed: 2)
    try ben.fetch()
    #expect(try ben.save("milk", "Milk", parent: "list").failures.isEmpty)
    try ann.device.fetch()
    #expect(ann.device.records["milk"] == .test("milk", "Milk", parent: "list"))
    #expect(ann.device.copies["milk"]?.author == ownAccount("ben"))
  }

  @Test func aParticipantWhoMayReadCannotWrite() throws {
    try invite("cat", .read)
    let cat = try visitor("cat", seed: 3)
    try cat.fetch()
    #expect(cat.records["list"] != nil)
    #expect(try cat.save("list", "Mine").failures["list"]?.code == .permissionFailure)
    #expect(try cat.delete("list").failures["list"]?.code == .permissionFailure)
  }

  @Test func noParticipantChangesTheShareOrDeletesItsRoot() throws {
    try invite("ben", .write)
    let ben = try visitor("ben", seed: 2)
    try ben.fetch()
    var share = try #require(ben.records[Share.recordName].flatMap { Share($0) })
    share.publicPermission = .write
    let record = share.record(over: ben.records[Share.recordName]) { clock in
      clock.edited(atMilliseconds: TestTime.beginning + 1, device: 2)
    }
    let result = try ben.modify([.save(record, base: ben.tag(Share.recordName))])
    #expect(result.failures[Share.recordName]?.code == .permissionFailure)
    #expect(try ben.delete("list").failures["list"]?.code == .permissionFailure)
    #expect(try ben.save("list", "Our family").failures.isEmpty)
  }

  @Test func aCommitThatWasNotAllowedIsVoidForEveryReader() throws {
    try invite("cat", .read)
    try ann.device.fetch()
    let token = try #require(ann.device.token)
    let commit = Commit(
      origin: Origin(
        milliseconds: clock.now, app: "forged", author: ownAccount("cat"), device: "x", id: "y"),
      zone: zone.name, epoch: token.epoch, sequence: token.sequence + 1, previous: token.hash,
      operations: [.save(.test("forged"), base: nil)])
    let key = ann.log.layout.commit(commit.sequence, epoch: token.epoch)
    guard case .created = store.createIfAbsent(key, commit.encoded) else {
      Issue.record("not created")
      return
    }
    try ann.device.fetch()
    let fresh = Device(ann.log)
    try fresh.fetch()
    for device in [ann.device, fresh] {
      #expect(device.voided == 1)
      #expect(device.records["forged"] == nil)
    }
    try ann.device.save("after", "1")
    #expect(try fresh.fetch().copies.map(\.name) == ["after"])
  }

  @Test func aPermissionThatIsLoweredHoldsFromThenOn() throws {
    try invite("ben", .write)
    let ben = try visitor("ben", seed: 2)
    try ben.fetch()
    try ben.save("milk", "Milk", parent: "list")
    try invite("ben", .read)
    #expect(try ben.save("milk", "Bread").failures["milk"]?.code == .permissionFailure)
    let fresh = try visitor("ben", seed: 4)
    try fresh.fetch()
    #expect(fresh.records["milk"] == .test("milk", "Milk", parent: "list"))
  }

  @Test func whoeverIsRemovedReadsNothingMore() throws {
    try share { $0.publicPermission = .read }
    try invite("ben", .read)
    let ben = try visitor("ben", seed: 2)
    try ben.fetch()
    try share {
      $0.participants[ownAccount("ben")] = .init(permission: .none, state: .gone)
    }
    let error = #expect(throws: CloudError.self) { try ben.fetch() }
    #expect(error?.code == .permissionFailure)
    let dan = try visitor("dan", seed: 5)
    try dan.fetch()
    #expect(dan.records["list"] != nil)
  }

  @Test func permissionsSurviveACheckpoint() throws {
    try invite("ben", .write)
    try ann.device.fetch()
    var policy = MaintenancePolicy()
    policy.manyCommits = 1
    _ = try ann.log.maintain(policy)
    let ben = try visitor("ben", seed: 2)
    try ben.fetch()
    try ben.save("milk", "Milk", parent: "list")
    let fresh = Device(ann.log)
    try fresh.fetch()
    #expect(fresh.voided == 0)
    #expect(fresh.records["milk"] != nil)
  }

  @Test func onlyTheOwnerDeletesOrMaintainsAZone() throws {
    try invite("ben", .write)
    let log = try container("ben", seed: 2).zone(zone)
    for action: () throws -> Void in [
      { try log.delete(reason: "") }, { try log.reset(reason: "") }, { try log.create() },
      { _ = try log.maintain(forgettingDeletionsUpTo: nil) },
    ] {
      let error = #expect(throws: CloudError.self) { try action() }
      #expect(error?.code == .permissionFailure)
    }
  }

  // MARK: The share as a record

  @Test func aShareIsTheSameAfterItWasARecord() {
    let share = Share(
      root: "list", title: "Family 👪", publicPermission: .read,
      participants: [
        ownAccount("ben"): .init(permission: .write, state: .accepted),
        AccountID(userID: 1001): .init(permission: .none, state: .gone),
      ])
    let record = share.record(over: nil) { _ in FieldClock(milliseconds: 5, device: 1) }
    #expect(Share(record) == share)
    let again = share.record(over: record) { _ in FieldClock(milliseconds: 9, device: 1) }
    #expect(again == record)
  }

  @Test func whatCannotBeReadGivesNoPermission() {
    var record = Share(root: "list", title: "").record(over: nil) { _ in .limit }
    for value: CloudValue in [.text("write"), .text("all accepted"), .integer(2), .null] {
      record.fields["participant @ben"] = CloudField(value, .limit)
      #expect(Share(record)?.permission(of: ownAccount("ben")) == Share.Permission.none)
    }
    record.fields["public"] = CloudField(.text("everything"), .limit)
    #expect(Share(record)?.publicPermission == Share.Permission.none)
    record.type = "other"
    #expect(Share(record) == nil)
  }

  // MARK: Links and messages

  @Test func aLinkIsReadBack() {
    let link = ShareLink(cloud: "c1", zone: zone)
    #expect(link.description == "share:c1/@ann/share-1")
    #expect(ShareLink(link.description) == link)
    for text in ["", "share:", "share:c/@ann", "share:c/ann/z", "share:/@ann/z", "http://c/@ann/z"]
    {
      #expect(ShareLink(text) == nil)
    }
  }

  @Test func aMessageArrivesOnceItsRecipientIsKnown() throws {
    let message = ShareMessage(.invitation, sender: CloudFixture.ann, zone: zone, title: "Family")
    let error = #expect(throws: CloudError.self) {
      try ann.container.send(message, to: ownAccount("ben"))
    }
    #expect(error?.code == .unknownItem)
    let ben = try container("ben", seed: 2)
    try ann.container.send(message, to: ownAccount("ben"))
    let received = try ben.messages()
    #expect(received.map(\.message) == [message])
    try received.forEach(ben.discard)
    #expect(try ben.messages().isEmpty)
  }

  @Test func whatIsNoMessageIsIgnored() throws {
    let ben = try container("ben", seed: 2)
    for (number, text) in ["", "{", "[]\n", "{\"f\":\"message\"}\n"].enumerated() {
      let key = CloudLayout.message(
        ContentHash(of: Data(text.utf8)), number: UInt64(number), to: ownAccount("ben"))
      _ = store.createIfAbsent(key, Data(text.utf8))
    }
    #expect(try ben.messages().isEmpty)
  }
}
