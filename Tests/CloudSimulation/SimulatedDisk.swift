import Foundation

@testable import Cloud

/// The disk of a cloud, which can lose power: what was not made durable may then be gone.
///
/// As in POSIX, a file's name becomes durable by synchronizing its directory, and until then a
/// power cut keeps or drops every change of the directory on its own. The schedules use one zone of
/// one epoch, so the last component of a path tells the directory.
struct SimulatedDisk {
  struct File {
    let bytes: Data
    /// By the disk's clock.
    let created: Int64
    /// The device that created it.
    let maker: Int
    var isDurable = false
  }

  struct Directory {
    var files: [String: File] = [:]
    /// What was deleted, and may come back in a power cut.
    var deleted: [String: File] = [:]
  }

  private(set) var directories: [String: Directory] = [:]

  static func directory(_ prefix: StorePrefix) -> String {
    prefix.components.last ?? "/"
  }

  subscript(key: StoreKey) -> File? {
    directories[Self.directory(key.prefix)]?.files[key.name]
  }

  func files(in prefix: StorePrefix) -> [String: File] {
    directories[Self.directory(prefix)]?.files ?? [:]
  }

  mutating func put(_ file: File, at key: StoreKey) {
    let directory = Self.directory(key.prefix)
    directories[directory, default: Directory()].files[key.name] = file
    directories[directory]?.deleted[key.name] = nil
  }

  mutating func delete(_ key: StoreKey) -> Bool {
    let directory = Self.directory(key.prefix)
    guard let file = directories[directory]?.files.removeValue(forKey: key.name) else {
      return false
    }
    if file.isDurable { directories[directory]?.deleted[key.name] = file }
    return true
  }

  /// Makes the names of a directory durable.
  mutating func synchronize(_ prefix: StorePrefix) {
    let directory = Self.directory(prefix)
    guard var contents = directories.removeValue(forKey: directory) else { return }
    for name in Array(contents.files.keys) { contents.files[name]?.isDurable = true }
    contents.deleted = [:]
    directories[directory] = contents
  }

  /// Loses power: drops each change that is not durable, or not.
  ///
  /// - Returns: How many names were lost, and how many deletions were undone.
  mutating func losePower(
    _ isDropped: () -> Bool
  ) -> (lostNames: Int, undoneDeletions: Int) {
    var count = (lostNames: 0, undoneDeletions: 0)
    for (directory, contents) in directories.sorted(by: { $0.key < $1.key }) {
      var after = Directory(files: contents.files)
      for (name, file) in contents.files.sorted(by: { $0.key < $1.key }) where !file.isDurable {
        if isDropped() {
          after.files[name] = nil
          count.lostNames += 1
        } else {
          after.files[name]?.isDurable = true
        }
      }
      for (name, file) in contents.deleted.sorted(by: { $0.key < $1.key }) where isDropped() {
        after.files[name] = file
        count.undoneDeletions += 1
      }
      directories[directory] = after
    }
    return count
  }
}
