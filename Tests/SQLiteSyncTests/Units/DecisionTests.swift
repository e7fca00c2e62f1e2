import GRDB
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What becomes of a fetched version, case by case: the table in Architecture.md.
struct DecisionTests {
  private static let table = TableSchema(
    id: 1, name: "t", key: "id", isKeyFolded: false,
    columns: [.init(number: 0, name: "title", isNotNull: false, defaultSQL: nil)],
    foreignKeys: [], isPrivate: false)
  private static let tag = ChangeTag(epoch: 1, sequence: 9, index: 0)
  private static let ann = AccountID(userID: 1)
  private static let ben = AccountID(userID: 2)

  private static func at(_ milliseconds: Int64) -> FieldClock {
    FieldClock(milliseconds: milliseconds, device: 1)
  }

  private static func record(at clock: FieldClock) -> CloudRecord {
    CloudRecord(
      name: "r:t", type: "t", life: clock, fields: ["title": CloudField(.text("x"), clock)])
  }

  private static func copy(
    _ content: ServerCopy.Content, by author: AccountID = ann
  ) -> ServerCopy {
    ServerCopy(content: content, tag: tag, author: author, device: "d")
  }

  /// A record that lives since 100 in a zone, with a row.
  private static func known(
    _ life: Int64 = 100, death: Int64? = nil, table: TableSchema? = table
  ) -> KnownRecord {
    KnownRecord(
      table: table,
      metadata: RecordMetadata(
        id: 1, tableID: 1, key: "r", zoneID: 2, life: at(life), death: death.map(at)),
      isRowThere: table != nil)
  }

  private static func unknown(table: TableSchema? = table) -> KnownRecord {
    KnownRecord(
      table: table, metadata: RecordMetadata(tableID: 1, key: "r", zoneID: 2, life: .zero))
  }

  private static func decision(
    at clock: Int64 = 200, by author: AccountID = ann, _ known: KnownRecord
  ) -> Decision {
    let record = record(at: at(clock))
    return Decision.of(record, in: copy(.record(record), by: author), known: known)
  }

  private static func deletion(at clock: FieldClock, _ known: KnownRecord) -> Deletion {
    let tombstone = Tombstone(name: "r:t", type: "t", clock: clock)
    return Deletion.of(tombstone, in: copy(.tombstone(tombstone)), known: known)
  }

  private static func version(isHeld: Bool = false, tag: ChangeTag? = nil) -> StaleCopies.Version {
    StaleCopies.Version(
      zoneID: 3, tag: tag ?? ChangeTag(epoch: 1, sequence: 1, index: 0), pass: 0, isHeld: isHeld)
  }

  // MARK: - A version

  @Test func newRecordIsInserted() {
    guard case .insert(let merge, _) = Self.decision(Self.unknown()) else {
      Issue.record("not inserted")
      return
    }
    #expect(merge.written == ["title"])
    #expect(merge.record.tag == Self.tag)
  }

  @Test func laterEditUpdatesRow() {
    guard case .update(let merge, _) = Self.decision(Self.known()) else {
      Issue.record("not updated")
      return
    }
    #expect(merge.written == ["title"])
  }

  @Test func laterDeletionHereStays() {
    var known = Self.known(100, death: 300)
    known.isRowThere = false
    known.pending = PendingChange(kind: .delete, fields: [])
    guard case .stayDeleted(let merge, _) = Self.decision(known) else {
      Issue.record("not deleted")
      return
    }
    #expect(merge.pending == PendingChange(kind: .delete, fields: []))
  }

  @Test func versionWhereItDoesNotBelongIsHeldOrKeptAside() {
    var known = Self.unknown()
    known.belonging = .never(reason: "no")
    #expect(Self.decision(known) == .hold(reason: "no"))
    known = Self.known()
    known.belonging = .never(reason: "no")
    guard case .keepAside = Self.decision(known) else {
      Issue.record("not kept aside")
      return
    }
  }

