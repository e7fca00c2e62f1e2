import Foundation
import Glibc

/// Image files on disk, which may be anything: a pipe, a directory, a gigabyte.
public enum ImageFile {
  /// Larger files are refused before they are read.
  public static let maximumBytes = 64 << 20

  /// The bytes of a file.
  ///
  /// - Parameter path: May begin with `~`.
  /// - Throws: `ImageError` when it is no ordinary file, too large, or cannot be read.
  public static func read(_ path: String) throws(ImageError) -> Data {
    let name = name(of: path)
    do throws(ImageError) {
      let file = try OpenFile(absolute(path))
      guard file.byteCount <= maximumBytes else {
        throw ImageError(
          .tooLarge, "The file has more than \(maximumBytes >> 20) MB.",
          hint: "Make the image smaller.")
      }
      return try file.read(atMost: maximumBytes)
    } catch {
      throw error.about(name)
    }
  }

  /// What a file says of itself in its first bytes; nil when it is no image or hides its extent.
  public static func header(_ path: String) -> ImageHeader? {
    do {
      let file = try OpenFile(absolute(path))
      return try ImageHeader(file.read(atMost: ImageHeader.prefixLength))
    } catch {
      // This is for lists of files: what cannot be read says why when it is chosen.
      return nil
    }
  }

  /// The last part of a path.
  public static func name(of path: String) -> String {
    URL(filePath: absolute(path)).lastPathComponent
  }

  /// The path with `~` and a relative beginning made whole.
  public static func absolute(_ path: String) -> String {
    URL(filePath: expanded(path)).standardized.path
  }

  /// `~` as shells understand it: what `HOME` says comes before the list of users.
  private static func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"),
      let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty
    else { return NSString(string: path).expandingTildeInPath }
    return home + path.dropFirst()
  }
}

/// A file that is open for reading, which is closed when the value goes.
private struct OpenFile: ~Copyable {
  private let descriptor: Int32
  let byteCount: Int

  init(_ path: String) throws(ImageError) {
    // A pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.error(errno) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.error(code)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let isDirectory = facts.st_mode & S_IFMT == S_IFDIR
      throw ImageError(
        .notAFile, isDirectory ? "This is a directory." : "This is not an ordinary file.",
        hint: "Choose an image file.")
    }
    self.descriptor = descriptor
    byteCount = Int(facts.st_size)
  }

  deinit { close(descriptor) }

  func read(atMost limit: Int) throws(ImageError) -> Data {
    var bytes = Data(count: min(byteCount, limit))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.error(errno) }
      // It became shorter meanwhile.
      if count == 0 { break }
      filled += count
    }
    return bytes.prefix(filled)
  }

  private static func error(_ code: Int32) -> ImageError {
    switch code {
    case ENOENT, ENOTDIR: ImageError(.notFound, "There is no such file.")
    case EACCES, EPERM: ImageError(.notPermitted, "The file may not be read.")
    default: ImageError(.failed, "The file cannot be read: \(String(cString: strerror(code))).")
    }
  }
}
