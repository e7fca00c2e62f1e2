import Foundation
import Glibc

/// The files that the app makes: nobody but the user may read them, whatever the umask and the
/// directory allow.
package enum PrivateFile {
  /// For the owner to read and write.
  static let permissions: mode_t = 0o600

  /// Writes a new file.
  ///
  /// - Throws: `FileError` when it cannot be written, or there is something already.
  package static func create(_ data: Data, at url: URL) throws(FileError) {
    let file = try OrdinaryFile(url.path, O_WRONLY | O_CREAT | O_EXCL)
    do throws(FileError) {
      try file.write(data)
    } catch {
      // Half a file would look like a whole one.
      unlink(url.path)
      throw error
    }
  }

  /// Writes a file whole, or leaves the one that is there.
  ///
  /// - Throws: `FileError` when it cannot be written.
  package static func replace(_ url: URL, with data: Data) throws(FileError) {
    let stage = stage(for: url)
    try create(data, at: stage)
    guard rename(stage.path, url.path) == 0 else {
      let code = errno
      unlink(stage.path)
      throw .system(code)
    }
  }

  /// Writes a file whole, unless there is something already; returns whether it did.
  ///
  /// - Throws: `FileError` when it cannot be written.
  package static func add(_ data: Data, at url: URL) throws(FileError) -> Bool {
    let stage = stage(for: url)
    try create(data, at: stage)
    defer { unlink(stage.path) }
    if link(stage.path, url.path) == 0 { return true }
    guard errno == EEXIST else { throw .system(errno) }
    return false
  }

  /// Makes an empty file unless there is something.
  ///
  /// It appears when its descriptor is closed already: SQLite would lose its locks on a file of
  /// which the same process closes another descriptor.
  ///
  /// - Throws: `FileError` when it cannot be made.
  package static func ensure(_ url: URL) throws(FileError) {
    var facts = stat()
    guard lstat(url.path, &facts) != 0 else { return }
    _ = try add(Data(), at: url)
  }

  /// Takes from everybody else what earlier versions let them read.
  ///
  /// Others' files and links stay as they are.
  package static func tighten(_ path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_uid == geteuid(), facts.st_mode & 0o077 != 0
    else { return }
    // It belongs to this user; only a file system without permissions refuses.
    _ = chmod(path, facts.st_mode & permissions)
  }

  /// Lets the owner write what SQLite made beside a database that could not be written then.
  ///
  /// It has the permissions that the database had, and keeps them.
  package static func letOwnerWrite(_ path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_uid == geteuid(), facts.st_mode & permissions != permissions
    else { return }
    // As above.
    _ = chmod(path, permissions)
  }

  /// Makes a directory, and those it is in; what is there already stays as it is.
  package static func makeDirectory(_ url: URL) throws {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
    guard !exists || !isDirectory.boolValue else { return }
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // The umask may have taken away what the owner needs.
    guard chmod(url.path, 0o700) == 0 else { throw FileError.system(errno) }
  }

  private static func stage(for url: URL) -> URL {
    url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).new")
  }
}
