import Foundation

@testable import SQLiteSyncCloud

/// The disk of a cloud, which can lose power: what was not made durable may then be gone.
///
/// As in POSIX, a file's name becomes durable by synchronizing its directory, and until then a
/// power cut keeps or drops every change of the directory on its own. The schedules use one zone of
/// one epoch, so the last component of a path tells the directory.
///
/// A device looks at it hundreds of times in a schedule, and there are few directories of few
/// files: they lie in arrays, and no name is hashed.
final class SimulatedDisk {
  struct File {
    let name: String
    let bytes: Data
    /// By the disk's clock.
    let created: Int64
    var isDurable = false
  }

  private struct Directory {
    let name: String
    /// In the order of their names.
    var files: [File] = []
    /// What was deleted, and may come back in a power cut, in the order of the names.
    var deleted: [File] = []
  }

  private var directories: [Directory] = []

  static func directory(_ prefix: StorePrefix) -> String {
    prefix.components.last ?? "/"
  }

  private func index(of directory: String) -> Int? {
    directories.firstIndex { $0.name == directory }
  }

  /// The bytes of a file.
  func bytes(_ key: StoreKey) -> Data? {
    guard let directory = index(of: Self.directory(key.prefix)) else { return nil }
    let (index, isThere) = directories[directory].files.position(of: key.name)
    return isThere ? directories[directory].files[index].bytes : nil
  }

  /// The files of a directory in the order of their names.
  func files(in directory: String) -> [File] {
    index(of: directory).map { directories[$0].files } ?? []
  }

  func put(_ file: File, in prefix: StorePrefix) {
    let name = Self.directory(prefix)
    let directory = index(of: name) ?? directories.endIndex
    if directory == directories.endIndex { directories.append(Directory(name: name)) }
    directories[directory].files.put(file)
    directories[directory].deleted.remove(file.name)
  }

  /// Removes a file; returns whether it was there.
  func delete(_ key: StoreKey) -> Bool {
    guard let directory = index(of: Self.directory(key.prefix)),
      let file = directories[directory].files.remove(key.name)
    else { return false }
    if file.isDurable { directories[directory].deleted.put(file) }
    return true
  }

  /// Makes the names of a directory durable.
  func synchronize(_ prefix: StorePrefix) {
    guard let directory = index(of: Self.directory(prefix)) else { return }
    for index in directories[directory].files.indices {
      directories[directory].files[index].isDurable = true
    }
    directories[directory].deleted.removeAll()
  }

  /// Loses power: drops each change that is not durable, or not.
  ///
  /// - Returns: How many names were lost, and how many deletions were undone.
  func losePower(_ isDropped: () -> Bool) -> (lostNames: Int, undoneDeletions: Int) {
    var count = (lostNames: 0, undoneDeletions: 0)
    directories.sort { $0.name < $1.name }
    for directory in directories.indices {
      for file in directories[directory].files where !file.isDurable {
        if isDropped() {
          directories[directory].files.remove(file.name)
          count.lostNames += 1
        }
      }
      for file in directories[directory].deleted where isDropped() {
        directories[directory].files.put(file)
        count.undoneDeletions += 1
      }
      for index in directories[directory].files.indices {
        directories[directory].files[index].isDurable = true
      }
      directories[directory].deleted = []
    }
    return count
  }
}

/// The files of a directory in the order of their names.
extension [SimulatedDisk.File] {
  /// Where the file of a name is or would be.
  fileprivate func position(of name: String) -> (index: Int, isThere: Bool) {
    // Most looks are at the end of a log.
    var index = endIndex
    while index > startIndex, self[index - 1].name >= name { index -= 1 }
    return (index, index < endIndex && self[index].name == name)
  }

  fileprivate mutating func put(_ file: SimulatedDisk.File) {
    let (index, isThere) = position(of: file.name)
    if isThere { self[index] = file } else { insert(file, at: index) }
  }

  @discardableResult
  fileprivate mutating func remove(_ name: String) -> SimulatedDisk.File? {
    let (index, isThere) = position(of: name)
    return isThere ? remove(at: index) : nil
  }
}
