import Testing

@testable import RemindersCore

/// What becomes of an occurrence that was completed as the last one: each case of the table.
struct LastCompletionTests {
  private typealias Facts = [WritableKeyPath<LastCompletion, Bool>]

  private static func outcomes(_ facts: Facts, among others: Facts) -> Set<LastCompletion.Outcome> {
    Set(
      (0..<(1 << others.count)).map { bits in
        var one = LastCompletion()
        for fact in facts { one[keyPath: fact] = true }
        for (place, fact) in others.enumerated() where bits >> place & 1 == 1 {
          one[keyPath: fact] = true
        }
        return one.outcome
      })
  }

  @Test func `beside another one it gets a row, unless that is there or was deleted`() {
    let others: Facts = [\.isLast, \.isPresent, \.isCompleted]
    #expect(Self.outcomes([\.isBesideAnother], among: others) == [.keep])
    #expect(
      Self.outcomes([\.isBesideAnother, \.isKept], among: others + [\.isDeleted]) == [.leave])
    #expect(
      Self.outcomes([\.isBesideAnother, \.isDeleted], among: others + [\.isKept]) == [.leave])
  }

  @Test func `what still is the last one ends the series`() {
    let others: Facts = [\.isKept, \.isDeleted, \.isPresent, \.isCompleted]
    #expect(Self.outcomes([\.isLast], among: others) == [.finish])
  }

  @Test func `what is not the last one any more gets a row`() {
    let others: Facts = [\.isDeleted, \.isPresent, \.isCompleted]
    #expect(Self.outcomes([], among: others) == [.keepAndReopen])
  }

  @Test func `its completion is not that of the one at which the reminder is`() {
    let others: Facts = [\.isDeleted]
    #expect(Self.outcomes([\.isKept, \.isCompleted], among: others) == [.reopen])
    #expect(Self.outcomes([\.isKept, \.isCompleted, \.isPresent], among: others) == [.leave])
    #expect(Self.outcomes([\.isKept], among: others + [\.isPresent]) == [.leave])
  }
}
