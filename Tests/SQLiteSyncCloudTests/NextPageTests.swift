import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What is read ahead changes nothing but who reads it.
struct NextPageTests {
  private let store: FaultyStore
  private let writer: CloudFixture
  private let reader: CloudFixture
  /// How often each object was read since `watch`.
  private let reads: Reads

  init() throws {
    let reads = Reads()
    store = FaultyStore(MemoryStore()) { reads.note($0) }
    self.reads = reads
    writer = try CloudFixture(over: store)
    try writer.log.create()
    reader = try writer.other()
  }

  /// A log of commits of half a megabyte.
  private func write(_ numbers: ClosedRange<Int>) throws {
    let text = String(repeating: "a", count: NextPage.worthwhile / 2)
    for number in numbers { try writer.device.save("\(number)", text) }
  }

  /// The pages that a reader gets from the beginning of the log, with another one to take over.
  private func pages(_ next: NextPage?, limit: Int = 3) throws -> [ZoneChanges] {
    let device = Device(reader.log)
    var pages: [ZoneChanges] = []
    repeat {
      let page = try device.log.changes(
        after: device.token, limit: limit, view: device.view, readingAhead: next)
      device.apply(page)
      pages.append(page)
    } while pages.last?.moreComing == true
    return pages
  }

  @Test func pagesAreTheSameWithAndWithoutIt() throws {
    try write(1...7)
    let (with, without) = try (pages(NextPage()), pages(nil))
    #expect(with.map(\.copies) == without.map(\.copies))
    #expect(with.map(\.token) == without.map(\.token))
    #expect(with.map(\.byteCount) == without.map(\.byteCount))
  }

  @Test func partsOfACheckpointAreReadAheadToo() throws {
    try write(1...10)
    _ = try writer.log.maintain(MaintenanceTests.eager)
    let manifest = try writer.log.manifest()
    let parts = try #require(manifest.checkpoints.last?.checkpoint.parts)
    #expect(parts.count > 2)
    reads.reset()
    let pages = try pages(NextPage())
    #expect(reads.most("cp") == 1)
    #expect(pages.map(\.copies) == (try self.pages(nil).map(\.copies)))
  }

  @Test func nothingThatIsThereIsReadTwiceForIt() throws {
    try write(1...9)
    func counts(_ next: NextPage?) throws -> [String: Int] {
      reads.reset()
      _ = try pages(next)
      // What comes after the last commit is asked for once more.
      let last = ZoneLayout.fileName(9)
      return reads.counts("log").filter { ($0.key.split(separator: "/").last ?? "") <= last }
    }
    #expect(try counts(NextPage()) == counts(nil))
  }

  @Test func whatCannotBeReadAheadIsReadAgain() throws {
    try write(1...10)
    let whole = try pages(nil)
    reads.reset()
    reads.fail(["0000004", "0000008"])
    #expect(try pages(NextPage()).map(\.copies) == whole.map(\.copies))
    #expect(reads.failed == 2)
  }

  @Test func aLogThatWasBegunAnewMeanwhileIsNotReadOn() throws {
    try write(1...6)
    let next = NextPage()
    let device = Device(reader.log)
    device.apply(
      try device.log.changes(after: nil, limit: 3, view: device.view, readingAhead: next))
    try writer.log.reset(reason: "a test")
    #expect(throws: CloudError.rebuilt(writer.log.id)) {
      try device.log.changes(after: device.token, view: device.view, readingAhead: next)
    }
  }

  @Test func whoAsksForSomethingElseGetsThat() throws {
    try write(1...6)
    let next = NextPage()
    let device = Device(reader.log)
    let first = try device.log.changes(
      after: nil, limit: 3, view: device.view, readingAhead: next)
    let again = try device.log.changes(
      after: nil, limit: 3, view: device.view, readingAhead: next)
    #expect(again.copies == first.copies)
  }

  @Test func littleIsNotWorthwhile() throws {
    for number in 1...6 { try writer.device.save("\(number)", "a") }
    let next = NextPage()
    let page = try reader.log.changes(
      after: nil, limit: 3, view: reader.device.view, readingAhead: next)
    #expect(next.take(after: page.token) == nil)
  }
}

/// Counts what is read, and lets the first read of some objects fail.
private final class Reads: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var failing: Set<String> = []
    var failed = 0
  }

  private let state = Mutex(State())

  func note(_ call: FaultyStore.Call) -> FaultyStore.Fault? {
    guard call.kind == .read else { return nil }
    return state.withLock { state in
      state.counts[call.path, default: 0] += 1
      guard let name = state.failing.first(where: { call.path.contains($0) }) else { return nil }
      state.failing.remove(name)
      state.failed += 1
      return .failure(FaultyStore.lost)
    }
  }

  func reset() { state.withLock { $0 = State() } }

  /// Lets the next read of each object fail that has one of these in its name.
  func fail(_ names: Set<String>) { state.withLock { $0.failing = names } }

  var failed: Int { state.withLock(\.failed) }

  /// How often each object of a directory was read, where it was there.
  func counts(_ directory: String) -> [String: Int] {
    state.withLock { $0.counts.filter { $0.key.contains("/\(directory)/") } }
  }

  /// How often the one was read that was read most often.
  func most(_ directory: String) -> Int { counts(directory).values.max() ?? 0 }
}
