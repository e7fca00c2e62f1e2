import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Several processes that create the same objects: the tests' own program, started again.
@Suite struct ProcessTests {
  static let processes = 8
  static let objects: Int64 = 1_000
  static let byteCount = 600

  /// What tells a process that it is one of the eight, and which.
  static let variable = "REMINDERS_TEST_WRITER"

  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))

  @Test func eightProcessesThatCreateTheSameObjectsHaveOneWinnerEach() throws {
    let directory = try TemporaryDirectory()
    let starts = (0..<Self.processes).map { _ in Pipe() }
    let writers = try starts.enumerated().map { number, start in
      try process(number, in: directory.url, waitingFor: start)
    }
    // Now that all of them are there, they begin.
    for start in starts { try start.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }
    for writer in writers {
      writer.waitUntilExit()
      #expect(writer.terminationStatus == 0)
    }
    let store = DirectoryStore(directory: directory.url)
    var winners: [Int64: [UInt8]] = [:]
    for number in 0..<Self.processes {
      let text = try String(contentsOf: report(number, in: directory.url), encoding: .utf8)
      for win in text.split(separator: " ").compactMap({ Int64($0) }) {
        winners[win, default: []].append(UInt8(number))
      }
    }
    #expect(winners.count == Int(Self.objects))
    #expect(winners.allSatisfy { $0.value.count == 1 })
    #expect(Set(winners.values.joined()).count > 1, "they did not meet")
    for (number, winner) in winners {
      #expect(
        try store.read(layout.commit(number, epoch: 1), limit: 9_999).map(Set.init)
          == Set(winner))
    }
    #expect(try store.list(layout.stage, after: nil, limit: 9).isEmpty)
  }

  /// What each of the eight processes does.
  @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil, "one of the eight"))
  func createEverythingThatIsNotThere() throws {
    let settings = ProcessInfo.processInfo.environment
    let number = try #require(settings[Self.variable].flatMap { UInt8($0) })
    let directory = try #require(settings["TMPDIR"].map { URL(filePath: $0) })
    _ = readLine()
    let store = DirectoryStore(directory: directory)
    let own = Data(repeating: number, count: Self.byteCount)
    var wins: [Int64] = []
    for object in 1...Self.objects {
      let key = layout.commit(object, epoch: 1)
      switch store.createIfAbsent(key, own) {
      case .created: wins.append(object)
      case .exists: break
      case .failed(let error), .unknown(let error): throw error
      }
      let found = try #require(try store.read(key, limit: 9_999))
      try #require(found.count == Self.byteCount && Set(found).count == 1, "a torn read")
    }
    let text = wins.map(String.init).joined(separator: " ")
    try text.write(to: report(Int(number), in: directory), atomically: true, encoding: .utf8)
  }

  private func report(_ number: Int, in directory: URL) -> URL {
    directory.appending(path: "wins-\(number)")
  }

  private func process(_ number: Int, in directory: URL, waitingFor start: Pipe) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "--testing-library", "swift-testing", "--filter", "createEverythingThatIsNotThere",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      [Self.variable: "\(number)", "TMPDIR": directory.path]
    ) { $1 }
    process.standardInput = start
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }
}
