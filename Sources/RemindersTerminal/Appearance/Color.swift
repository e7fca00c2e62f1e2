import Foundation

/// A colour by its red, green and blue parts, each 0 to 255.
public struct RGB: Hashable, Sendable {
  /// The parts.
  public let red, green, blue: UInt8

  /// A colour by its parts.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// A colour as one number, `0xRRGGBB`.
  public init(_ hex: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
      blue: UInt8(truncatingIfNeeded: hex))
  }

  /// The colour as one number, `0xRRGGBB`.
  var hex: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }

  /// Where it is on the colour wheel, in degrees from red; nil for what is nearly grey.
  var hue: Int? {
    let parts = [red, green, blue].map(Int.init)
    let (least, most) = (parts.min() ?? 0, parts.max() ?? 0)
    let chroma = most - least
    guard chroma * 4 > most else { return nil }
    func part(_ difference: Int) -> Int { 60 * difference / chroma }
    if most == parts[0] { return (part(parts[1] - parts[2]) + 360) % 360 }
    if most == parts[1] { return 120 + part(parts[2] - parts[0]) }
    return 240 + part(parts[0] - parts[1])
  }

  /// How light it is, 0 to 1, as WCAG 2 defines it.
  var luminance: Double {
    let parts = [red, green, blue].map { part in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// The square of the distance between two colours, weighted as the eye sees them.
  func distance(to other: RGB) -> Int {
    let red = Int(self.red) - Int(other.red)
    let green = Int(self.green) - Int(other.green)
    let blue = Int(self.blue) - Int(other.blue)
    return 3 * red * red + 6 * green * green + blue * blue
  }
}

/// How many colours a terminal has.
public enum ColorDepth: Int, Comparable, Hashable, Sendable {
  case mono = 1
  case ansi8 = 8
  case ansi16 = 16
  case palette256 = 256
  /// Any red, green and blue.
  case direct = 0x100_0000

  /// Fewer colours come first.
  public static func < (lhs: ColorDepth, rhs: ColorDepth) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A theme's colour: one that the terminal names, or an exact one.
public enum Color: Hashable, Sendable {
  /// One of the terminal's own sixteen, 0 to 15, for which its user has chosen a shade.
  case ansi(UInt8)
  /// Of the 256, with the one of the sixteen that stands in for it.
  case palette(UInt8, ansi: UInt8)
  /// An exact colour; the nearest that the terminal has is used.
  case rgb(RGB)

  /// The number of this colour in a terminal of `depth`, or nil for its default colour.
  ///
  /// `ownColors`: with direct colours, how many of the first numbers are not exact ones
  /// but the terminal's own.
  public func index(at depth: ColorDepth, ownColors: Int = 8) -> Int? {
    switch (self, depth) {
    case (_, .mono): nil
    case (.ansi(let index), .direct) where index < ownColors: Int(index)
    case (_, .direct): max(ownColors, exact.hex)
    case (.palette(let index, _), .palette256): Int(index)
    case (.rgb(let rgb), .palette256): Color.nearestPaletteIndex(to: rgb)
    case (.ansi(let index), .palette256), (.ansi(let index), .ansi16): Int(index)
    case (.palette(_, let index), .ansi16): Int(index)
    case (.rgb(let rgb), .ansi16): Color.nearestANSI(to: rgb)
    case (.ansi(let index), .ansi8), (.palette(_, let index), .ansi8): Int(index % 8)
    // Without bright black, a grey is white rather than black.
    case (.rgb(let rgb), .ansi8):
      Color.nearestANSI(to: rgb) == 8 ? 7 : Color.nearestANSI(to: rgb) % 8
    }
  }

  /// The shade, as xterm shows it.
  private var exact: RGB {
    switch self {
    case .rgb(let rgb): return rgb
    case .ansi(let index), .palette(let index, _):
      if index < 16 { return Color.ansiColors[Int(index)] }
      if index >= 232 { return Color.grey(Int(index) - 232) }
      let levels = [Int(index - 16) / 36, Int(index - 16) / 6 % 6, Int(index - 16) % 6]
      return Color.cube(levels)
    }
  }

  /// One of the 24 steps of the grey ramp.
  private static func grey(_ step: Int) -> RGB {
    let shade = UInt8(8 + 10 * step)
    return RGB(red: shade, green: shade, blue: shade)
  }

  /// One of the 6 × 6 × 6 colours, by the steps of its parts.
  private static func cube(_ steps: [Int]) -> RGB {
    RGB(red: cubeLevels[steps[0]], green: cubeLevels[steps[1]], blue: cubeLevels[steps[2]])
  }

  /// xterm's shades of the sixteen; a terminal may show others.
  private static let ansiColors: [RGB] = [
    0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5,
    0x7f_7f7f, 0xff_0000, 0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
  ].map(RGB.init)

  private static let cubeLevels: [UInt8] = [0, 95, 135, 175, 215, 255]

  /// The one of the sixteen that stands for a colour.
  ///
  /// By hue where it has one: by distance, most colours of lists would come to the same grey.
  private static func nearestANSI(to rgb: RGB) -> Int {
    guard let hue = rgb.hue else {
      return ansiColors.indices.min {
        rgb.distance(to: ansiColors[$0]) < rgb.distance(to: ansiColors[$1])
      } ?? 0
    }
    switch hue {
    // Between red and yellow: the darker yellow, which most terminals show as orange or brown.
    case 13..<40: return 3
    case 40..<75: return 11
    case 75..<150: return 10
    case 150..<200: return 14
    case 200..<255: return 12
    case 255..<305: return 5
    case 305..<345: return 13
    default: return 9
    }
  }

  /// The best of the 6 × 6 × 6 cube (16 to 231) and the grey ramp (232 to 255).
  ///
  /// The first sixteen are left out because their shades are the user's.
  private static func nearestPaletteIndex(to rgb: RGB) -> Int {
    let parts = [rgb.red, rgb.green, rgb.blue]
    let steps = parts.map { part in
      cubeLevels.indices.min {
        abs(Int(cubeLevels[$0]) - Int(part)) < abs(Int(cubeLevels[$1]) - Int(part))
      } ?? 0
    }
    let mean = parts.reduce(0) { $0 + Int($1) } / 3
    let step = ((mean - 3) / 10).clamped(to: 0...23)
    let isGreyNearer = rgb.distance(to: grey(step)) < rgb.distance(to: cube(steps))
    return isGreyNearer ? 232 + step : 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
  }
}
