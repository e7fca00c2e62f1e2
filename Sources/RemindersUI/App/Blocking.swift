import Dispatch

/// Work that waits for a disk.
///
/// Tasks share as many threads as there are processors: two files on a mount that does not respond
/// would hold up every query. So each piece of such work has a queue, and with it a thread, of its
/// own.
enum Blocking {
  /// Runs it, and suspends meanwhile.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async -> Result<Value, any Error> {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "RemindersUI.blocking", qos: .userInitiated).async {
        continuation.resume(returning: Result { try work() })
      }
    }
  }
}
