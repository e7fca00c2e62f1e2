import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// People who are roles of a PostgreSQL server, which keeps them apart: the whole engine over it.
@Suite(.enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.absence)))
struct RolesTests {
  private let family: Family
  private let stores: [AccountID: PostgresStore]

  init() throws {
    let database = try PostgresServer.shared.get().database()
    let people = [Family.annID, Family.benID, Family.catID].map { ($0, $0.description) }
    stores = Dictionary(
      uniqueKeysWithValues: try people.map { ($0, try database.store(as: $1)) })
    family = try Family(store: database.store(as: "ann"), users: stores)
  }

  @Test func aListIsSharedWithWhomItsOwnerLetsIn() throws {
    try family.share([Family.benID: .write, Family.catID: .read])
    #expect(try family.annToo.tree() == Family.home + Family.work)
    #expect(try family.benToo.tree() == Family.home + Family.own)
    #expect(try family.cat.tree() == Family.home)
    try family.ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    for device in family.fleet.devices {
      #expect(try device.rows("SELECT title FROM reminders WHERE id = 'milk'") == ["Oat milk"])
    }
    // The next number of a log, the whole of which was read.
    let zone = try #require(try zoneOfHome())
    let log = ZoneLayout(zone).log(epoch: 1)
    let count = try stores[Family.catID]?.list(log, after: nil, limit: .max).count ?? 0
    let next = ZoneLayout(zone).commit(Int64(count) + 1, epoch: 1)
    guard case .failed(let error) = stores[Family.catID]?.createIfAbsent(next, Data([1])) else {
      Issue.record("a reader has written")
      return
    }
    #expect(error.code == .permissionFailure)
  }

  @Test func whoIsRemovedIsKeptOut() throws {
    try family.share([Family.benID: .write])
    let zone = try #require(try zoneOfHome())
    let key = ZoneLayout(zone).metaEntry(1)
    #expect(try stores[Family.benID]?.read(key, limit: 1) != nil)
    try family.ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    #expect(try family.ben.tree() == Family.own)
    let error = #expect(throws: CloudError.self) { try stores[Family.benID]?.read(key, limit: 1) }
    #expect(error?.code == .permissionFailure)
    #expect(try family.annToo.tree() == Family.home + Family.work)
  }

  private func zoneOfHome() throws -> ZoneID? {
    let zones = try family.ann.container.zones().filter { $0.name.hasPrefix("share-") }
    #expect(zones.count == 1)
    return zones.first
  }
}
