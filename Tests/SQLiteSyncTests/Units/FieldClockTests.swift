import SQLiteSyncCloud
import Testing

/// The clocks that merges compare.
struct FieldClockTests {
  @Test func theMillisecondsCountBeforeTheDevice() {
    let early = FieldClock(milliseconds: 1, device: .max)
    let late = FieldClock(milliseconds: 2, device: 0)
    #expect(early < late)
    #expect(FieldClock(milliseconds: 2, device: 0) < FieldClock(milliseconds: 2, device: 1))
  }

  @Test func theDeviceKeepsItsBits() {
    let clock = FieldClock(milliseconds: 1_795_000_000_000, device: 0xABCD)
    #expect(clock.milliseconds == 1_795_000_000_000)
    #expect(clock.device == 0xABCD)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 99, 100, 101, 4_102_444_800_000, Int64.max])
  func anEditIsLaterThanWhatItWasMadeOn(wallClock: Int64) {
    let before = FieldClock(milliseconds: 100, device: .max)
    let after = before.edited(atMilliseconds: wallClock, device: 0)
    #expect(after > before)
    #expect(after <= .limit)
  }

  @Test func anEditInTheNormalCourseHasItsOwnTime() {
    let before = FieldClock(milliseconds: 100, device: 3)
    #expect(
      before.edited(atMilliseconds: 200, device: 5) == FieldClock(milliseconds: 200, device: 5))
  }

  @Test func theFirstEditHasItsOwnTimeEvenAtTheEpoch() {
    #expect(
      FieldClock.zero.edited(atMilliseconds: 0, device: 5) == FieldClock(milliseconds: 0, device: 5)
    )
  }

  @Test(arguments: [
    (Int64.min, FieldClock.zero), (-1, .zero), (0, .zero), (Int64.max, .limit),
    (FieldClock.limit.rawValue + 1, .limit), (FieldClock.limit.rawValue, .limit),
  ])
  func aClockFromOutsideIsBroughtIntoBounds(rawValue: Int64, expected: FieldClock) {
    #expect(FieldClock(rawValue: rawValue).clamped == expected)
  }

  @Test func nothingIsLaterThanTheLimit() {
    #expect(FieldClock.limit.edited(atMilliseconds: .max, device: .max) == .limit)
  }
}
