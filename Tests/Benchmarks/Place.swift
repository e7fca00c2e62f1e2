import Foundation

/// A directory of this run's own, removed at the end.
final class Place: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "reminders-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("\(url.path) could not be removed: \(error)")
    }
  }

  /// The bytes of all files.
  func byteCount() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).reduce(0) { total, path in
      let attributes = try FileManager.default.attributesOfItem(
        atPath: url.appending(path: path).path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      return total + (isFile ? attributes[.size] as? Int ?? 0 : 0)
    }
  }
}
