import Foundation
import Glibc
import RemindersFiles

/// Image files on disk, which may be anything: a pipe, a directory, a gigabyte.
public enum ImageFile {
  /// Larger files are refused before they are read.
  public static let maximumBytes = 64 << 20

  /// The bytes of a file.
  ///
  /// - Parameter path: May begin with `~`.
  /// - Throws: `ImageError` when it is not an ordinary file, too large, or cannot be read.
  public static func read(_ path: String) throws(ImageError) -> Data {
    let name = name(of: path)
    do throws(ImageError) {
      return try contents(absolute(path))
    } catch {
      throw error.about(name)
    }
  }

  private static func contents(_ path: String) throws(ImageError) -> Data {
    do throws(FileError) {
      let file = try OrdinaryFile(path)
      if file.byteCount <= maximumBytes { return try file.read(atMost: maximumBytes) }
    } catch {
      throw ImageError(error)
    }
    throw ImageError(
      .tooLarge, "The file has more than \(maximumBytes >> 20) MB.",
      hint: "Make the image smaller.")
  }

  /// What a file says of itself in its first bytes; nil when it is not an image or hides its
  /// extent.
  public static func header(_ path: String) -> ImageHeader? {
    do {
      let file = try OrdinaryFile(absolute(path))
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

extension ImageError {
  fileprivate init(_ error: FileError) {
    switch error {
    case .directory: self.init(.notAFile, "This is a directory.", hint: "Choose an image file.")
    case .notOrdinary:
      self.init(.notAFile, "This is not an ordinary file.", hint: "Choose an image file.")
    case .system(ENOENT), .system(ENOTDIR): self.init(.notFound, "There is no such file.")
    case .system(EACCES), .system(EPERM): self.init(.notPermitted, "The file may not be read.")
    case .system: self.init(.failed, "The file cannot be read: \(error)")
    }
  }
}
