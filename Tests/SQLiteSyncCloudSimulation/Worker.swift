import Foundation

/// A thread on which a device works, and which stands still in the middle when it is told to.
///
/// Only one thread of a schedule runs at any time: whoever resumes a worker waits until it stalls
/// or is done. So nothing depends on the machine's scheduler, and a seed replays.
///
/// `@unchecked Sendable`: by that rule the properties are never used by two threads at once, and
/// the semaphores order their use.
final class Worker: @unchecked Sendable {
  private let turn = DispatchSemaphore(value: 0)
  private let answer = DispatchSemaphore(value: 0)
  private var work: (() -> Void)?

  init() {
    Thread { [self] in
      while true {
        turn.wait()
        guard let work else { return }
        work()
        self.work = nil
        answer.signal()
      }
    }.start()
  }

  /// Whether work was begun and is not done.
  var isStalled: Bool { work != nil }

  /// Begins to work; returns when the work stalls or is done.
  func start(_ work: @escaping () -> Void) {
    self.work = work
    resume()
  }

  /// Goes on; returns when the work stalls again or is done.
  func resume() {
    turn.signal()
    answer.wait()
  }

  /// Called by the work: stands still until it is resumed.
  func stall() {
    answer.signal()
    turn.wait()
  }

  /// Ends the thread of a worker that is not stalled.
  func end() {
    turn.signal()
  }
}
