import CSQLiteSyncPosix
import Foundation
import Glibc
import RemindersCore
import Synchronization

/// What commands print on standard output: a script must not take for whole what is not.
enum Output {
  /// What a command has done that prints what came of it: that stays done.
  static let done = Mutex<String?>(nil)

  /// Lines or a document that will be long: they go out in long pieces, without the buffers of the
  /// C library between.
  static func buffer() -> OutputBuffer { OutputBuffer(write) }

  /// Writes lines that may be many: of what the C library writes meanwhile it does not say why it
  /// could not.
  static func write(_ lines: some Sequence<some StringProtocol>) throws {
    var buffer = buffer()
    for line in lines {
      buffer.append(String(line))
      buffer.append(UInt8(ascii: "\n"))
      try buffer.flushIfLong()
    }
    try buffer.flush()
  }

  private static func write(_ bytes: [UInt8]) throws {
    // What was printed before comes before.
    try finish()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw lost(String(cString: strerror(errno))) }
      rest = rest.dropFirst(count)
    }
  }

  /// Sees to it that all that was printed is written.
  ///
  /// - Throws: `AppError` when it cannot be.
  static func finish() throws {
    if let failure { throw failure }
  }

  /// Why not all that was printed could be written; nil when it was.
  static var failure: AppError? {
    let code = cposix_flush_output()
    return code == 0 ? nil : lost(String(cString: strerror(code)))
  }

  private static func lost(_ reason: String) -> AppError {
    let whatIsDone = done.withLock { $0.map { "\($0). " } ?? "" }
    return AppError(
      .cannotCreate, whatIsDone + "The output could not be written whole.", hint: reason + ".")
  }
}

/// One JSON document on standard output.
enum JSONOutput {
  static func print(_ value: some Encodable) throws {
    try Output.write([JSONText.text(value)])
  }

  /// Writes a document piece by piece.
  static func write(_ body: (inout JSONDocument) throws -> Void) throws {
    var document = JSONDocument(to: Output.buffer())
    try body(&document)
    try document.end()
  }
}
