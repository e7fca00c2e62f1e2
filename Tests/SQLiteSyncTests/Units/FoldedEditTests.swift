import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What a run of entries of the edit log comes to, in every order in which triggers can write them.
struct FoldedEditTests {
  typealias Kind = CaptureTriggers.Kind

  private static let names = [0: "title", 1: "notes", 59: "last", 60: "sixtieth"]
  private static let title: Int64 = 1
  private static let notes: Int64 = 2

  private static func fold(_ entries: (kind: Kind, mask: Int64, at: Int64)...) -> FoldedEdit {
    FoldedEdit(
      entries.map { EditLog.Entry(kind: $0.kind.rawValue, mask: $0.mask, at: $0.at) },
      names: names)
  }

  // MARK: - Without a deletion

  @Test func nothingIsNoEdit() {
    #expect(Self.fold().isEmpty)
  }

  @Test func anUpdateIsAnEditOfTheFieldsOfItsMask() {
    let edit = Self.fold((.update, Self.title | Self.notes, 10))
    #expect(edit.fields == ["title": 10, "notes": 10])
    #expect(edit.createdAt == nil)
    #expect(edit.deletedAt == nil)
  }

  @Test func anUpdateThatChangedNothingIsNoEdit() {
    #expect(Self.fold((.update, 0, 10)).isEmpty)
  }

  @Test func eachFieldKeepsTheTimeOfItsOwnEdit() {
    let edit = Self.fold((.update, Self.title, 10), (.update, Self.notes, 20))
    #expect(edit.fields == ["title": 10, "notes": 20])
  }

  @Test func ofSeveralEditsOfAFieldTheLatestTimeCountsEvenIfTheWallClockWentBack() {
    #expect(Self.fold((.update, 1, 10), (.update, 1, 20)).fields == ["title": 20])
    #expect(Self.fold((.update, 1, 20), (.update, 1, 10)).fields == ["title": 20])
  }

  @Test func theBitsOfALaterChunkAreTheFieldsFromSixty() {
    let entry = EditLog.Entry(kind: Kind.update.rawValue + Kind.count, mask: 1, at: 10)
    let edge = EditLog.Entry(kind: Kind.update.rawValue, mask: 1 << 59, at: 11)
    #expect(FoldedEdit([entry, edge], names: Self.names).fields == ["sixtieth": 10, "last": 11])
  }

  @Test func aColumnThatWasDroppedSinceIsNoEdit() {
    #expect(FoldedEdit([EditLog.Entry(kind: 1, mask: 4, at: 10)], names: Self.names).isEmpty)
  }

  @Test func anInsertIsANewRow() {
    let edit = Self.fold((.insert, -1, 10))
    #expect(edit.createdAt == 10)
    #expect(edit.fields.isEmpty)
    #expect(!edit.isDeletion)
  }

  @Test func anUpdateAfterAnInsertKeepsItsOwnTime() {
    let edit = Self.fold((.insert, -1, 10), (.update, Self.title, 20))
    #expect(edit.createdAt == 10)
    #expect(edit.fields == ["title": 20])
  }

  @Test func anUpdateBeforeOrAtItsInsertIsPartOfIt() {
    #expect(Self.fold((.update, Self.title, 10), (.insert, -1, 10)).fields.isEmpty)
    #expect(Self.fold((.insert, -1, 10), (.update, Self.title, 10)).fields.isEmpty)
  }

  // MARK: - With a deletion

  @Test(arguments: [Kind.insert, .update])
  func whateverWasBeforeADeletionIsGoneWithIt(before: Kind) {
    let edit = Self.fold((before, Self.title, 10), (.delete, -1, 20))
    #expect(edit.deletedAt == 20)
    #expect(edit.createdAt == nil)
    #expect(edit.fields.isEmpty)
    #expect(edit.isDeletion)
  }

  @Test func anInsertAfterADeletionIsANewLife() {
    let edit = Self.fold((.delete, -1, 10), (.insert, -1, 20), (.update, Self.notes, 30))
    #expect(edit.deletedAt == 10)
    #expect(edit.createdAt == 20)
    #expect(edit.fields == ["notes": 30])
    #expect(!edit.isDeletion)
  }

