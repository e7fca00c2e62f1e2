import Glibc
import Reminders

/// Where data goes: long pieces, without the buffers of the C library between.
enum StandardOutput {
  /// Lines or a document that will be long.
  static func buffer() -> OutputBuffer { OutputBuffer(write) }

  private static func write(_ bytes: [UInt8]) throws {
    // What was printed before comes before.
    fflush(nil)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw AppError(
          .cannotCreate, "The output cannot be written: \(String(cString: strerror(errno))).")
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// One JSON document on standard output.
enum JSONOutput {
  static func print(_ value: some Encodable) throws {
    Swift.print(try JSONText.text(value))
  }

  /// Writes a document piece by piece.
  static func write(_ body: (inout JSONDocument) throws -> Void) throws {
    var document = JSONDocument(to: StandardOutput.buffer())
    try body(&document)
    try document.end()
  }
}
