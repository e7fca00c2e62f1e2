import Foundation

/// What a process took while something ran.
struct Resources: Codable {
  /// Seconds that the processors worked for it.
  let processor: Double
  /// Bytes that it handed to `write`, `wchar` of `/proc/self/io`.
  ///
  /// That is what SQLite and the cloud have asked for, on whatever file system. `write_bytes` would
  /// count whole pages, some twice, and none where the temporary directory is in memory.
  let written: Double
  /// Bytes of memory that it had at its peak, over those at the start.
  let memory: Double

  /// What this process takes while `body` runs.
  static func measure(_ body: () async throws -> Void) async throws -> Resources {
    // What was freed before would be taken again, and seem to cost nothing.
    giveBackFreeMemory()
    // The peak is from now on: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try (bytesWritten(), ProcessFile.number("VmRSS", in: "/proc/self/status"))
    let processor = try await Stopwatch.processor(body)
    let peak = try ProcessFile.number("VmHWM", in: "/proc/self/status")
    return Resources(
      processor: processor, written: Double(try bytesWritten() - before.0),
      memory: Double(peak - before.1) * 1024)
  }

  /// `malloc_trim(0)`, which Swift's module of the C library does not have.
  private static func giveBackFreeMemory() {
    typealias Trim = @convention(c) (Int) -> Int32
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: Trim.self)(0)
  }

  private static func bytesWritten() throws -> Int {
    try ProcessFile.number("wchar", in: "/proc/self/io")
  }
}

/// Rounds of the same.
extension [Resources] {
  /// Seconds of the processors, for each of so many records.
  func processor(of count: Int = 1) -> Measurement {
    Measurement(rounds: map { $0.processor / Double(count) })
  }

  /// Bytes written for each of so many records.
  func written(of count: Int) -> Measurement {
    Measurement(rounds: map { $0.written / Double(count) }, unit: .bytes)
  }

  /// The peak of memory, in bytes.
  var memory: Measurement { Measurement(rounds: map(\.memory), unit: .bytes) }
}

/// What Linux says of a process, a name and a number to a line.
enum ProcessFile {
  /// A number of `/proc/…/status` or `/proc/…/io`, in its own unit.
  static func number(_ name: String, in path: String) throws -> Int {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
