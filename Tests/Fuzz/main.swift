import Foundation
import Fuzzing

// `fuzz DIRECTORY [options of libFuzzer]`: begins with the files of the directory, and with those
// that are right, which it puts there.

/// libFuzzer's own loop, which its runtime exports to C.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

let corpus = URL(filePath: CommandLine.arguments.dropFirst().first ?? "corpus")
try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
for (number, input) in FormatFuzz.corpus.enumerated() {
  try Data(input).write(to: corpus.appending(path: "right-\(number)"))
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
  runFuzzer(&count, &arguments) { bytes, count in
    FormatFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  })
