import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// For how long a cloud remembers deletions, whose log a device folds with a clock that may be
/// wrong.
struct RememberedDeletionTests {
  private static let day: Int64 = 86_400_000

  private let clock: TestClock
  private let fleet: Fleet
  private let ann: Device

  init() throws {
    let clock = TestClock()
    self.clock = clock
    fleet = try Fleet(store: MemoryStore { clock.now }, clock: clock)
    ann = try fleet.device()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home'), ('m', 'Work')")
    try ann.sync()
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try ann.sync()
  }

  /// Lets the log grow until it is folded.
  private func fold() throws {
    let before = ann.folds
    for number in 0..<260 {
      try ann.execute(
        "UPDATE lists SET title = ?", [String(repeating: "x", count: 5_000) + "\(number)"])
      try ann.sync()
    }
    for _ in 1...2 {
      clock.advance(milliseconds: 3_700_000)
      ann.synchronizer.maintainIfDue()
    }
    #expect(ann.folds == before + 1)
  }

  /// Lets days pass on each of which the device synchronizes.
  private func pass(days: Int) throws {
    for _ in 0..<days {
      clock.advance(milliseconds: Self.day)
      try ann.sync()
    }
  }

  /// Whether a device that has known nothing hears of the deletion.
  private func isRemembered() throws -> Bool {
    let device = try fleet.device()
    try device.sync()
    return try device.knowledge()["l:lists in default"] != nil
  }

  @Test func aClockThatIsFastForAnHourHasNothingForgotten() throws {
    clock.advance(milliseconds: 200 * Self.day)
    try fold()
    clock.advance(milliseconds: -200 * Self.day)
    #expect(try isRemembered())
  }

  @Test func aClockThatIsAlwaysFastHasNothingForgottenBefore() throws {
    clock.advance(milliseconds: 400 * Self.day)
    try pass(days: 100)
    try fold()
    #expect(try isRemembered())
  }

  @Test func afterSoManyDaysItIsForgotten() throws {
    try pass(days: 185)
    try fold()
    #expect(try !isRemembered())
  }

  @Test func aDayIsCountedOnceOnTheWayOfTheClockThereAndBack() throws {
    try pass(days: 3)
    let count = "SELECT count(*) FROM sync_log_days"
    let before = try ann.rows(count)
    try ann.relaunch()
    try ann.sync()
    #expect(try ann.rows(count) == before)
    clock.advance(milliseconds: 400 * Self.day)
    try ann.sync()
    clock.advance(milliseconds: -400 * Self.day)
    try ann.sync()
    #expect(try ann.rows("SELECT count(*) - 1 FROM sync_log_days") == before)
  }

  @Test func noMoreDaysAreKeptThanAreAskedFor() throws {
    try pass(days: 200)
    #expect(try ann.rows("SELECT count(*) FROM sync_log_days") == ["182"])
  }
}

extension Device {
  /// How often it has folded a log.
  fileprivate var folds: Int {
    events.count { if case .maintained(folded: true, _) = $0 { true } else { false } }
  }
}
