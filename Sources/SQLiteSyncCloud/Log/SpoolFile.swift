import Foundation
import SQLiteSyncHashing

/// Frames of bytes that are written once and read in their order, as often as one likes.
///
/// In memory while they are few; then in a file without a name, so that nothing is left of it
/// however the program ends.
final class SpoolFile {
  private static let lengthBytes = MemoryLayout<UInt32>.size

  /// How many bytes are held, of frames that were not written yet or of those that are read.
  private let pageBytes: Int
  private var pending: [UInt8] = []
  /// The descriptor; negative before there is a file.
  private var file: Int32 = -1
  private var written = 0

  init(pageBytes: Int) {
    self.pageBytes = pageBytes
  }

  deinit {
    if file >= 0 { close(file) }
  }

  /// Appends a frame; returns where it is.
  @discardableResult
  func append(_ frame: [UInt8]) throws -> Int {
    let offset = written + pending.count
    withUnsafeBytes(of: UInt32(frame.count)) { pending.append(contentsOf: $0) }
    pending += frame
    if pending.count >= pageBytes { try flush() }
    return offset
  }

  /// Hands every frame over, in the order of their numbers from 0.
  func forEach(_ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
    var number = 0
    func next(_ frame: UnsafeRawBufferPointer) throws {
      try body(number, frame)
      number += 1
    }
    var page = [UInt8](repeating: 0, count: min(pageBytes, written))
    // Of what was read, what is at the beginning of the page: the first bytes of a frame.
    var (read, rest) = (0, 0)
    while read < written {
      if rest == page.count { page += [UInt8](repeating: 0, count: max(pageBytes, rest)) }
      let end = min(page.count, rest + written - read)
      try fill(&page, rest..<end, at: read)
      read += end - rest
      rest = try page.withUnsafeMutableBytes { page in
        let filled = UnsafeRawBufferPointer(rebasing: page[..<end])
        let used = try Self.frames(in: filled, next)
        page.copyMemory(from: UnsafeRawBufferPointer(rebasing: filled[used...]))
        return end - used
      }
    }
    _ = try pending.withUnsafeBytes { try Self.frames(in: $0, next) }
  }

  /// Hands over the frame that is at an offset.
  func read<Result>(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) throws -> Result {
    guard offset < written else {
      return pending.withUnsafeBytes { body(Self.frame(in: $0, at: offset - written)) }
    }
    // More than most have.
    var bytes = [UInt8](repeating: 0, count: min(256, written - offset))
    try fill(&bytes, 0..<bytes.count, at: offset)
    let end = Self.lengthBytes + bytes.withUnsafeBytes { Self.length(in: $0, at: 0) }
    if end > bytes.count {
      let start = bytes.count
      bytes += [UInt8](repeating: 0, count: end - start)
      try fill(&bytes, start..<end, at: offset + start)
    }
    return bytes.withUnsafeBytes { body(Self.frame(in: $0, at: 0)) }
  }

  private static func length(in page: UnsafeRawBufferPointer, at offset: Int) -> Int {
    Int(page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private static func frame(
    in page: UnsafeRawBufferPointer, at offset: Int
  ) -> UnsafeRawBufferPointer {
    let start = offset + lengthBytes
    return UnsafeRawBufferPointer(rebasing: page[start..<start + length(in: page, at: offset)])
  }

  /// Hands over the whole frames at the beginning; returns how many bytes they have.
  private static func frames(
    in page: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    var used = 0
    while used + lengthBytes <= page.count {
      let end = used + lengthBytes + length(in: page, at: used)
      guard end <= page.count else { break }
      try body(frame(in: page, at: used))
      used = end
    }
    return used
  }

  private func flush() throws {
    try reporting { () throws(PosixError) in
      if file < 0 { file = try Self.open() }
      var done = 0
      while done < pending.count {
        done += try PosixError.check {
          pending.withUnsafeBytes {
            pwrite(
              file, $0.baseAddress?.advanced(by: done), $0.count - done, off_t(written + done))
          }
        }
      }
    }
    written += pending.count
    pending.removeAll(keepingCapacity: true)
  }

  /// Reads what is at an offset of the file into a range of the page.
  private func fill(_ page: inout [UInt8], _ range: Range<Int>, at offset: Int) throws {
    try reporting { () throws(PosixError) in
      var filled = range.lowerBound
      while filled < range.upperBound {
        let count = try PosixError.check {
          page.withUnsafeMutableBytes {
            pread(
              file, $0.baseAddress?.advanced(by: filled), range.upperBound - filled,
              off_t(offset + filled - range.lowerBound))
          }
        }
        guard count > 0 else { throw PosixError(number: EIO) }
        filled += count
      }
    }
  }

  private func reporting(_ body: () throws(PosixError) -> Void) throws {
    do {
      try body()
    } catch {
      throw CloudError(
        .internalError, "A temporary file in \(Self.directory): \(error.text).",
        hint: "Free some space there, or set TMPDIR to a directory that has some.")
    }
  }

  /// The first in which one may write, as SQLite looks for them: `/tmp` may be in memory.
  private static var directory: String {
    [ProcessInfo.processInfo.environment["TMPDIR"], "/var/tmp"].compactMap { $0 }
      .first { !$0.isEmpty && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
  }

  /// A file that only this descriptor leads to.
  private static func open() throws(PosixError) -> Int32 {
    let path = "\(directory)/sqlitesync-\(UUID().lowercaseString)"
    let file = try PosixError.check {
      Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    unlink(path)
    return file
  }
}
