import Foundation
import SQLiteSyncCloud
import Synchronization

/// A clock that stands still until a test moves it, and a source of numbers that repeats.
public final class TestClock: Sendable {
  private let milliseconds: Mutex<Int64>
  private let generator: Mutex<SplitMix64>

  /// A clock at a moment of 2026, with numbers that follow from `seed`.
  public init(milliseconds: Int64 = 1_795_000_000_000, seed: UInt64 = 1) {
    self.milliseconds = Mutex(milliseconds)
    generator = Mutex(SplitMix64(seed: seed))
  }

  /// A clock that goes on from where another one is, with the same numbers.
  public init(copying other: TestClock) {
    milliseconds = Mutex(other.now)
    generator = Mutex(other.generator.withLock { $0 })
  }

  /// Milliseconds since 1970.
  public var now: Int64 { milliseconds.withLock { $0 } }

  /// The clock of a server, which is ten years off in half of the seeds.
  public func server(seed: UInt64) -> @Sendable () -> Int64 {
    let tenYears: Int64 = 10 * 365 * 86_400_000
    let offset = [0, tenYears, 0, -tenYears][Int(seed / 8 % 4)]
    return { self.now + offset }
  }

  /// Lets time pass.
  public func advance(milliseconds: Int64 = 1) {
    self.milliseconds.withLock { $0 += milliseconds }
  }

  /// The next number.
  public func random() -> UInt64 {
    generator.withLock { $0.next() }
  }

  /// The next identifier.
  public func makeID() -> UUID {
    let (high, low) = (random(), random())
    let bytes = withUnsafeBytes(of: (high, low)) { Array($0) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// A cloud's environment on this clock, where waiting takes no time.
  public var environment: CloudEnvironment {
    CloudEnvironment(
      now: { self.now }, makeID: { self.makeID() }, random: { self.random() },
      pause: { self.advance(milliseconds: $0) })
  }
}

/// A small generator of pseudo-random numbers (Steele, Lea and Flood, 2014): the seed is the
/// schedule.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose numbers follow from `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number of the seeded sequence.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

extension UUID {
  /// The identifier that follows from a number.
  public init(_ number: UInt64) {
    var generator = SplitMix64(seed: number)
    let words = (generator.next(), generator.next())
    self = withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
