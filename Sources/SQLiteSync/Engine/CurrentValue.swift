import Synchronization

/// A value that is read at any time, and streams of it: as it is, then each time it changes.
///
/// A change and its sending are one step under the lock, and so are the first look of a stream and
/// its beginning: every stream sees every change in order, and its last value is the current one.
final class CurrentValue<Value: Equatable & Sendable>: Sendable {
  private let current: Mutex<Value>
  private let changes = Broadcast<Value>()

  init(_ value: Value) {
    current = Mutex(value)
  }

  var value: Value { current.withLock { $0 } }

  /// A new stream: the value now, then each other value that it takes.
  func stream() -> AsyncStream<Value> {
    current.withLock { changes.stream(startingWith: $0) }
  }

  /// Changes the value; says whether it is another one now.
  @discardableResult
  func update(_ change: (inout Value) -> Void) -> Bool {
    current.withLock { value in
      let before = value
      change(&value)
      guard value != before else { return false }
      changes.send(value)
      return true
    }
  }

  func finish() {
    changes.finish()
  }
}
