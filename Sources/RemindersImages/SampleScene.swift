import Foundation

/// Pictures to try things with, drawn here so that no file must be found to show them.
///
/// The files in `Assets/` are the same pictures; a test compares them.
public enum SampleScene: String, CaseIterable, Sendable {
  /// A lake below mountains, at dusk.
  case lake
  /// Hills with a sun above.
  case hills
  /// A town at night.
  case town

  /// The extent of each picture.
  static let size = PixelSize(width: 960, height: 480)

  /// The name of the file.
  public var fileName: String { rawValue + ".png" }

  /// The picture as a PNG file.
  ///
  /// - Throws: `ImageError` when there is no memory for it, or no libgd.
  public func png() throws(ImageError) -> Data {
    guard let canvas = try Canvas(size: Self.size) else { throw .noMemory }
    switch self {
    case .lake: drawLake(on: canvas)
    case .hills: drawHills(on: canvas)
    case .town: drawTown(on: canvas)
    }
    guard let png = canvas.png() else { throw .noMemory }
    return png
  }

  private func drawLake(on canvas: borrowing Canvas) {
    let shore = 290
    canvas.drawSky(from: 0x00_005F, over: 0x87_5F87, to: 0xFF_AF5F, rows: 0..<shore)
    canvas.fillDisc(x: 545, y: 215, radius: 38, color: 0xFF_FFAF)
    canvas.drawRidge(0x87_5F87, seed: 3, base: 280, height: 80, bottom: shore)
    canvas.drawRidge(0x5F_5F87, seed: 11, base: 288, height: 50, bottom: shore)
    for row in shore..<Self.size.height {
      // The sky again, upside down and darker the nearer it is.
      canvas.drawRow(
        row, color: Shade.mix(0xD7_AF87, 0x00_005F, row - shore, of: Self.size.height - shore))
    }
    canvas.drawRidge(0x1C_1C1C, seed: 29, base: 450, height: 50, bottom: Self.size.height)
  }

  private func drawHills(on canvas: borrowing Canvas) {
    let bottom = Self.size.height
    canvas.drawSky(from: 0x4F_A7DF, over: 0xA9_DAF2, to: 0xF4_F1D8, rows: 0..<bottom)
    canvas.fillDisc(x: 220, y: 205, radius: 40, color: 0xFF_E37A)
    let hills: [UInt32] = [0x87_D787, 0x5F_AF5F, 0x00_875F, 0x00_5F5F]
    for (index, color) in hills.enumerated() {
      canvas.drawRidge(
        color, seed: 5 + 7 * index, base: 270 + 60 * index, height: 60, bottom: bottom,
        step: 60)
    }
  }

  private func drawTown(on canvas: borrowing Canvas) {
    let bottom = Self.size.height
    canvas.drawSky(from: 0x00_0030, over: 0x00_005F, to: 0x5F_5F87, rows: 0..<bottom)
    var random = Steps(seed: 17)
    for _ in 0..<60 {
      let (x, y) = (random.next(below: Self.size.width), random.next(below: 220))
      canvas.fillDisc(x: x, y: y, radius: 1 + random.next(below: 2), color: 0xE8_E9FF)
    }
    canvas.fillDisc(x: 745, y: 195, radius: 26, color: 0xF4_F0D0)
    for (layer, color) in [UInt32(0x30_3060), 0x12_1212].enumerated() {
      var x = -20
      while x < Self.size.width {
        let width = 50 + random.next(below: 60)
        let top = 190 + 70 * layer + random.next(below: 110)
        canvas.fill(
          [(x, top), (x + width, top), (x + width, bottom), (x, bottom)], color: color)
        for y in stride(from: top + 14, to: bottom - 10, by: 26) {
          for window in stride(from: x + 8, to: x + width - 14, by: 20)
          where layer == 1 && random.next(below: 3) == 0 {
            canvas.fill(
              [(window, y), (window + 8, y), (window + 8, y + 12), (window, y + 12)],
              color: 0xFF_D37A)
          }
        }
        x += width + random.next(below: 8)
      }
    }
  }
}

extension Canvas {
  /// Three colours, one fading into the next.
  fileprivate func drawSky(from top: UInt32, over middle: UInt32, to end: UInt32, rows: Range<Int>)
  {
    let half = rows.count / 2
    for (place, row) in rows.enumerated() {
      let color =
        place < half
        ? Shade.mix(top, middle, place, of: half)
        : Shade.mix(middle, end, place - half, of: rows.count - half)
      drawRow(row, color: color)
    }
  }

  /// A line of peaks, filled down to `bottom`.
  fileprivate func drawRidge(
    _ color: UInt32, seed: Int, base: Int, height: Int, bottom: Int, step: Int = 34
  ) {
    var random = Steps(seed: seed)
    var corners = [(x: 0, y: bottom)]
    for x in stride(from: 0, through: size.width + step, by: step) {
      corners.append((x, base - random.next(below: height)))
    }
    corners.append((size.width + step, bottom))
    fill(corners, color: color)
  }
}

private enum Shade {
  /// A colour between two, `part` of `whole` of the way.
  static func mix(_ one: UInt32, _ other: UInt32, _ part: Int, of whole: Int) -> UInt32 {
    [16, 8, 0].reduce(0) { color, shift in
      let (from, to) = (Int(one >> shift & 0xFF), Int(other >> shift & 0xFF))
      return color | UInt32(from + (to - from) * part / max(1, whole)) << shift
    }
  }
}

/// Numbers that look random and are always the same.
private struct Steps {
  private var state: UInt32

  init(seed: Int) { state = UInt32(truncatingIfNeeded: seed) &* 2_654_435_761 }

  mutating func next(below limit: Int) -> Int {
    state = state &* 1_664_525 &+ 1_013_904_223
    return Int(state >> 8) % limit
  }
}
