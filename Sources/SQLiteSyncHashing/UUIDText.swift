import Foundation

extension UUID {
  /// The 36 characters that RFC 9562 (section 4) wants written: in lower case.
  ///
  /// Foundation prints them with `snprintf`, which takes longer than all else that is done to make
  /// a key.
  public var lowercaseString: String {
    withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var end = 0
        for (index, byte) in bytes.enumerated() {
          if [4, 6, 8, 10].contains(index) {
            text[end] = UInt8(ascii: "-")
            end += 1
          }
          text[end] = (byte >> 4).hexadecimalDigit
          text[end + 1] = (byte & 15).hexadecimalDigit
          end += 2
        }
        return end
      }
    }
  }
}
