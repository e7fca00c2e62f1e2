import Crypto
import Foundation

/// Pictures that were decoded and scaled before, as files named by the hash of the image.
///
/// It is only there to be fast: whatever cannot be read is made anew, whatever cannot be written is
/// made again the next time.
public struct PictureCache: Sendable {
  private let directory: URL?

  /// So many pictures are kept; a picture for the header has about four kilobytes.
  private static let maximumCount = 200

  /// A cache in a directory, which is made when it is needed; without one nothing is kept.
  public init(directory: URL?) {
    self.directory = directory
  }

  /// The picture in an image file, scaled for a space.
  ///
  /// - Throws: `ImageError` when the file cannot be decoded.
  public func picture(
    of data: Data, in space: PixelSize, _ mode: Picture.Mode
  ) throws(ImageError) -> Picture {
    guard let directory else { return try Picture(of: data, in: space, mode) }
    let hash = SHA256.hash(data: data).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    let file = directory.appending(
      path: "\(hash)-\(space.width)x\(space.height)-\(mode.rawValue).ppm")
    // Nothing there, or nothing that makes sense: it is made anew.
    if let kept = (try? Data(contentsOf: file)).flatMap(Picture.init(ppm:)) { return kept }
    let picture = try Picture(of: data, in: space, mode)
    keep(picture, in: file, of: directory)
    return picture
  }

  private func keep(_ picture: Picture, in file: URL, of directory: URL) {
    let files = FileManager.default
    do {
      try files.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try picture.ppm.write(to: file, options: .atomic)
      let kept = try files.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: [.contentModificationDateKey])
      guard kept.count > Self.maximumCount else { return }
      let dated = try kept.map { file in
        (file, try file.resourceValues(forKeys: [.contentModificationDateKey]))
      }
      let newestFirst = dated.sorted {
        $0.1.contentModificationDate ?? .distantPast > $1.1.contentModificationDate ?? .distantPast
      }
      // Half of them go at once, so that this is rare.
      for (file, _) in newestFirst.dropFirst(Self.maximumCount / 2) {
        try files.removeItem(at: file)
      }
    } catch {
      // No disk space, no permission, or another window tidies up too: the picture is made again
      // the next time.
    }
  }
}

extension Picture {
  /// The picture as a file that other programs show, too.
  fileprivate var ppm: Data {
    var data = Data("P6\n\(size.width) \(size.height)\n255\n".utf8)
    for pixel in pixels {
      data.append(UInt8(truncatingIfNeeded: pixel >> 16))
      data.append(UInt8(truncatingIfNeeded: pixel >> 8))
      data.append(UInt8(truncatingIfNeeded: pixel))
    }
    return data
  }

  /// Reads what `ppm` wrote, and nothing else.
  fileprivate init?(ppm data: Data) {
    let lines = data.prefix(32).split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count == 4, lines[0].elementsEqual("P6".utf8), lines[2].elementsEqual("255".utf8)
    else { return nil }
    let numbers = String(decoding: lines[1], as: UTF8.self).split(separator: " ").compactMap {
      Int($0)
    }
    let bytes = [UInt8](data[lines[3].startIndex...])
    guard numbers.count == 2, bytes.count % 3 == 0 else { return nil }
    let pixels = stride(from: 0, to: bytes.count, by: 3).map { place -> UInt32 in
      bytes[place..<place + 3].reduce(0) { $0 << 8 | UInt32($1) }
    }
    self.init(size: PixelSize(width: numbers[0], height: numbers[1]), pixels: pixels)
  }
}
