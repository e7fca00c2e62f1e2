import Foundation
import Glibc

/// Reads numbers out of bytes that nobody has checked; never beyond their end.
struct ByteReader {
  private let data: Data

  init(_ data: Data) {
    // Places count from zero, also in a slice.
    self.data = data.startIndex == 0 ? data : Data(data)
  }

  var count: Int { data.count }

  func byte(at offset: Int) -> Int? {
    data.indices.contains(offset) ? Int(data[offset]) : nil
  }

  /// The number in `count` bytes, the most significant one first.
  func big(_ count: Int, at offset: Int) -> Int? {
    bytes(count, at: offset)?.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The number in `count` bytes, the least significant one first.
  func little(_ count: Int, at offset: Int) -> Int? {
    bytes(count, at: offset)?.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether the bytes at `offset` are those of an ASCII text.
  func matches(_ text: String, at offset: Int) -> Bool {
    bytes(text.utf8.count, at: offset).map { $0.elementsEqual(text.utf8) } ?? false
  }

  /// So many bytes, or nil when there are fewer.
  func bytes(_ count: Int, at offset: Int) -> Data? {
    guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else {
      return nil
    }
    return data.subdata(in: offset..<offset + count)
  }

  /// Where a byte comes next: fast, because it is used on megabytes.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    data.withUnsafeBytes { bytes in
      guard start >= 0, start < bytes.count, let base = bytes.baseAddress,
        let hit = memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(hit) - base
    }
  }
}
