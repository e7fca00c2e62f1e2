import Foundation

extension ImageHeader.Found {
  /// Walks the segments of a JPEG up to its end mark.
  ///
  /// libjpeg paints what is missing grey and calls that a warning, so the end mark is looked for
  /// here.
  static func jpeg(_ reader: ByteReader) -> Self? {
    var found = Self(format: .jpeg, size: PixelSize(width: 0, height: 0))
    var hasSize = false
    var offset = 2
    while let marker = nextMarker(in: reader, from: &offset) {
      switch marker {
      case 0x01, 0xD0...0xD8: continue
      case 0xD9:
        found.isComplete = hasSize
        return hasSize ? found : nil
      default: break
      }
      guard let length = reader.big(2, at: offset), length >= 2 else { break }
      let body = offset + 2
      switch marker {
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        guard !hasSize, let height = reader.big(2, at: body + 1),
          let width = reader.big(2, at: body + 3)
        else { break }
        found.size = PixelSize(width: width, height: height)
        hasSize = true
      case 0xDA: found.scanCount += 1
      case 0xE1:
        if reader.matches("Exif", at: body), length > 8,
          let exif = reader.bytes(length - 8, at: body + 6)
        {
          found.orientation = Orientation(exif: exif)
        }
      case 0xFE where found.comments.count < maximumComments:
        if let text = reader.bytes(length - 2, at: body) {
          found.comments.append(String(decoding: text, as: UTF8.self))
        }
      default: break
      }
      offset += length
    }
    return hasSize ? found : nil
  }

  /// A file may have millions; one of the first is ours.
  private static let maximumComments = 16

  /// The next marker, and the place behind it; coded pixels are skipped.
  private static func nextMarker(in reader: ByteReader, from offset: inout Int) -> Int? {
    while let mark = reader.firstIndex(of: 0xFF, from: offset) {
      offset = mark + 1
      // Any number of fill bytes may stand before the code.
      guard let code = reader.byte(at: offset) else { return nil }
      if code == 0xFF { continue }
      offset += 1
      // A zero stands behind an FF that is not a mark.
      if code != 0 { return code }
    }
    return nil
  }
}

/// Comments in JPEG files.
public enum JPEGComment {
  /// The file with a comment, up to 65,533 bytes of it, before its pixels.
  public static func adding(_ text: String, to jpeg: Data) -> Data {
    let reader = ByteReader(jpeg)
    let comment = Data(text.utf8.prefix(0xFFFF - 2))
    // The JFIF segment must be the first one.
    let isJFIF = reader.big(2, at: 2) == 0xFFE0
    let place = isJFIF ? 4 + (reader.big(2, at: 4) ?? 0) : 2
    guard let before = reader.bytes(place, at: 0),
      let after = reader.bytes(reader.count - place, at: place)
    else { return jpeg }
    let length = comment.count + 2
    return before + [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF)] + comment + after
  }
}
