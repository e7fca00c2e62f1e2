import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Every store call of every kind of work fails once in every way: then the device starts again,
/// and all is there.
@Suite struct FaultPointTests {
  enum Work: CaseIterable, Sendable {
    case create, commit, commitWithAsset, fetch, firstFetch, compact, collect, delete, reset
  }

  enum Failure: CaseIterable, Sendable {
    case crashBefore, crashAfter, inputOutput, diskFull, notPermitted, answerLost, notDone

    var fault: FaultyStore.Fault {
      switch self {
      case .crashBefore: .crashBefore
      case .crashAfter: .crashAfter
      case .inputOutput: .failure(PosixError(number: EIO).cloudError("Doing", "it"))
      case .diskFull: .failure(PosixError(number: ENOSPC).cloudError("Doing", "it"))
      case .notPermitted: .failure(PosixError(number: EACCES).cloudError("Doing", "it"))
      case .answerLost: .unknownDone
      case .notDone: .unknownNotDone
      }
    }
  }

  /// A cloud on which the work is to be done by `worker`, and a store that can fail it.
  private struct Scene {
    let clock = TestTime()
    let witness: CloudFixture
    let faulty: FaultyStore
    let worker: CloudFixture

    init() throws {
      let clock = clock
      witness = try CloudFixture(over: MemoryStore(now: { clock.now }), clock: clock)
      try witness.log.create()
      for name in 1...4 { try witness.device.save("\(name)", "1") }
      faulty = FaultyStore(witness.store)
      worker = try CloudFixture(over: faulty, seed: 2, clock: clock)
    }

    /// What comes before the work.
    func prepare(_ work: Work) throws {
      if work != .firstFetch { try worker.device.fetch() }
      if work == .fetch { try witness.device.save("5", "1") }
      if work == .collect {
        _ = try witness.log.maintain(MaintenanceTests.eager)
        clock.advance(hours: 24)
      }
    }

    func perform(_ work: Work) throws {
      let device = worker.device
      switch work {
      case .create: try worker.container.zone(ZoneID(name: "new", owner: CloudFixture.ann)).create()
      case .commit: try device.save("new", "1")
      case .commitWithAsset:
        var record = CloudRecord.test("new", "1")
        let asset = try worker.log.publishAsset(Data("bytes".utf8))
        record.fields["cover"] = CloudField(.asset(asset), .zero)
        try device.modify([.save(record, base: device.tag("new"))])
      case .fetch, .firstFetch: try device.fetch()
      case .compact, .collect: _ = try worker.log.maintain(MaintenanceTests.eager)
      case .delete: try worker.log.delete(reason: "")
      case .reset: try worker.log.reset(reason: "")
      }
    }
  }

  @Test(arguments: Work.allCases, Failure.allCases)
  func workThatFailedAtAnyCallIsDoneAfterwards(work: Work, failure: Failure) throws {
    var isReached = true
    var call = 0
    while isReached {
      call += 1
      try #require(call < 200)
      let scene = try Scene()
      try scene.prepare(work)
      scene.faulty.restart()
      let failing = call
      scene.faulty.plan { $0.number == failing ? failure.fault : nil }
      do {
        try scene.perform(work)
      } catch let error as CloudError {
        #expect(!error.reason.isEmpty)
      }
      isReached = scene.faulty.callCount >= failing
      scene.faulty.restart()
      try expectAllIsThere(after: work, in: scene, "\(failure) at call \(failing)")
    }
  }

  private func expectAllIsThere(
    after work: Work, in scene: Scene, _ comment: Comment
  ) throws {
    switch work {
    case .delete, .reset:
      // Done, or still to be done: never half.
      if try scene.worker.log.exists() { try scene.perform(work) }
      let isThere = try scene.witness.log.exists()
      #expect(isThere == (work == .reset), comment)
      let fresh = try scene.witness.other(8)
      if work == .reset { try fresh.device.fetch() }
      #expect(fresh.device.records.isEmpty, comment)
    default:
      let device = scene.worker.device
      try device.fetch()
      if device.records["new"] == nil || work == .compact || work == .collect || work == .create {
        try scene.perform(work)
      }
      try scene.witness.device.fetch()
      let fresh = try scene.witness.other(8)
      try fresh.device.fetch()
      #expect(fresh.device.copies == device.copies, comment)
      #expect(scene.witness.device.copies == device.copies, comment)
      #expect(device.voided == 0, comment)
      let isCommit = work == .commit || work == .commitWithAsset
      #expect(device.records.count == 4 + (isCommit || work == .fetch ? 1 : 0), comment)
      for asset in device.records.values.flatMap(\.assets) {
        #expect(try scene.worker.log.readAsset(asset) == Data("bytes".utf8), comment)
      }
    }
  }
}
