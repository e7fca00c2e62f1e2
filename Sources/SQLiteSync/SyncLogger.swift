import Foundation

/// Where an engine's log goes.
///
/// With the package's trait `SwiftLog` there is one that takes a `Logger` of swift-log.
public struct SyncLogger: Sendable {
  /// Takes a fact and when it was, in milliseconds since 1970.
  let write: (@Sendable (SyncEvent, Int64) -> Void)?

  /// Nowhere.
  public static let off = SyncLogger(write: nil)

  /// To the standard error, with the time of day in UTC.
  public static let standardError = SyncLogger { text in
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// To a function, which is called on the engine's queue with the lines of one event: see
  /// `SyncLog`.
  public init(_ write: @escaping @Sendable (String) -> Void) {
    self.init { event, time in write(SyncLog.text(for: event, atMilliseconds: time)) }
  }

  init(write: (@Sendable (SyncEvent, Int64) -> Void)?) {
    self.write = write
  }
}
