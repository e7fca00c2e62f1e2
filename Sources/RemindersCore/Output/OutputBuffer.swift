/// Text on its way out, handed on in long pieces: a system call for each line would take longer
/// than to make the line.
package struct OutputBuffer {
  /// Beyond this a piece is handed on; the first one sooner, so that something shows at once.
  private static let longest = 1 << 16
  private static let first = 1 << 12

  private var bytes: [UInt8] = []
  private var limit = Self.first
  private let write: ([UInt8]) throws -> Void

  /// A buffer whose pieces somebody takes.
  package init(_ write: @escaping ([UInt8]) throws -> Void) {
    self.write = write
    bytes.reserveCapacity(Self.longest * 2)
  }

  /// Adds a byte.
  package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Adds bytes of a text.
  package mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(contentsOf: text)
  }

  /// Adds a text.
  package mutating func append(_ text: String) {
    // As bytes that lie side by side: one by one they take three times as long.
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Adds a text.
  package mutating func append(_ text: Substring) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Hands on what there is, when it has become long.
  package mutating func flushIfLong() throws {
    if bytes.count >= limit { try flush() }
  }

  /// Hands on what there is.
  package mutating func flush() throws {
    guard !bytes.isEmpty else { return }
    try write(bytes)
    bytes.removeAll(keepingCapacity: true)
    limit = Self.longest
  }
}
