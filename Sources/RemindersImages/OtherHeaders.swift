import Foundation

extension ImageHeader.Found {
  /// Walks the chunks of a PNG.
  static func png(_ reader: ByteReader) -> Self? {
    guard reader.matches("IHDR", at: 12), let width = reader.big(4, at: 16),
      let height = reader.big(4, at: 20)
    else { return nil }
    var found = Self(format: .png, size: PixelSize(width: width, height: height))
    var offset = 8
    while let length = reader.big(4, at: offset), !found.isComplete {
      if reader.matches("acTL", at: offset + 4) { found.isAnimated = true }
      if reader.matches("IEND", at: offset + 4) {
        found.isComplete = offset + 12 + length <= reader.count
      }
      if reader.matches("eXIf", at: offset + 4), let exif = reader.bytes(length, at: offset + 8) {
        found.orientation = Orientation(exif: exif)
      }
      offset += 12 + length
    }
    return found
  }

  /// Walks the chunks of a WebP file.
  static func webp(_ reader: ByteReader) -> Self? {
    guard let length = reader.little(4, at: 4), var found = firstWebPChunk(reader) else {
      return nil
    }
    found.isComplete = length <= reader.count - 8
    var offset = 12
    while let length = reader.little(4, at: offset + 4) {
      if reader.matches("EXIF", at: offset), let exif = reader.bytes(length, at: offset + 8) {
        // Some writers keep the words that begin this block in a JPEG.
        let isPrefixed = ByteReader(exif).matches("Exif", at: 0)
        found.orientation = Orientation(exif: isPrefixed ? exif.dropFirst(6) : exif)
      }
      offset += 8 + length + length % 2
    }
    return found
  }

  private static func firstWebPChunk(_ reader: ByteReader) -> Self? {
    if reader.matches("VP8X", at: 12) {
      guard let flags = reader.byte(at: 20), let width = reader.little(3, at: 24),
        let height = reader.little(3, at: 27)
      else { return nil }
      let size = PixelSize(width: width + 1, height: height + 1)
      return Self(format: .webp, size: size, isAnimated: flags & 2 != 0)
    }
    if reader.matches("VP8L", at: 12) {
      guard let bits = reader.little(4, at: 21) else { return nil }
      let size = PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
      return Self(format: .webp, size: size)
    }
    guard reader.matches("VP8 ", at: 12), let width = reader.little(2, at: 26),
      let height = reader.little(2, at: 28)
    else { return nil }
    return Self(
      format: .webp, size: PixelSize(width: width & 0x3FFF, height: height & 0x3FFF))
  }

  /// Walks the blocks of a GIF.
  ///
  /// libgd keeps what it has of a picture that ends too early, so its pixels and its end mark are
  /// looked for here.
  static func gif(_ reader: ByteReader) -> Self? {
    guard let width = reader.little(2, at: 6), let height = reader.little(2, at: 8),
      let flags = reader.byte(at: 10)
    else { return nil }
    var found = Self(format: .gif, size: PixelSize(width: width, height: height))
    var offset = 13 + colorTableLength(flags)
    while let kind = reader.byte(at: offset) {
      switch kind {
      case 0x2C:
        guard let frameWidth = reader.little(2, at: offset + 5),
          let frameHeight = reader.little(2, at: offset + 7),
          let flags = reader.byte(at: offset + 9)
        else { return found }
        if found.isComplete {
          found.isAnimated = true
          return found
        }
        found.size = PixelSize(width: max(width, frameWidth), height: max(height, frameHeight))
        offset += 10 + colorTableLength(flags)
        var pixels = GIFPixels(reader, at: offset)
        // A byte about the codes, and their blocks.
        offset += 1
        let count = frameWidth * frameHeight
        guard skipBlocks(of: reader, from: &offset), pixels.count(upTo: count) >= count else {
          return found
        }
        found.isComplete = true
      case 0x21:
        offset += 2
        guard skipBlocks(of: reader, from: &offset) else { return found }
      default: return found
      }
    }
    return found
  }

  private static func colorTableLength(_ flags: Int) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1)
  }

  /// Skips blocks up to the empty one that ends them.
  ///
  /// - Returns: Whether there is an end.
  private static func skipBlocks(of reader: ByteReader, from offset: inout Int) -> Bool {
    while let length = reader.byte(at: offset) {
      offset += 1 + length
      if length == 0 { return true }
    }
    return false
  }
}
