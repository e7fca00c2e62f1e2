import Dispatch

/// Waits on the main queue.
@MainActor
enum MainTimer {
  /// Returns after a while, by the wall clock: what is waited for are times of day, also while the
  /// machine sleeps.
  ///
  /// `Task.sleep` ends on one of the few threads that all tasks share, as many as processors: where
  /// each is reading notes of megabytes, it is late by as long as that takes.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  static func wait(seconds: Double) async throws {
    let (ends, continuation) = AsyncStream.makeStream(of: Never.self)
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.setEventHandler { continuation.finish() }
    timer.schedule(wallDeadline: .now() + max(0, seconds), leeway: .milliseconds(1))
    timer.activate()
    defer { timer.cancel() }
    for await _ in ends {}
    try Task.checkCancellation()
  }
}
