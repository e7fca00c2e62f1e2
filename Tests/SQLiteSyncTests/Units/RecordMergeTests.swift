import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// The merge, case by case: who wins, what is written here, what is still to be sent.
struct RecordMergeTests {
  private static let known: Set = ["title", "notes"]
  private static let mine: UInt16 = 1
  private static let theirs: UInt16 = 2

  private static func at(_ milliseconds: Int64, _ device: UInt16 = mine) -> FieldClock {
    FieldClock(milliseconds: milliseconds, device: device)
  }

  private static func local(
    life: FieldClock = at(100), title: FieldClock? = nil, death: FieldClock? = nil
  ) -> RecordMetadata {
    var record = RecordMetadata(id: 1, tableID: 1, key: "r", life: life, death: death)
    if let title { record.setClock(title, of: "title") }
    return record
  }

  private static let tag = ChangeTag(epoch: 1, sequence: 9, index: 0)

  private static func copy(
    life: FieldClock = at(100), _ fields: [String: CloudField]
  ) -> ServerCopy {
    ServerCopy(
      content: .record(CloudRecord(name: "r:t", type: "t", life: life, fields: fields)), tag: tag,
      author: AccountID(userID: 1), device: "d")
  }

  private static func copy(deletedAt clock: FieldClock) -> ServerCopy {
    ServerCopy(
      content: .tombstone(Tombstone(name: "r:t", type: "t", clock: clock)), tag: tag,
      author: AccountID(userID: 1), device: "d")
  }

  private static func merge(
    _ local: RecordMetadata, pending: PendingChange? = nil, hasRow: Bool = true,
    isOwn: Bool = false,
    _ copy: ServerCopy
  ) -> RecordMerge {
    RecordMerge(
      local: local, pending: pending, hasRow: hasRow, server: copy, known: known, isOwn: isOwn)
  }

  private static func image(
    title: FieldClock, notes: FieldClock = at(100), life: FieldClock = at(100)
  ) -> ServerCopy {
    copy(life: life, ["title": CloudField(.text("t"), title), "notes": CloudField(.null, notes)])
  }

  // MARK: - One field

  struct FieldCase: Sendable, CustomTestStringConvertible {
    let mine: FieldClock
    let theirs: FieldClock
    let isUnsent: Bool
    var isOwn = false
    let isWritten: Bool
    let isPending: Bool

    var testDescription: String {
      "mine \(mine.rawValue), \(isUnsent ? "unsent" : "sent"), "
        + "\(isOwn ? "own" : "theirs") \(theirs.rawValue)"
    }
  }

  static let fieldCases: [FieldCase] = [
    // The greater clock wins, whether or not mine has been sent.
    FieldCase(mine: at(200), theirs: at(300, 2), isUnsent: true, isWritten: true, isPending: false),
    FieldCase(
      mine: at(200), theirs: at(300, 2), isUnsent: false, isWritten: true, isPending: false),
    FieldCase(mine: at(300), theirs: at(200, 2), isUnsent: true, isWritten: false, isPending: true),
    // A value that the cloud lost, for example to a restored backup, is sent again.
    FieldCase(
      mine: at(300), theirs: at(200, 2), isUnsent: false, isWritten: false, isPending: true),
    // In the same millisecond the devices' bits decide.
    FieldCase(mine: at(200), theirs: at(200, 2), isUnsent: true, isWritten: true, isPending: false),
    FieldCase(
      mine: at(200, 2), theirs: at(200, 1), isUnsent: true, isWritten: false, isPending: true),
    // My own commit, seen again; and after another edit of mine.
    FieldCase(
      mine: at(200), theirs: at(200), isUnsent: true, isOwn: true, isWritten: false,
      isPending: false),
    FieldCase(
      mine: at(300), theirs: at(200), isUnsent: true, isOwn: true, isWritten: false,
      isPending: true),
    FieldCase(
      mine: .limit, theirs: .limit, isUnsent: true, isOwn: true, isWritten: false,
      isPending: false),
    // Equal clocks of two devices: the later commit wins, and what is unsent will be later.
    FieldCase(mine: at(200), theirs: at(200), isUnsent: true, isWritten: false, isPending: true),
    FieldCase(mine: at(200), theirs: at(200), isUnsent: false, isWritten: true, isPending: false),
    FieldCase(mine: .limit, theirs: .limit, isUnsent: true, isWritten: false, isPending: true),
    FieldCase(mine: .limit, theirs: .limit, isUnsent: false, isWritten: true, isPending: false),
  ]