  @Test func whatWasLeftBehindWhereItBelongsNoMoreIsDeletedThereWithItsEdits() {
    var known = Self.known()
    known.belonging = .never(reason: "no")
    known.elsewhere = Elsewhere(version: Self.version(tag: Self.tag))
    #expect(Self.decision(known) == .mention(Self.version(tag: Self.tag)))
    known.elsewhere = Elsewhere(version: Self.version())
    #expect(Self.decision(known) == .adopt(withoutClocks: false))
    known.isRowThere = false
    #expect(Self.decision(known) == .mention(Self.version(tag: Self.tag)))
    known.elsewhere = Elsewhere(version: Self.version(isHeld: true))
    #expect(Self.decision(known) == .hold(reason: "no"))
  }

  /// The row would be somewhere else by it, but for one that is this account's alone.
  @Test(arguments: [false, true])
  func whatWasLeftBehindDoesNotMoveTheRow(isPrivate: Bool) {
    let table = TableSchema(
      id: 1, name: "t", key: "id", isKeyFolded: false, columns: Self.table.columns,
      foreignKeys: [
        .init(column: "title", table: "p", parentColumn: "id", onDelete: .cascade)
      ], isPrivate: isPrivate)
    var known = Self.known(table: table)
    known.belonging = .never(reason: "no")
    known.elsewhere = Elsewhere(version: Self.version())
    #expect(
      Self.decision(known)
        == (isPrivate ? .adopt(withoutClocks: false) : .mention(Self.version(tag: Self.tag))))
  }

  @Test func recordOfUnknownTableIsKeptWholeWithLaterUnsentFields() {
    var known = Self.known(100, table: nil)
    known.pending = PendingChange(kind: .save, fields: ["title"])
    known.kept = Self.record(at: Self.at(300))
    guard case .keepWhole(_, let image, keepsEdit: true) = Self.decision(known) else {
      Issue.record("not kept")
      return
    }
    #expect(image.fields["title"]?.clock == Self.at(300))
    known.kept = Self.record(at: Self.at(150))
    guard case .keepWhole(_, let later, keepsEdit: false) = Self.decision(known) else {
      Issue.record("not kept")
      return
    }
    #expect(later.fields["title"]?.clock == Self.at(200))
  }

  @Test func recordElsewhereIsTakenOnlyByWhoHasASay() throws {
    var known = Self.known()
    let home = try ZoneShare(
      ["owner": Self.ann.rawValue, "name": "z", "access": "write", "isShareForged": false],
      zoneID: 3)
    known.elsewhere = Elsewhere(home: home)
    #expect(Self.decision(by: Self.ann, known) == .adopt(withoutClocks: false))
    #expect(Self.decision(by: Self.ben, known) == .hold(reason: "it lives elsewhere"))
    // Nobody shares the place where it lives: it is this account's own.
    known.elsewhere = Elsewhere()
    #expect(Self.decision(by: Self.ben, known) == .adopt(withoutClocks: false))
    known.elsewhere?.isParentHeld = true
    #expect(Self.decision(by: Self.ben, known) == .hold(reason: "it lives elsewhere"))
    // What came from there may have been edited by those who have not heard of the move.
    known.elsewhere = Elsewhere(home: home, isParentLeft: true)
    #expect(Self.decision(by: Self.ben, known) == .adopt(withoutClocks: false))
    known.elsewhere = Elsewhere(home: home, isOwn: true)
    #expect(Self.decision(by: Self.ben, known) == .adopt(withoutClocks: false))
    known.elsewhere = Elsewhere(version: Self.version(), home: home)
    #expect(Self.decision(by: Self.ben, known) == .adopt(withoutClocks: false))
    known.elsewhere = Elsewhere(version: Self.version(tag: Self.tag), home: home)
    #expect(Self.decision(by: Self.ben, known) == .mention(Self.version(tag: Self.tag)))
  }

  @Test func deadRecordElsewhereIsAdoptedWithoutClocksNobodyConfirmed() {
    var known = Self.known(death: 100)
    known.metadata.life = .zero
    known.elsewhere = Elsewhere(isParentHeld: true)
    #expect(Self.decision(known) == .adopt(withoutClocks: true))
    known.metadata.life = Self.at(50)
    #expect(Self.decision(known) == .adopt(withoutClocks: false))
    // It was deleted with what lives again.
    known.elsewhere?.isParentBack = true
    #expect(Self.decision(known) == .adopt(withoutClocks: true))
  }

  @Test func deletionInOwnZoneSaysNothingOfOthersRowOfThatName() throws {
    func zone(_ id: Int64, _ access: ZoneAccess) throws -> ZoneShare? {
      try ZoneShare(
        [
          "owner": Self.ann.rawValue, "name": "z", "access": access.rawValue,
          "isShareForged": false,
        ], zoneID: id)
    }
    var known = Self.known(100, death: 300)
    known.metadata.tag = Self.tag
    known.metadata.isTombstone = true
    known.elsewhere = Elsewhere(zone: try zone(2, .write), home: try zone(1, .owner))
    #expect(Self.decision(known) == .adopt(withoutClocks: true))
    known.elsewhere?.version = Self.version()
    #expect(Self.decision(known) == .adopt(withoutClocks: false))
    known.elsewhere = Elsewhere(zone: try zone(2, .owner), home: try zone(1, .owner))
    #expect(Self.decision(known) == .adopt(withoutClocks: false))
  }

  @Test func ownRecordIsReclaimedFromWhatHasOnlyItsName() throws {
    func zone(of owner: AccountID, _ access: ZoneAccess, id: Int64 = 3) throws -> ZoneShare? {
      try ZoneShare(
        [
          "owner": owner.rawValue, "name": "z\(id)", "access": access.rawValue,
          "isShareForged": false,
        ], zoneID: id)
    }
    var known = Self.known()
    // Nobody else puts anything into one's own zone: there it is what it was.
    known.elsewhere = Elsewhere(
      zone: try zone(of: Self.ann, .owner),
      home: try zone(of: Self.ann, .owner, id: SyncZone.defaultID))
    #expect(Self.decision(by: Self.ann, known) == .adopt(withoutClocks: false))
    known.elsewhere = Elsewhere(
      zone: try zone(of: Self.ann, .owner), home: try zone(of: Self.ben, .write))
    #expect(Self.decision(by: Self.ann, known) == .reclaim)
    #expect(Self.decision(by: Self.ben, known) != .reclaim)
    // It was one record when it was made.
    #expect(Self.decision(at: 100, by: Self.ann, known) != .reclaim)
    // It came from there.
    known.elsewhere?.version = Self.version()
    #expect(Self.decision(by: Self.ann, known) == .adopt(withoutClocks: false))
  }

  // MARK: - A deletion

  @Test func laterDeletionDeletesRow() {
    guard case .delete(let merge) = Self.deletion(at: Self.at(200), Self.known()) else {
      Issue.record("not deleted")
      return
    }
    #expect(merge.pending == nil)
  }

  @Test func laterEditOutlivesDeletion() {
    guard case .outlive(let merge) = Self.deletion(at: Self.at(50), Self.known()) else {
      Issue.record("deleted")
      return
    }
    #expect(merge.pending == PendingChange(kind: .save, fields: nil))
  }

  @Test func laterEditBelowRevivesRow() {
    var known = Self.known()
    known.latestBelow = Self.at(300)
    guard case .revive(let record) = Self.deletion(at: Self.at(200), known) else {
      Issue.record("not revived")
      return
    }
    // Its fields are not made younger by it.
    #expect(record.life == Self.at(201) && record.latest == Self.at(201))
    #expect(record.clock(of: "title") == Self.at(100))
  }

  @Test func deletionElsewhereIsKnownAndBuriesRow() {
    var known = Self.known()
    known.elsewhere = Elsewhere()
    var dead = known.metadata
    dead.death = Self.at(200)
    #expect(Self.deletion(at: Self.at(200), known) == .bury(dead))
    known.isRowThere = false
    #expect(Self.deletion(at: Self.at(200), known) == .note(dead))
    #expect(Self.deletion(at: StaleCopies.clock, known) == .ignore)
  }

  @Test func deletionOfStaleCopyMovesRowAway() {
    #expect(Self.deletion(at: StaleCopies.clock, Self.known()) == .moveAway)
  }

  /// Two devices of one account move a row at once.
  @Test func rowThatIsMovedHereGoesWhereAnotherDeviceHasMovedItBefore() {
    let child = TableSchema(
      id: 1, name: "t", key: "id", isKeyFolded: false, columns: Self.table.columns,
      foreignKeys: [
        .init(column: "title", table: "p", parentColumn: "id", onDelete: .cascade)
      ], isPrivate: false)
    var known = Self.known(table: child)
    known.elsewhere = Elsewhere(isLeaving: true)
    #expect(Self.deletion(at: StaleCopies.clock, known) == .moveAway)
    // It says what this device has done.
    known.isOwn = true
    #expect(Self.deletion(at: StaleCopies.clock, known) == .ignore)
    known.isOwn = false
    known.elsewhere = Elsewhere()
    #expect(Self.deletion(at: StaleCopies.clock, known) == .ignore)
  }

  @Test func deletionOfWhatNeverBelongedIsIgnored() {
    var known = Self.unknown()
    known.belonging = .never(reason: "no")
    #expect(Self.deletion(at: Self.at(200), known) == .ignore)
  }

  @Test func deletionOfUnknownTableForgetsAllButLaterEdit() {
    var known = Self.known(100, table: nil)
    known.pending = PendingChange(kind: .save, fields: nil)
    known.kept = Self.record(at: Self.at(300))
    guard case .forget(_, keepsEdit: true) = Self.deletion(at: Self.at(200), known),
      case .forget(_, keepsEdit: false) = Self.deletion(at: Self.at(400), known)
    else {
      Issue.record("not forgotten")
      return
    }
  }

  @Test func deletionOfUnknownTableCountsWhileItIsOnItsWayElsewhere() {
    var known = Self.known(100, table: nil)
    known.elsewhere = Elsewhere()
    known.pending = PendingChange(kind: .save, fields: nil)
    known.kept = Self.record(at: Self.at(150))
    var dead = known.metadata
    dead.death = Self.at(200)
    #expect(Self.deletion(at: Self.at(200), known) == .forget(dead, keepsEdit: false))
    known.metadata.tag = Self.tag
    #expect(Self.deletion(at: Self.at(200), known) == .ignore)
  }

  // MARK: - A missing parent

  private static func parent(
    death: Int64?, isWaiting: Bool = false, name: String = "p:t", _ value: DatabaseValue? = nil
  ) -> Orphaned.Parent {
    Orphaned.Parent(
      name: name, recordID: 1, death: death.map(at), isWaiting: isWaiting, column: "parent",
      replacement: value)
  }

  @Test func rowWithoutParentWaitsRatherForWhatDoesNotWaitItself() {
    #expect(Orphaned.of([], latest: Self.at(100)) == .refuse)
    let parents = [
      Self.parent(death: nil, isWaiting: true), Self.parent(death: nil, name: "q:t"),
    ]
    #expect(Orphaned.of(parents, latest: Self.at(100)) == .wait(needs: "q:t"))
    // Its parent died earlier than it was edited: the parent will be revived.
    #expect(Orphaned.of([Self.parent(death: 50)], latest: Self.at(100)) == .wait(needs: "p:t"))
  }

  @Test func foreignKeyActsWhereParentDiedLater() {
    #expect(
      Orphaned.of([Self.parent(death: 200)], latest: Self.at(100)) == .die(death: Self.at(200)))
    #expect(
      Orphaned.of([Self.parent(death: 200, .null)], latest: Self.at(100))
        == .letGo(column: "parent", .null, death: Self.at(200)))
  }
}
