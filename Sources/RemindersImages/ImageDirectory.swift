import Foundation

/// What a directory has for somebody who looks for an image.
public struct ImageDirectory: Hashable, Sendable {
  /// A directory or an image file.
  public struct Entry: Hashable, Sendable {
    /// Its name in the directory.
    public let name: String
    /// Whether it is a directory.
    public let isDirectory: Bool
    /// The extent of an image, when its beginning says so.
    public let size: PixelSize?

    /// An entry.
    public init(name: String, isDirectory: Bool, size: PixelSize? = nil) {
      self.name = name
      self.isDirectory = isDirectory
      self.size = size
    }
  }

  /// Where it is, from the root.
  public let path: String
  /// Directories first, then images, each by name.
  public let entries: [Entry]

  /// So many images are opened for their extent; the others are named without it.
  private static let maximumHeaders = 300

  /// Reads a directory; what is hidden and what is not an image is left out.
  ///
  /// - Throws: `ImageError` when it cannot be read.
  public init(_ path: String) throws(ImageError) {
    self.path = ImageFile.absolute(path)
    let root = URL(filePath: self.path)
    let found: [URL]
    do {
      found = try FileManager.default.contentsOfDirectory(
        at: root, includingPropertiesForKeys: [.isDirectoryKey])
    } catch CocoaError.fileReadNoPermission {
      throw ImageError(.notPermitted, "The directory \(self.path) may not be read.")
    } catch {
      throw ImageError(.notFound, "The directory \(self.path) cannot be read.")
    }
    let visible = found.map { ($0, Self.isDirectory($0)) }
      .filter { !$0.lastPathComponent.hasPrefix(".") && ($1 || Self.isImage($0)) }
      .sorted { Self.order($0) < Self.order($1) }
    var opened = 0
    entries = visible.map { url, isDirectory in
      if !isDirectory { opened += 1 }
      let isOpened = !isDirectory && opened <= Self.maximumHeaders
      return Entry(
        name: url.lastPathComponent, isDirectory: isDirectory,
        size: isOpened ? ImageFile.header(url.path)?.size : nil)
    }
  }

  private static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    // Follows links, as opening does.
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private static func isImage(_ url: URL) -> Bool {
    ImageFormat.fileExtensions.contains(url.pathExtension.lowercased())
  }

  private static func order(_ item: (url: URL, isDirectory: Bool)) -> (Int, String, String) {
    let name = item.url.lastPathComponent
    return (item.isDirectory ? 0 : 1, name.lowercased(), name)
  }
}
