import Foundation
import RemindersFuzzing

// libFuzzer has `main`, and calls these two: `fuzz DIRECTORY [options]`. They have C's names.

/// Puts inputs that are right into the directory from which the fuzzer takes its first ones.
@_cdecl("LLVMFuzzerInitialize")
public func beginFuzzing(
  _ count: UnsafePointer<CInt>,
  _ arguments: UnsafePointer<UnsafePointer<UnsafePointer<CChar>>>
) -> CInt {
  guard count.pointee > 1 else { return 0 }
  let directory = URL(filePath: String(cString: arguments.pointee[1]))
  do {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (number, input) in FormatFuzz.corpus.enumerated() {
      try Data(input).write(to: directory.appending(path: "right-\(number)"))
    }
    return 0
  } catch {
    FileHandle.standardError.write(Data("The inputs cannot be written: \(error)\n".utf8))
    return 1
  }
}

/// Tries one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FormatFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
