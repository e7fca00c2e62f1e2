import Foundation
import RemindersFiles
import SQLiteSyncHashing

/// Pictures that were decoded and scaled before, as files named by the hash of the image.
///
/// It is only there to be fast: whatever cannot be read is made anew, whatever cannot be written is
/// made again the next time.
public struct PictureCache: Sendable {
  private let directory: URL?

  /// So many pictures are kept, of at most so many bytes.
  ///
  /// In cells a picture for the header has about four kilobytes, in pixels some hundreds.
  private static let (maximumCount, maximumBytes) = (200, 32 << 20)

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
    let file = file(of: data, in: space, mode, kind: "ppm")
    if let kept = file.flatMap(Self.read).flatMap(Picture.init(ppm:)) { return kept }
    let picture = try Picture(of: data, in: space, mode)
    if let file { keep(picture.ppm, in: file) }
    return picture
  }

  /// The picture in an image file, scaled for a space, for a terminal.
  ///
  /// - Throws: `ImageError` when the file cannot be decoded.
  public func encoded(
    _ data: Data, in space: PixelSize, _ mode: Picture.Mode, as encoding: Picture.Encoding
  ) throws(ImageError) -> Data {
    let file = file(of: data, in: space, mode, kind: encoding.kind)
    if let kept = file.flatMap(Self.read), encoding.isWhole(kept) { return kept }
    let encoded = try Picture.encoded(data, in: space, mode, as: encoding)
    if let file { keep(encoded, in: file) }
    return encoded
  }

  private func file(
    of data: Data, in space: PixelSize, _ mode: Picture.Mode, kind: String
  ) -> URL? {
    guard let directory else { return nil }
    let hash = SHA256.digest(of: data).hexadecimal
    return directory.appending(
      path: "\(hash)-\(space.width)x\(space.height)-\(mode.rawValue).\(kind)")
  }

  private static func read(_ file: URL) -> Data? {
    PrivateFile.tighten(file.path)
    // Nothing there, or nothing that can be read: it is made anew.
    return try? OrdinaryFile(file.path).read(atMost: maximumBytes)
  }

  private func keep(_ data: Data, in file: URL) {
    let directory = file.deletingLastPathComponent()
    do {
      try PrivateFile.makeDirectory(directory)
      try PrivateFile.replace(file, with: data)
      try Self.tidyUp(directory)
    } catch {
      // No disk space, no permission, or another window tidies up too: the picture is made again
      // the next time.
    }
  }

  /// Removes the oldest pictures when there are too many; half of them at once, so that it is rare.
  private static func tidyUp(_ directory: URL) throws {
    let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
    let files = FileManager.default
    let kept = try files.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: Array(keys)
    ).map { (file: $0, facts: try $0.resourceValues(forKeys: keys)) }
    let bytes = kept.reduce(0) { $0 + ($1.facts.fileSize ?? 0) }
    guard kept.count > maximumCount || bytes > maximumBytes else { return }
    let newestFirst = kept.sorted {
      $0.facts.contentModificationDate ?? .distantPast
        > $1.facts.contentModificationDate ?? .distantPast
    }
    var left = maximumBytes / 2
    for (place, picture) in newestFirst.enumerated() {
      left -= picture.facts.fileSize ?? 0
      if place >= maximumCount / 2 || left < 0 { try files.removeItem(at: picture.file) }
    }
  }
}

extension Picture.Encoding {
  fileprivate var kind: String {
    switch self {
    case .png: "png"
    case .sixels(let colors): "\(colors).six"
    }
  }

  /// Whether a file from the cache is all of a picture.
  ///
  /// The terminal gets it as it is: half a control sequence would swallow what comes after.
  fileprivate func isWhole(_ data: Data) -> Bool {
    switch self {
    // Bytes without a header are not a picture.
    case .png: (try? ImageHeader(data))?.isComplete == true
    case .sixels: IndexedPicture.areSixels(data)
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
