/// Finds one thing at a time, off the main actor: always what is wanted last.
///
/// What is slow for a whole series of wishes, as while the cursor moves over photographs, is done
/// for the last of them only.
@MainActor
final class Errand<Request: Equatable & Sendable, Value: Sendable> {
  private let work: @Sendable (Request) throws -> Value
  private let report: @MainActor (Request, Result<Value, Problem>) -> Void
  private let ended: @MainActor () -> Void
  private var wanted: Request?
  /// What was found last, as long as it is wanted.
  private var found: Request?
  private(set) var isRunning = false

  /// An errand that reports what is found, and says of everything else that it ended.
  init(
    work: @escaping @Sendable (Request) throws -> Value,
    report: @escaping @MainActor (Request, Result<Value, Problem>) -> Void,
    ended: @escaping @MainActor () -> Void
  ) {
    self.work = work
    self.report = report
    self.ended = ended
  }

  /// Wants something else, or nothing any more.
  func follow(_ request: Request?) {
    guard request != wanted else { return }
    wanted = request
    if request != found { found = nil }
    runNext()
  }

  private func runNext() {
    guard !isRunning, let request = wanted, request != found else { return }
    isRunning = true
    let work = work
    Task {
      let result = await Blocking.run { try work(request) }
      isRunning = false
      if request == wanted {
        found = request
        report(request, result.mapError { Problem($0) })
      } else {
        ended()
      }
      runNext()
    }
  }
}