  @Test func theLastOfSeveralDeletionsCounts() {
    let edit = Self.fold((.delete, -1, 10), (.insert, -1, 20), (.delete, -1, 30))
    #expect(edit.deletedAt == 30)
    #expect(edit.isDeletion)
  }

  // MARK: - Replacements

  @Test func aReplacementIsAnEditOfTheFieldsThatDiffer() {
    let edit = Self.fold((.replace, Self.notes, 10), (.insert, -1, 10))
    #expect(edit.createdAt == nil)
    #expect(edit.fields == ["notes": 10])
  }

  @Test func aReplacementByTheSameIsNoEdit() {
    #expect(Self.fold((.replace, 0, 10), (.insert, -1, 10)).isEmpty)
  }

  @Test func anInsertThatWasIgnoredIsNoEdit() {
    #expect(Self.fold((.replace, Self.title, 10)).isEmpty)
  }

  @Test func anUpsertIsAnEditOfWhatItUpdated() {
    let edit = Self.fold((.replace, Self.title | Self.notes, 10), (.update, Self.notes, 10))
    #expect(edit.fields == ["notes": 10])
  }

  @Test func whatAnIgnoredInsertWouldHaveChangedIsNotPartOfALaterReplacement() {
    let edit = Self.fold(
      (.replace, Self.title, 10), (.replace, Self.notes, 20), (.insert, -1, 20))
    #expect(edit.fields == ["notes": 20])
  }

  @Test func aReplacementOfAWideRowIsOneEdit() {
    let entries = [
      EditLog.Entry(kind: Kind.replace.rawValue, mask: Self.title, at: 10),
      EditLog.Entry(kind: Kind.replace.rawValue + Kind.count, mask: 1, at: 10),
      EditLog.Entry(kind: Kind.insert.rawValue, mask: -1, at: 10),
    ]
    for order in [entries, [entries[1], entries[0], entries[2]]] {
      #expect(FoldedEdit(order, names: Self.names).fields == ["title": 10, "sixtieth": 10])
    }
  }

  @Test func anInsertIgnoredBeforeADeletionIsForgotten() {
    let edit = Self.fold((.replace, Self.title, 10), (.delete, -1, 20), (.insert, -1, 30))
    #expect(edit.deletedAt == 20)
    #expect(edit.createdAt == 30)
  }

  @Test func anEditAfterAReplacementIsKept() {
    let edit = Self.fold(
      (.update, Self.title, 5), (.replace, Self.notes, 10), (.insert, -1, 10),
      (.update, Self.title, 20))
    #expect(edit.fields == ["title": 20, "notes": 10])
  }
}

/// What an edit makes of what is known of the record.
struct AppliedEditTests {
  private static let device: UInt16 = 7

  private func clock(_ milliseconds: Int64, device: UInt16 = Self.device) -> FieldClock {
    FieldClock(milliseconds: milliseconds, device: device)
  }

  private func fold(_ entries: (kind: CaptureTriggers.Kind, mask: Int64, at: Int64)...)
    -> FoldedEdit
  {
    FoldedEdit(
      entries.map { EditLog.Entry(kind: $0.kind.rawValue, mask: $0.mask, at: $0.at) },
      names: [0: "title", 1: "notes"])
  }

  private var unknown: RecordMetadata { RecordMetadata(tableID: 1, key: "r", life: .zero) }
  private var known: RecordMetadata {
    RecordMetadata(tableID: 1, key: "r", life: clock(100, device: 1))
  }

  @Test func aNewRowIsPendingWhole() {
    let (record, pending) = fold((.insert, -1, 10))
      .applied(to: unknown, pending: nil, device: Self.device)
    #expect(record.life == clock(10))
    #expect(record.exceptions.isEmpty)
    #expect(pending == PendingChange(kind: .save, fields: nil))
  }

