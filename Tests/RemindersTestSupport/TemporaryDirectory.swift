import Foundation

/// A directory of a test's own, removed with everything in it when released.
public final class TemporaryDirectory: Sendable {
  /// Where it is.
  public let url: URL

  /// Creates the directory.
  public init() throws {
    let name = "reminders-test-" + UUID().uuidString
    url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("\(url.path) could not be removed: \(error)")
    }
  }
}
