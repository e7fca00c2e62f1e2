import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

private let strace = "/usr/bin/strace"

/// The system calls of a whole commit and of the reader after it, as `strace` sees them from
/// outside of the process.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: strace), "strace is missing"))
struct SystemCallTests {
  /// What tells a process that it is the one that is looked at, and where its cloud is.
  static let variable = "REMINDERS_TEST_TRACED"

  /// A call that succeeded.
  private struct Call {
    let name: String
    /// The paths below the cloud's directory, of files or of descriptors, in their order.
    let paths: [String]
    let text: String
  }

  @Test func everyFileIsDurableBeforeItsNameAndItsNameBeforeTheNextFile() throws {
    let calls = try Self.calls.get()
    let links = calls.indices.filter { calls[$0].name == "linkat" }
    let names = links.map { calls[$0].paths.last ?? "" }
    // CLOUD.json, account.json, the beginning of the zone, the asset, and the commit that names it.
    try #require(names.count == 5)
    #expect(names[3].contains("/assets/"))
    #expect(names[4].hasSuffix("/log/0000000000000001.json"))
    for (index, link) in zip(names, links) {
      let call = calls[link]
      let (staged, place) = (call.paths[0], directoryName(of: index))
      let before = calls[..<link].filter { $0.paths.first == staged }.map(\.name)
      #expect(before == ["openat", "write", "fchmod", "fsync"], "\(call.text)")
      let after = calls[(link + 1)...].prefix { $0.name != "linkat" }
      let synchronized = after.firstIndex { $0.name == "fsync" && $0.paths == [place] }
      let removed = after.firstIndex { $0.name == "unlinkat" && $0.paths == [staged] }
      #expect(try #require(synchronized) < #require(removed), "\(call.text)")
    }
  }

  @Test func nothingIsWrittenInPlaceAndNothingElsewhere() throws {
    let calls = try Self.calls.get()
    let writes = calls.filter { $0.name == "openat" && !$0.text.contains("O_RDONLY") }
    #expect(!writes.isEmpty)
    for call in writes {
      #expect(call.text.contains("O_CREAT") && call.text.contains("O_EXCL"), "\(call.text)")
    }
    #expect(calls.allSatisfy { !["rename", "renameat", "truncate"].contains($0.name) })
  }

  @Test func aReaderMakesDurableWhatItHasRead() throws {
    let calls = try Self.calls.get()
    let read = try #require(
      calls.lastIndex {
        $0.name == "openat" && $0.paths.last?.hasSuffix("log/0000000000000001.json") == true
      })
    let rest = calls[read...]
    let log = directoryName(of: calls[read].paths.last ?? "")
    let barrier = try #require(rest.firstIndex { $0.name == "fsync" && $0.paths == [log] })
    // Then it looks whether that still counts.
    #expect(rest[barrier...].contains { $0.text.contains("/meta") && $0.name == "openat" })
  }

  private func directoryName(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  // MARK: The process

  /// What the process does: it makes a cloud, saves a record with an asset, and another device of
  /// it reads.
  @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil, "not traced"))
  func makeACloud() throws {
    let directory = try #require(ProcessInfo.processInfo.environment[Self.variable])
    let store = DirectoryStore(directory: URL(filePath: directory))
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    let asset = try cloud.log.publishAsset(Data("a picture".utf8))
    var record = CloudRecord.test("a", "1")
    record.fields["cover"] = CloudField(.asset(asset), FieldClock(rawValue: 7))
    try cloud.device.modify([.save(record, base: nil)])
    try cloud.other().device.fetch()
  }

  private static let calls = Result { try trace() }

  private static func trace() throws -> [Call] {
    let directory = try TemporaryDirectory()
    let cloud = directory.url.appending(path: "cloud").path
    try FileManager.default.createDirectory(
      atPath: cloud, withIntermediateDirectories: false)
    let process = Process()
    process.executableURL = URL(filePath: strace)
    process.arguments = [
      "-ff", "-qq", "-y", "-s", "0", "-e", "signal=none", "-e",
      "trace=openat,write,fchmod,fsync,linkat,unlinkat,rename,renameat,renameat2,truncate",
      "-o", directory.url.appending(path: "trace").path,
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path,
      "--testing-library", "swift-testing", "--filter", "SystemCallTests/makeACloud",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging([variable: cloud]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    // One file for each thread; the work is done by one.
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      .filter { $0.hasPrefix("trace.") }
    return try files.flatMap { name in
      try String(contentsOf: directory.url.appending(path: name), encoding: .utf8)
        .split(separator: "\n").compactMap { call(String($0), below: cloud) }
    }
  }

  /// Reads `fsync(7</cloud/a>) = 0`; nil for a call that failed or was made elsewhere.
  private static func call(_ line: String, below root: String) -> Call? {
    guard let match = line.firstMatch(of: /^([a-z0-9]+)\((.*)\) += \d+/) else { return nil }
    // A name stands after the descriptor of its directory.
    let paths = match.2.matches(of: /<([^>]*)>(?:, "([^"]+)")?/).compactMap { match -> String? in
      guard match.1.hasPrefix(root) else { return nil }
      let path = [match.1, match.2].compactMap { $0 }.joined(separator: "/")
      return String(path.dropFirst(root.count).drop { $0 == "/" })
    }
    return paths.isEmpty ? nil : Call(name: String(match.1), paths: paths, text: line)
  }
}
