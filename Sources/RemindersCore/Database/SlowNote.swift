import Dispatch
import Synchronization

/// Says that something takes long, once it has taken a second.
package final class SlowNote: Sendable {
  private let isOver = Atomic(false)

  /// Something that has begun.
  ///
  /// - Parameter say: Called after a second, unless it is over by then.
  package init(_ say: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self] in
      if !isOver.load(ordering: .relaxed) { say() }
    }
  }

  /// Hears that it is over, or need not be waited for any more.
  package func end() { isOver.store(true, ordering: .relaxed) }
}
