import Foundation
import GRDB
import Glibc
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// One engine per database, by whatever name it is reached.
struct EngineLockTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.url.appending(path: "app.sqlite").path
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE things (a)") }
  }

  /// Ways to spell the path of one file.
  enum Spelling: CaseIterable {
    case same, relative, uri, symbolicLink, linkedDirectory, hardLink
  }

  private func spelled(_ spelling: Spelling) throws -> String {
    let files = FileManager.default
    let other = directory.url.appending(path: "other").path
    switch spelling {
    case .same: return path
    case .relative:
      let up = files.currentDirectoryPath.split(separator: "/").map { _ in ".." }
      return up.joined(separator: "/") + path
    case .uri: return "file:" + path
    case .symbolicLink:
      try files.createSymbolicLink(atPath: other, withDestinationPath: path)
      return other
    case .linkedDirectory:
      try files.createSymbolicLink(atPath: other, withDestinationPath: directory.url.path)
      return other + "/app.sqlite"
    case .hardLink:
      try files.linkItem(atPath: path, toPath: other)
      return other
    }
  }

  @Test(arguments: Spelling.allCases)
  func fileHasOneLockWhateverItsPath(_ spelling: Spelling) throws {
    let first = try DatabaseQueue(path: path)
    let second = try DatabaseQueue(path: spelled(spelling))
    for (one, other) in [(first, second), (second, first)] {
      let lock = try EngineLock(database: one)
      #expect(lock != nil)
      #expect(try EngineLock(database: other) == nil)
      withExtendedLifetime(lock) {}
    }
    #expect(try EngineLock(database: second) != nil)
  }

  /// SQLite has a log for each name: what is written by one is lost by the other.
  @Test func fileWithTwoNamesIsRefused() throws {
    let other = try spelled(.hardLink)
    for name in [path, other] {
      let error = #expect(throws: SyncError.self) {
        _ = try SyncEngine(for: DatabaseQueue(path: name), tableNames: [], cloud: nil)
      }
      #expect(error?.reason == .severalNames)
      #expect(error?.message.contains("2 names") == true)
    }
    try FileManager.default.removeItem(atPath: other)
    _ = try SyncEngine(for: DatabaseQueue(path: path), tableNames: [], cloud: nil)
  }

  /// A container may have been given the file and not its directory: the log that SQLite keeps
  /// beside it would be lost with the container.
  @Test(.enabled(if: Mount.isPossible, "Nothing can be mounted here."))
  func fileThatAloneIsMountedIsRefused() throws {
    let other = path + "-mounted"
    try Data().write(to: URL(filePath: other))
    try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: "CREATE TABLE t (x)") }
    let mount = try #require(Mount(path, at: other))
    defer { mount.end() }
    let error = #expect(throws: SyncError.self) {
      _ = try SyncEngine(for: DatabaseQueue(path: other), tableNames: [], cloud: nil)
    }
    #expect(error?.reason == .severalNames)
    #expect(error?.hint == "Mount its directory instead.")
    _ = try SyncEngine(for: DatabaseQueue(path: path), tableNames: [], cloud: nil)
  }

  /// Another process has another open file, as this test has.
  @Test func lockOfAnotherProcessIsSeen() throws {
    let database = try DatabaseQueue(path: path)
    let file = open(path, O_RDWR)
    defer { close(file) }
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_start = 1 << 62
    range.l_len = 1
    #expect(fcntl(file, 37, &range) == 0)
    #expect(try EngineLock(database: database) == nil)
    range.l_type = Int16(F_UNLCK)
    #expect(fcntl(file, 37, &range) == 0)
    #expect(try EngineLock(database: database) != nil)
  }

  @Test func lockOfFormerVersionIsSeen() throws {
    let database = try DatabaseQueue(path: path)
    let file = open(path + "-sync-lock", O_RDWR | O_CREAT, 0o600)
    #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
    #expect(try EngineLock(database: database) == nil)
    close(file)
    #expect(try EngineLock(database: database) != nil)
  }

  @Test func filesHaveLocksOfTheirOwn() throws {
    let other = try DatabaseQueue(path: directory.url.appending(path: "b.sqlite").path)
    let lock = try EngineLock(database: DatabaseQueue(path: path))
    #expect(try EngineLock(database: other) != nil)
    withExtendedLifetime(lock) {}
  }

  @Test func databaseInMemoryHasOneLockToo() throws {
    let name = UUID().uuidString
    let shared = try (DatabaseQueue(named: name), DatabaseQueue(named: name))
    let alone = try DatabaseQueue()
    let locks = try (EngineLock(database: shared.0), EngineLock(database: alone))
    #expect(locks.0 != nil && locks.1 != nil)
    #expect(try EngineLock(database: shared.1) == nil)
    #expect(try EngineLock(database: alone) == nil)
    #expect(try EngineLock(database: DatabaseQueue()) != nil)
    withExtendedLifetime(locks) {}
    #expect(DatabaseIdentity.sharedName("file:a%20b?mode=memory&cache=shared") == "a b")
    #expect(DatabaseIdentity.sharedName("file:///a?vfs=memdb") == "/a")
    #expect(DatabaseIdentity.sharedName("file:a?mode=memory") == nil)
  }

  /// Whoever is refused has nothing to give back.
  @Test func refusedEngineLeavesTheLockWithTheOther() throws {
    for database in [try DatabaseQueue(), try DatabaseQueue(path: path)] {
      let lock = try EngineLock(database: database)
      for _ in 0..<3 { #expect(try EngineLock(database: database) == nil) }
      withExtendedLifetime(lock) {}
    }
  }
}

/// A file that is mounted at the place of another one.
private struct Mount {
  private let place: String

  /// Whether this process may mount anything.
  static let isPossible: Bool = {
    let file = FileManager.default.temporaryDirectory.appending(path: "mount-\(UUID())").path
    defer { unlink(file) }
    guard FileManager.default.createFile(atPath: file, contents: nil),
      let mount = Mount(file, at: file)
    else { return false }
    mount.end()
    return true
  }()

  init?(_ file: String, at place: String) {
    guard mount(file, place, nil, UInt(MS_BIND), nil) == 0 else { return nil }
    self.place = place
  }

  func end() { umount(place) }
}
