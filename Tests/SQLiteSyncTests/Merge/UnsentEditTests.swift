import Foundation
import GRDB
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What becomes of an unsent edit when another version comes.
struct UnsentEditTests {
  private func clock(_ milliseconds: Int64, _ device: UInt16) -> FieldClock {
    FieldClock(milliseconds: milliseconds, device: device)
  }

  private func edits(_ clocks: FieldClock...) -> SeenEdits {
    clocks.reduce(into: SeenEdits()) { $0.insert($1) }
  }

  /// Of device 1: 5 became 7 at 10.
  private func edit(
    base: UnsentEdit.Base = .value(5.databaseValue), sent: [FieldClock: DatabaseValue] = [:],
    known: SeenEdits = SeenEdits()
  ) -> UnsentEdit {
    UnsentEdit(
      mine: 7.databaseValue, clock: clock(10, 1), base: base, sent: sent, known: known)
  }

  private func outcome(
    _ edit: UnsentEdit, _ theirs: CloudValue, at clock: FieldClock, with edits: SeenEdits
  ) -> UnsentEdit.Outcome {
    edit.outcome(meeting: CloudField(theirs, clock), with: edits, by: .counter)
  }

  @Test func anotherEditIsMerged() {
    #expect(
      outcome(edit(), .integer(15), at: clock(9, 2), with: edits(clock(9, 2)))
        == .merged(17.databaseValue))
    // A program that knows of no policy has edited it: it says nothing of what is in it.
    #expect(
      outcome(edit(), .integer(15), at: clock(9, 2), with: SeenEdits())
        == .merged(17.databaseValue))
  }

  @Test func anEditThatIsInTheVersionDoesNotCountAgain() {
    let theirs = edits(clock(10, 1), clock(20, 2))
    #expect(outcome(edit(), .integer(17), at: clock(20, 2), with: theirs) == .lastEdit)
    #expect(outcome(edit(), .integer(7), at: clock(10, 1), with: SeenEdits()) == .lastEdit)
  }

  @Test func ofWhatWasSentOnlyWhatCameAfterCounts() {
    let sent = [clock(4, 1): 6.databaseValue, clock(3, 1): 100.databaseValue]
    let theirs = edits(clock(4, 1), clock(20, 2))
    #expect(
      outcome(edit(sent: sent), .integer(16), at: clock(20, 2), with: theirs)
        == .merged(17.databaseValue))
    #expect(
      outcome(edit(base: .unknown, sent: sent), .integer(16), at: clock(20, 2), with: theirs)
        == .merged(17.databaseValue))
    // None of it got there.
    #expect(
      outcome(edit(sent: sent), .integer(15), at: clock(20, 2), with: edits(clock(20, 2)))
        == .merged(17.databaseValue))
  }

  @Test func theVersionThatItWasMadeOfChangesNothing() {
    let known = edits(clock(3, 2))
    #expect(
      outcome(edit(known: known), .integer(5), at: clock(3, 2), with: known) == .stands)
    #expect(outcome(edit(), .integer(5), at: clock(3, 2), with: SeenEdits()) == .stands)
  }

  /// As at the beginning of a full fetch.
  @Test func anOlderVersionChangesNothing() {
    let known = edits(clock(3, 2), clock(4, 3))
    #expect(
      outcome(edit(known: known), .integer(1), at: clock(3, 2), with: edits(clock(3, 2)))
        == .stands)
  }

  @Test func ofWhatIsNotMadeOfTheBaseTheLaterEditWins() {
    let known = edits(clock(3, 2))
    #expect(
      outcome(edit(known: known), .integer(1), at: clock(9, 4), with: edits(clock(9, 4)))
        == .lastEdit)
    #expect(
      outcome(edit(base: .unknown), .integer(1), at: clock(9, 4), with: edits(clock(9, 4)))
        == .lastEdit)
  }

  @Test func whatCannotBeMergedGoesToTheLaterEdit() {
    let theirs = edits(clock(9, 2))
    #expect(outcome(edit(), .text("x"), at: clock(9, 2), with: theirs) == .lastEdit)
    #expect(outcome(edit(), .null, at: clock(9, 2), with: theirs) == .lastEdit)
    let asset = AssetReference(name: "a", byteCount: 1)
    #expect(outcome(edit(), .asset(asset), at: clock(9, 2), with: theirs) == .lastEdit)
    for value in ["a\0b".databaseValue, Data(count: 5_000).databaseValue] {
      let policy = MergePolicy.custom("bad") { _, _, _ in value }
      #expect(
        edit().outcome(
          meeting: CloudField(.integer(9), clock(9, 2)), with: theirs, by: policy) == .lastEdit)
    }
  }

  @Test func rowsThatBothMadeCountFromNothing() {
    #expect(
      outcome(edit(base: .value(nil)), .integer(15), at: clock(9, 2), with: edits(clock(9, 2)))
        == .merged(22.databaseValue))
  }

  // MARK: - The note

  @Test func aNoteIsReadAsItWasWritten() {
    var note = MergeNote(policy: "counter")
    note.edits.insert(clock(5, 1))
    note.edits.insert(clock(9, 2))
    note.edits.insert(clock(7, 1))
    note.edits.insert(clock(6, 1))
    #expect(note.edits.clocks == [clock(9, 2), clock(7, 1)])
    #expect(note.text == "counter \(clock(9, 2).rawValue) \(clock(7, 1).rawValue)")
    #expect(MergeNote(CloudField(.text(note.text), .zero)) == note)
  }

  @Test(arguments: [
    "", " 1", "counter x", "counter 1 ", "counter  1", "counter 99999999999999999999",
  ])
  func aNoteThatCannotBeReadIsNone(text: String) {
    #expect(MergeNote(CloudField(.text(text), .zero)) == nil)
    #expect(MergeNote(CloudField(.integer(1), .zero)) == nil)
  }

  @Test func aNoteOfTooManyDevicesKeepsTheLatest() {
    var note = MergeNote(policy: "counter")
    for device in 1...100 { note.edits.insert(clock(Int64(device), UInt16(device))) }
    #expect(note.edits.clocks.count == SeenEdits.limit)
    #expect(note.edits.contains(clock(100, 100)) && !note.edits.contains(clock(1, 1)))
    #expect(note.edits.mayHaveDropped(clock(1, 1)))
    // Nobody knows whether it is in the version if it was sent; else it is not.
    let full = note.edits
    var early = UnsentEdit(
      mine: 7.databaseValue, clock: clock(2, 1), base: .value(5.databaseValue))
    #expect(
      outcome(early, .integer(9), at: clock(100, 100), with: full) == .merged(11.databaseValue))
    early.sent = [clock(2, 1): 7.databaseValue]
    #expect(outcome(early, .integer(9), at: clock(100, 100), with: full) == .lastEdit)
    let hostile = "counter " + (1...500).map { "\($0 << 16 | $0)" }.joined(separator: " ")
    #expect(MergeNote(CloudField(.text(hostile), .zero))?.edits.clocks.count == SeenEdits.limit)
  }
}
