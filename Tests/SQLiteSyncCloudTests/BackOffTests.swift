import Testing

@testable import SQLiteSyncCloud

/// How long one waits for a server.
@Suite struct BackOffTests {
  @Test func theFirstPauseIsASecondAndNoneIsLongerThanHalfAMinute() {
    var backOff = BackOff()
    #expect((0..<7).map { _ in backOff.next() } == [1, 2, 4, 8, 16, 30, 30])
    #expect(BackOff.doubling(.max) == 30)
  }

  @Test func afterAnAnswerItBeginsAnew() {
    var backOff = BackOff()
    _ = (0..<3).map { _ in backOff.next() }
    backOff.reset()
    #expect(backOff.next() == 1)
  }
}
