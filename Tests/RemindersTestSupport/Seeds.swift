import Synchronization

/// Seeds for several lanes, each of which takes the next one when it is done with its own.
public final class Seeds: Sendable {
  private let left: Mutex<ClosedRange<UInt64>.Iterator>

  /// All of a range.
  public init(_ range: ClosedRange<UInt64>) {
    left = Mutex(range.makeIterator())
  }

  /// The next one; nil when none is left.
  public func next() -> UInt64? { left.withLock { $0.next() } }
}
