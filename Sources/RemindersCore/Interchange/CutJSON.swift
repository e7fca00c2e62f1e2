import Foundation

/// JSON that ends in the middle, as a copy does that was interrupted, or a disk that was full.
enum CutJSON {
  /// Throws for what is cut, and for nothing else.
  static func refuse(_ data: Data, _ name: String) throws {
    guard isCut(data) else { return }
    throw AppError(
      .cannotRead, "\(name) is cut: its JSON has no end.",
      hint: "Nothing was imported. Have it written or copied again.")
  }

  /// No file of these has more in each other, and nothing reads one that has.
  private static let greatestDepth = 512

  /// Whether an object, an array or a string is open at the end.
  private static func isCut(_ data: Data) -> Bool {
    var (depth, isInString, isEscaped) = (0, false, false)
    for byte in data {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > greatestDepth { return false }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return isInString || depth > 0
  }
}
