/// A colour of a list: `0xRRGGBB`, and for some a name.
public struct ListColor: Hashable, Sendable {
  /// The name, or nil.
  public let name: String?
  /// `0xRRGGBB`.
  public let rgb: Int

  /// The colour of a number.
  public init(rgb: Int) {
    self = Self.named.first { $0.rgb == rgb } ?? ListColor(nil, rgb)
  }

  private init(_ name: String?, _ rgb: Int) {
    self.name = name
    self.rgb = rgb
  }

  /// Those with a name, the usual one first.
  public static let named = [
    ListColor("blue", RemindersList.defaultColor), ListColor("green", 0x57_A85B),
    ListColor("yellow", 0xE3_B341), ListColor("orange", 0xEF_7E4A), ListColor("red", 0xE0_524D),
    ListColor("pink", 0xE5_6BA6), ListColor("purple", 0x8E_5BD0), ListColor("brown", 0x9A_7252),
    ListColor("grey", 0x8A_8F98),
  ]

  /// A colour as people type it: a name or `#RRGGBB`.
  public init?(typed text: String) {
    let name = text.lowercased() == "gray" ? "grey" : text.lowercased()
    if let color = Self.named.first(where: { $0.name == name }) {
      self = color
      return
    }
    let digits = text.drop { $0 == "#" }
    guard text.count - digits.count <= 1, digits.count == 6, digits.allSatisfy(\.isHexDigit),
      let rgb = Int(digits, radix: 16)
    else { return nil }
    self.init(rgb: rgb)
  }

  /// `#4A99EF`.
  public var digits: String {
    let digits = String(rgb & 0xFFFFFF, radix: 16, uppercase: true)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
