import ArgumentParser

/// A colour as typed: by name or as `#RRGGBB`.
struct ColorName: ExpressibleByArgument {
  static let help: ArgumentHelp =
    "red, orange, yellow, green, blue, purple, brown, gray or #RRGGBB."

  private static let names = [
    "red": 0xE0524D, "orange": 0xEF7E4A, "yellow": 0xE3B341, "green": 0x57A85B,
    "blue": 0x4A99EF, "purple": 0x8E5BD0, "brown": 0x9A7252, "gray": 0x8A8F98,
  ]

  /// `0xRRGGBB`.
  let rgb: Int

  init?(argument: String) {
    if let rgb = Self.names[argument.lowercased()] {
      self.rgb = rgb
      return
    }
    let digits = argument.drop { $0 == "#" }
    guard argument.count - digits.count <= 1, digits.count == 6, digits.allSatisfy(\.isHexDigit),
      let rgb = Int(digits, radix: 16)
    else { return nil }
    self.rgb = rgb
  }

  /// `#4A99EF`.
  static func text(of rgb: Int) -> String {
    let digits = String(rgb & 0xFFFFFF, radix: 16, uppercase: true)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