  @Test(arguments: fieldCases)
  func theGreaterClockWinsAField(_ field: FieldCase) {
    let pending = field.isUnsent ? PendingChange(kind: .save, fields: ["title"]) : nil
    let merge = Self.merge(
      Self.local(title: field.mine), pending: pending, isOwn: field.isOwn,
      Self.image(title: field.theirs))
    #expect(merge.written.contains("title") == field.isWritten)
    #expect(
      merge.pending == (field.isPending ? PendingChange(kind: .save, fields: ["title"]) : nil))
    #expect(merge.record.clock(of: "title") == max(field.mine, field.theirs))
    #expect(merge.record.clock(of: "notes") == Self.at(100))
    #expect(merge.record.tag == Self.tag)
  }

  @Test func editsOfDifferentFieldsAreBothKept() {
    let merge = Self.merge(
      Self.local(title: Self.at(300)), pending: PendingChange(kind: .save, fields: ["title"]),
      Self.image(title: Self.at(100), notes: Self.at(200, 2)))
    #expect(merge.written == ["notes"])
    #expect(merge.pending == PendingChange(kind: .save, fields: ["title"]))
    #expect(merge.record.exceptions == ["title": Self.at(300), "notes": Self.at(200, 2)])
  }

  @Test func nullIsAValue() {
    let merge = Self.merge(
      Self.local(), Self.copy(["title": CloudField(.null, Self.at(200, 2))]))
    #expect(merge.written == ["title"])
    #expect(merge.record.clock(of: "title") == Self.at(200, 2))
  }

  @Test func anAbsentFieldChangesNothingAndIsSentWithTheRest() {
    let merge = Self.merge(
      Self.local(), Self.copy(["title": CloudField(.text("t"), Self.at(200, 2))]))
    #expect(merge.written == ["title"])
    #expect(merge.record.clock(of: "notes") == Self.at(100))
    #expect(merge.pending == PendingChange(kind: .save, fields: ["notes"]))
  }

  @Test func aFieldThatNobodyEverWroteIsNotSent() {
    var local = Self.local()
    local.setClock(.zero, of: "notes")
    let merge = Self.merge(local, Self.copy(["title": CloudField(.text("t"), Self.at(100))]))
    #expect(merge.pending == nil)
  }

  // MARK: - Unknown fields

  @Test func unknownFieldsAreKeptAndNotWritten() {
    let field = CloudField(.integer(1), Self.at(100, 2))
    let merge = Self.merge(
      Self.local(),
      Self.copy([
        "title": CloudField(.null, Self.at(100)), "notes": CloudField(.null, Self.at(100)),
        "color": field,
      ]))
    #expect(!merge.written.contains("color"))
    #expect(merge.pending == nil)
    #expect(merge.record.unknown?.fields == ["color": field])
  }

  @Test func ofTwoVersionsOfAnUnknownFieldTheLaterIsKept() {
    var local = Self.local()
    let older = CloudField(.integer(1), Self.at(150))
    let newer = CloudField(.integer(2), Self.at(200, 2))
    local.unknown = CloudRecord(
      name: "r:t", type: "t", life: .zero, fields: ["color": newer, "icon": older])
    let merge = Self.merge(local, Self.copy(["color": older, "icon": newer]))
    #expect(merge.record.unknown?.fields == ["color": newer, "icon": newer])
  }

  // MARK: - A record that is new here

  @Test func aNewRecordIsTakenWhole() {
    let copy = Self.copy(
      life: Self.at(100, 2),
      [
        "title": CloudField(.text("t"), Self.at(100, 2)),
        "color": CloudField(.integer(1), Self.at(100, 2)),
      ])
    let merge = Self.merge(
      RecordMetadata(tableID: 1, key: "r", life: .zero), hasRow: false, copy)
    #expect(merge.isAlive)
    #expect(merge.written == ["title"])
    #expect(merge.pending == nil)
    #expect(merge.record.life == Self.at(100, 2))
    #expect(merge.record.exceptions == ["notes": .zero])
    #expect(merge.record.unknown?.fields.keys.sorted() == ["color"])
  }

  @Test func aRowOfTheSameKeyMadeHereKeepsItsLaterFields() {
    let merge = Self.merge(
      Self.local(life: Self.at(300)), pending: PendingChange(kind: .save, fields: nil),
      Self.image(title: Self.at(200, 2), notes: Self.at(400, 2), life: Self.at(200, 2)))
    #expect(merge.written == ["notes"])
    #expect(merge.pending == PendingChange(kind: .save, fields: ["title"]))
    #expect(merge.record.life == Self.at(300))
  }

  // MARK: - Life and death

  @Test func aDeletionLaterThanEveryEditWins() {
    let merge = Self.merge(
      Self.local(title: Self.at(300)), pending: PendingChange(kind: .save, fields: ["title"]),
      Self.copy(deletedAt: Self.at(400, 2)))
    #expect(!merge.isAlive)
    #expect(merge.pending == nil)
    #expect(merge.record.isTombstone)
    #expect(merge.record.death == Self.at(400, 2))
  }

  @Test func anEditLaterThanADeletionSendsTheWholeRecordAgain() {
    let merge = Self.merge(
      Self.local(title: Self.at(500)), pending: PendingChange(kind: .save, fields: ["title"]),
      Self.copy(deletedAt: Self.at(400, 2)))
    #expect(merge.isAlive)
    #expect(merge.pending == PendingChange(kind: .save, fields: nil))
    #expect(merge.record.isTombstone)
  }

  @Test func aDeletionOfWhatIsNotHereIsOnlyNoted() {
    let merge = Self.merge(
      RecordMetadata(tableID: 1, key: "r", life: .zero), hasRow: false,
      Self.copy(deletedAt: Self.at(400, 2)))
    #expect(!merge.isAlive)
    #expect(merge.pending == nil)
    #expect(merge.record.death == Self.at(400, 2))
  }

  @Test func ofTwoDeletionsTheLaterIsKept() {
    for (mine, theirs) in [(500, 400), (400, 500)] as [(Int64, Int64)] {
      let merge = Self.merge(
        Self.local(death: Self.at(mine)), pending: PendingChange(kind: .delete, fields: []),
        hasRow: false, Self.copy(deletedAt: Self.at(theirs, 2)))
      #expect(merge.record.death?.milliseconds == 500)
      #expect(merge.pending == (mine > theirs ? PendingChange(kind: .delete, fields: []) : nil))
    }
  }

  @Test func aDeletionHereLaterThanTheirEditIsStillToBeSent() {
    let merge = Self.merge(
      Self.local(death: Self.at(500)), pending: PendingChange(kind: .delete, fields: []),
      hasRow: false, Self.image(title: Self.at(400, 2)))
    #expect(!merge.isAlive)
    #expect(merge.pending == PendingChange(kind: .delete, fields: []))
  }

  @Test func anEditThereLaterThanADeletionHereBringsTheRowBackWhole() {
    let merge = Self.merge(
      Self.local(death: Self.at(500)), pending: PendingChange(kind: .delete, fields: []),
      hasRow: false, Self.image(title: Self.at(600, 2)))
    #expect(merge.isAlive)
    #expect(merge.written == ["title", "notes"])
    #expect(merge.pending == nil)
  }

  @Test func aRecordRevivedThereIsNoTombstoneAnyMore() {
    var local = Self.local(death: Self.at(200, 2))
    local.isTombstone = true
    let merge = Self.merge(
      local, hasRow: false, Self.image(title: Self.at(300, 2), life: Self.at(300, 2)))
    #expect(merge.isAlive)
    #expect(!merge.record.isTombstone)
    #expect(merge.record.life == Self.at(300, 2))
  }

  @Test func aLaterLifeHereIsSentEvenIfNoFieldIsLater() {
    let merge = Self.merge(
      Self.local(life: Self.at(300)), Self.image(title: Self.at(400, 2), notes: Self.at(400, 2)))
    #expect(merge.record.life == Self.at(300))
    #expect(merge.pending == PendingChange(kind: .save, fields: []))
  }

  // MARK: - Any order

  @Test func twoDevicesThatMergeEachOtherEndEqual() {
    let clocks = [Self.at(100), Self.at(200), Self.at(200, 2), Self.at(300, 2)]
    for (mine, theirs) in clocks.flatMap({ one in clocks.map { (one, $0) } }) {
      let here = Self.merge(Self.local(title: mine), Self.image(title: theirs))
      let there = Self.merge(Self.local(title: theirs), Self.image(title: mine))
      #expect(here.record.exceptions == there.record.exceptions)
      #expect(here.record.life == there.record.life)
    }
  }

  @Test func mergingTwiceChangesNothingMore() {
    let copy = Self.image(title: Self.at(300, 2), notes: Self.at(50, 2))
    let once = Self.merge(Self.local(title: Self.at(200)), copy)
    let twice = Self.merge(once.record, pending: once.pending, copy)
    #expect(twice.record == once.record)
    #expect(twice.pending == once.pending)
  }
}