  @Test func anEditIsStampedWithItsTime() {
    let (record, pending) = fold((.update, 1, 200))
      .applied(to: known, pending: nil, device: Self.device)
    #expect(record.clock(of: "title") == clock(200))
    #expect(record.clock(of: "notes") == clock(100, device: 1))
    #expect(pending == PendingChange(kind: .save, fields: ["title"]))
  }

  @Test func anEditByASlowWallClockIsStampedLaterThanWhatTheFieldHeld() {
    let (record, _) = fold((.update, 1, 50)).applied(to: known, pending: nil, device: Self.device)
    #expect(record.clock(of: "title") == clock(101))
  }

  /// A revived record may hold older clocks than this device gave before its deletion.
  @Test func editOfRevivedRecordIsLaterThanItsDeletion() {
    var revived = known
    revived.death = clock(300)
    revived.setClock(clock(400, device: 1), of: "notes")
    let (record, _) = fold((.update, 1, 200))
      .applied(to: revived, pending: nil, device: Self.device)
    #expect(record.clock(of: "title") == clock(301))
  }

  @Test func editsAddToWhatIsPending() {
    let before = PendingChange(kind: .save, fields: ["notes"])
    let (_, pending) = fold((.update, 1, 200))
      .applied(to: known, pending: before, device: Self.device)
    #expect(pending == PendingChange(kind: .save, fields: ["title", "notes"]))
  }

  @Test func anEditOfANewRowLeavesItPendingWhole() {
    let before = PendingChange(kind: .save, fields: nil)
    let (_, pending) = fold((.update, 1, 200))
      .applied(to: known, pending: before, device: Self.device)
    #expect(pending == before)
  }

  @Test func aDeletionIsStampedLaterThanEveryField() {
    var record = known
    record.setClock(clock(500, device: 1), of: "notes")
    let result = fold((.delete, -1, 50)).applied(to: record, pending: nil, device: Self.device)
    #expect(result.record.death == clock(501))
    #expect(!result.record.isAlive)
    #expect(result.pending == PendingChange(kind: .delete, fields: []))
  }

  @Test func aRowInsertedAgainIsPendingWholeAndLaterThanItsDeath() {
    var record = known
    record.death = clock(300, device: 1)
    let result = fold((.insert, -1, 200))
      .applied(
        to: record, pending: PendingChange(kind: .delete, fields: []), device: Self.device)
    #expect(result.record.life == clock(301))
    #expect(result.record.isAlive)
    #expect(result.pending == PendingChange(kind: .save, fields: nil))
  }

  @Test func anEditIsLaterThanADeletionThatWasOverruled() {
    var record = known
    record.death = clock(300, device: 1)
    record.setClock(clock(400, device: 1), of: "notes")
    let (edited, _) = fold((.update, 1, 200))
      .applied(to: record, pending: nil, device: Self.device)
    #expect(edited.clock(of: "title") == clock(301))
    #expect(edited.clock(of: "notes") == clock(400, device: 1))
  }

  @Test func deletedAndInsertedInOneRunIsANewLifeAndNoDeletion() {
    let result = fold((.delete, -1, 200), (.insert, -1, 200))
      .applied(to: known, pending: nil, device: Self.device)
    #expect(result.record.death == clock(200))
    #expect(result.record.life == clock(201))
    #expect(result.pending == PendingChange(kind: .save, fields: nil))
  }

  @Test func whatIsMadeBetweenTwoDeletionsIsALaterEditThanWhatWasBefore() {
    let result = fold(
      (.update, 1, 150), (.delete, -1, 200), (.insert, -1, 300), (.update, 2, 400),
      (.delete, -1, 500)
    ).applied(to: known, pending: nil, device: Self.device)
    #expect(result.record.clock(of: "title") == clock(300))
    #expect(result.record.clock(of: "notes") == clock(400))
    #expect(result.record.death == clock(500))
    #expect(result.pending == PendingChange(kind: .delete, fields: []))
  }

  @Test func anEditOfARowWithoutMetadataIsANewRecord() {
    let (record, pending) = fold((.update, 1, 10))
      .applied(to: unknown, pending: nil, device: Self.device)
    #expect(record.life == clock(10))
    #expect(pending == PendingChange(kind: .save, fields: nil))
  }
}
