/// Why bytes are not a file of the cloud's format.
struct FormatError: Error, Hashable, CustomStringConvertible {
  /// What is wrong.
  let reason: String
  /// Where, in bytes from the beginning of the file.
  let offset: Int

  init(_ reason: String, at offset: Int = 0) {
    self.reason = reason
    self.offset = offset
  }

  var description: String { "\(reason) (byte \(offset))" }
}
