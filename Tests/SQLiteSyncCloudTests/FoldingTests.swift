import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Folding page by page: what is held does not grow with the zone, and nobody sees where a page
/// ends.
@Suite struct FoldingTests {
  /// Commits of few operations, of which one is folded at a time, and all that is folded in files.
  static let smallest: MaintenancePolicy = {
    var policy = MaintenanceTests.eager
    (policy.operationsAtOnce, policy.bytesAtOnce, policy.spooledBytes) = (1, 1, 1)
    return policy
  }()

  /// Saves a list and records in it, `size` at a time, and then all of them once more.
  func recordsHeld(for count: Int, in size: Int) throws -> Int {
    let cloud = try CloudFixture()
    try cloud.log.create()
    try cloud.device.save("list", "")
    for _ in 1...2 {
      for start in stride(from: 0, to: count, by: size) {
        try cloud.device.modify(
          (start..<min(start + size, count)).map { number in
            .save(.test("\(number)", parent: "list"), base: cloud.device.tag("\(number)"))
          })
      }
    }
    let report = try cloud.log.maintain(Self.smallest)
    let fresh = try cloud.other().device
    try fresh.fetch()
    #expect(fresh.copies == cloud.device.copies)
    return report.recordsAtOnce
  }

  @Test func whatIsHeldDoesNotGrowWithTheZone() throws {
    // Those of a commit, what they were before, and the list.
    #expect(try recordsHeld(for: 50, in: 10) == 21)
    #expect(try recordsHeld(for: 1_000, in: 10) == 21)
  }

  /// The rules ask only whether there is a child.
  @Test func aListOfManyRecordsIsDeletedWithoutHoldingThem() throws {
    let cloud = try CloudFixture()
    try cloud.log.create()
    try cloud.device.save("list", "")
    for start in stride(from: 0, to: 100, by: 10) {
      try cloud.device.modify(
        (start..<start + 10).map { .save(.test("\($0)", parent: "list"), base: nil) })
    }
    let token = try #require(cloud.device.token)
    try cloud.forge(
      at: token.sequence + 1, previous: token.hash,
      [.delete(.test("list"), base: cloud.device.tag("list"))])
    #expect(try cloud.log.maintain(Self.smallest).recordsAtOnce == 11)
    let fresh = try cloud.other().device
    try fresh.fetch()
    #expect(fresh.records.count == 101)
  }

  @Test func framesAreReadAsTheyWereWritten() throws {
    let spool = SpoolFile(pageBytes: 8)
    let frames = [[], [1], Array(repeating: 2, count: 100), [3, 4, 5], []].map { $0 as [UInt8] }
    let offsets = try frames.map { try spool.append($0) }
    for _ in 1...2 {
      var read: [[UInt8]] = []
      try spool.forEach { number, frame in
        #expect(number == read.count)
        read.append(Array(frame))
      }
      #expect(read == frames)
      #expect(try offsets.map { try spool.read(at: $0) { Array($0) } } == frames)
    }
  }

  /// Also commits that break a rule: on what a page before says, or on what the same one says.
  @Test(arguments: 1...100) func pagesFoldToTheSameFiles(seed: UInt64) throws {
    let whole = try Zone(seed, MaintenanceTests.eager)
    let paged = try Zone(seed, Self.smallest)
    for _ in 1...3 {
      try whole.write(12)
      try paged.write(12)
      let checkpoint = try whole.fold()
      #expect(try checkpoint == paged.fold())
      let fresh = try paged.cloud.other(99).device
      try fresh.fetch()
      #expect(fresh.copies == paged.cloud.device.copies)
    }
    #expect(whole.cloud.device.voided == paged.cloud.device.voided)
  }
}

extension FoldingTests {
  /// A zone with what somebody writes who keeps the rules most of the time.
  private final class Zone {
    let cloud: CloudFixture
    private let policy: MaintenancePolicy
    private var generator: SplitMix64

    init(_ seed: UInt64, _ policy: MaintenancePolicy) throws {
      (cloud, self.policy) = (try CloudFixture(seed: seed), policy)
      generator = SplitMix64(seed: seed)
      try cloud.log.create()
    }

    func write(_ count: Int) throws {
      for _ in 1...count {
        let token = try cloud.device.token ?? cloud.log.manifest().start
        var names: Set<String> = []
        let changes = (0...draw(3)).compactMap { _ -> CloudChange? in
          let name = "\(draw(6))"
          return names.insert(name).inserted ? change(name) : nil
        }
        try cloud.forge(at: token.sequence + 1, previous: token.hash, changes)
        try cloud.device.fetch()
      }
    }

    func fold() throws -> Checkpoint? {
      _ = try cloud.log.maintain(policy)
      return try cloud.log.manifest().checkpoint?.checkpoint
    }

    private func change(_ name: String) -> CloudChange {
      let base = draw(10) == 0 ? nil : cloud.device.tag(name)
      let clock = TestTime.beginning + Int64(draw(1_000))
      if draw(3) == 0 { return .delete(.test(name, at: clock), base: base) }
      let parent = draw(2) == 0 ? nil : "\(draw(6))"
      return .save(.test(name, "\(draw(1_000))", parent: parent, at: clock), base: base)
    }

    private func draw(_ count: Int) -> Int {
      Int.random(in: 0..<count, using: &generator)
    }
  }
}
