import Foundation

/// How a camera was held: what EXIF says must be done to the pixels.
enum Orientation: Int, Sendable {
  case upright = 1
  case mirrored, upsideDown, flipped
  /// Across becomes down.
  case transposed, clockwise, transversed, counterclockwise

  /// Whether width and height change places.
  var isTurned: Bool { rawValue >= Orientation.transposed.rawValue }

  /// Reads the first directory of an EXIF block (a TIFF file); what makes no sense is upright.
  init(exif data: Data) {
    let reader = ByteReader(data)
    let isLittle = reader.matches("II", at: 0)
    func number(_ count: Int, at offset: Int) -> Int? {
      isLittle ? reader.little(count, at: offset) : reader.big(count, at: offset)
    }
    guard isLittle || reader.matches("MM", at: 0), number(2, at: 2) == 42,
      let directory = number(4, at: 4), let count = number(2, at: directory)
    else {
      self = .upright
      return
    }
    // No more than there is room for: a file may say this over and over.
    let entries = (0..<min(count, reader.count / 12)).lazy.map { directory + 2 + 12 * $0 }
    let entry = entries.first { number(2, at: $0) == Self.tag }
    self = entry.flatMap { number(2, at: $0 + 8) }.flatMap(Orientation.init) ?? .upright
  }

  private static let tag = 0x0112
}
