import Foundation

/// A picture whose pixels are numbers of colours.
struct IndexedPicture {
  let size: PixelSize
  /// `0xRRGGBB`; at most 256.
  let palette: [UInt32]
  /// Row by row from the top left.
  let indices: [UInt8]
}

/// A picture for terminals, as DEC's printers and terminals took them.
///
/// A sixel is a character for six pixels one below the other. Each colour of a band of six rows is
/// written by itself, over the ones before: https://vt100.net/docs/vt3xx-gp/chapter14.html
extension IndexedPicture {
  private static let bandHeight = 6
  private static let (beginning, end) = ("\u{1B}P7;1q", "\u{1B}\\")

  /// Whether some bytes are one such control sequence, from its beginning to its end.
  static func areSixels(_ data: Data) -> Bool {
    let body = data.dropFirst(beginning.utf8.count).dropLast(end.utf8.count)
    return data.starts(with: beginning.utf8) && data.suffix(end.utf8.count).elementsEqual(end.utf8)
      && body.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The picture as a control sequence that draws it from the cursor on.
  var sixels: Data {
    // 7: pixels are square; 1: what is not drawn stays as it is.
    var bytes = Array("\(Self.beginning)\"1;1;\(size.width);\(size.height)".utf8)
    for (number, color) in palette.enumerated() {
      let percents = [color >> 16, color >> 8, color].map { ($0 & 0xFF) * 100 + 127 }
      bytes += "#\(number);2".utf8
      for percent in percents { bytes += ";\(percent / 255)".utf8 }
    }
    for top in stride(from: 0, to: size.height, by: Self.bandHeight) {
      if top > 0 { bytes.append(UInt8(ascii: "-")) }
      addBand(from: top, to: &bytes)
    }
    return Data(bytes + Self.end.utf8)
  }

  private func addBand(from top: Int, to bytes: inout [UInt8]) {
    // For each colour and column, a bit for each of the six pixels.
    var bits = [UInt8](repeating: 0, count: palette.count * size.width)
    var isUsed = [Bool](repeating: false, count: palette.count)
    for row in top..<min(top + Self.bandHeight, size.height) {
      for column in 0..<size.width {
        let color = Int(indices[row * size.width + column])
        bits[color * size.width + column] |= 1 << (row - top)
        isUsed[color] = true
      }
    }
    var isFirst = true
    for color in palette.indices where isUsed[color] {
      // Back to the left, for the next colour.
      if !isFirst { bytes.append(UInt8(ascii: "$")) }
      isFirst = false
      bytes += "#\(color)".utf8
      Self.addRuns(bits[color * size.width..<(color + 1) * size.width], to: &bytes)
    }
  }

  /// Writes sixels, with a count before those that repeat.
  private static func addRuns(_ bits: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    var rest = bits
    while let value = rest.first {
      let run = rest.prefix { $0 == value }.count
      rest.removeFirst(run)
      // What would be blank to the end of the line need not be said.
      if value == 0, rest.isEmpty { return }
      let sixel = value + 0x3F
      if run > 3 {
        bytes += "!\(run)".utf8
        bytes.append(sixel)
      } else {
        bytes += repeatElement(sixel, count: run)
      }
    }
  }
}
