import Foundation
import Glibc

/// Why a file cannot be read or written.
package enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is a directory.
  case directory
  /// It is a pipe, a socket or a device, which may have no end or wait for somebody.
  case notOrdinary
  /// What the system calls it: an `errno`.
  case system(Int32)

  /// The reason, in a sentence.
  package var description: String {
    switch self {
    case .directory: "It is a directory."
    case .notOrdinary: "It is not an ordinary file."
    case .system(let code): String(cString: strerror(code)) + "."
    }
  }
}

/// An ordinary file that is open; it is closed when the value goes.
///
/// Opening never waits: not for a writer of a pipe, and not for a device.
package struct OrdinaryFile: ~Copyable {
  private let descriptor: Int32
  /// How long the file was when it was opened.
  package let byteCount: Int

  /// Opens a file, for reading unless the flags say otherwise.
  ///
  /// A file that is made, or is written and belongs to this user, is nobody else's to read.
  ///
  /// - Throws: `FileError` when it cannot be opened, or is not an ordinary file.
  package init(_ path: String, _ flags: Int32 = O_RDONLY) throws(FileError) {
    let descriptor = open(
      path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, PrivateFile.permissions)
    guard descriptor >= 0 else { throw errno == EISDIR ? .directory : .system(errno) }
    do throws(FileError) {
      var facts = stat()
      guard fstat(descriptor, &facts) == 0 else { throw .system(errno) }
      guard facts.st_mode & S_IFMT == S_IFREG else {
        throw facts.st_mode & S_IFMT == S_IFDIR ? .directory : .notOrdinary
      }
      // The umask may have taken away what the owner needs.
      let isWide = facts.st_mode & 0o777 != PrivateFile.permissions
      if flags & O_ACCMODE != O_RDONLY, isWide, facts.st_uid == geteuid() {
        guard fchmod(descriptor, PrivateFile.permissions) == 0 else { throw .system(errno) }
      }
      byteCount = Int(facts.st_size)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The bytes from the beginning, as many as there were when it was opened.
  package func read(atMost limit: Int = .max) throws(FileError) -> Data {
    var bytes = Data(count: min(byteCount, limit))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno) }
      // It became shorter meanwhile.
      if count == 0 { break }
      filled += count
    }
    return bytes.prefix(filled)
  }

  /// Writes bytes where the file stands.
  package func write(_ data: Data) throws(FileError) {
    var written = 0
    while written < data.count {
      let count = data.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(count == 0 ? EIO : errno) }
      written += count
    }
  }

  /// Whether there is something at a path that is not an ordinary file; links are followed.
  package static func isImpossible(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
  }
}
