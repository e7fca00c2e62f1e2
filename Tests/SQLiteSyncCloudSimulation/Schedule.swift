import Foundation
import RemindersTestSupport

@testable import SQLiteSyncCloud

/// One random schedule of a few devices over one disk: everything follows from the seed.
///
/// First anything may happen; then the faults stop, and everybody must come to rest with the same
/// rows.
final class Schedule {
  /// What may happen in this schedule, drawn for each: many dangers at once hide each other.
  struct Plan {
    var steps = 0
    var records = 1
    /// In a thousand calls or steps.
    var stalls = 0
    var errors = 0
    var lostAnswers = 0
    var deaths = 0
    var powerCuts = 0
    var deletions = 0
    var poisonings = 0
    var maintenances = 0
    /// For how many milliseconds a mount may hide what is new.
    var staleness: Int64 = 0
    var policy = MaintenancePolicy()
  }

  let seed: UInt64
  let bugs: Set<SeededBug>
  private var plan = Plan()
  let ledger = Ledger()
  let disk = SimulatedDisk()
  /// By the disk's clock.
  private(set) var time: Int64 = 1_795_000_000_000
  /// What happened, when somebody wants to read it.
  private(set) var lines: [String] = []

  private let isTraced: Bool
  private var generator: SplitMix64
  private var devices: [SimulatedDevice] = []
  private let workers: [Worker]
  private var lastValue: Int64 = 0
  /// What the entries of `meta` announce.
  private var floors: [Data: Int64] = [:]

  init(seed: UInt64, bugs: Set<SeededBug> = [], workers: [Worker], isTraced: Bool = false) {
    self.seed = seed
    self.bugs = bugs
    self.workers = workers
    self.isTraced = isTraced
    generator = SplitMix64(seed: seed)
  }

  /// For as many devices as a schedule may have.
  static func makeWorkers() -> [Worker] { (0..<5).map { _ in Worker() } }

  // MARK: Chance

  func random() -> UInt64 { generator.next() }

  func draw(_ count: Int) -> Int { Int(truncatingIfNeeded: generator.next() >> 33) % count }

  func chance(_ inThousand: Int) -> Bool { inThousand > 0 && draw(1_000) < inThousand }

  /// Whether a call fails.
  func fails() -> Bool { chance(plan.errors) }

  /// Whether the answer to a creation is lost.
  func losesAnswer() -> Bool { chance(plan.lostAnswers) }

  var staleness: Int64 { plan.staleness }
  var policy: MaintenancePolicy { plan.policy }

  func trace(_ line: @autoclosure () -> String) {
    if isTraced { lines.append("\(time) \(line())") }
  }

  /// The floor that no power cut can take back.
  var durableFloor: Int64 {
    disk.files(in: "meta").filter(\.isDurable).reduce(0) { max($0, floor(of: $1.bytes)) }
  }

  private func floor(of entry: Data) -> Int64 {
    if let known = floors[entry] { return known }
    var floor: Int64 = 0
    // What is no entry announces nothing.
    if case .checkpoint(let checkpoint)? = try? MetaEntry.read(SealedFile(Array(entry))).kind {
      floor = checkpoint.floor
    }
    floors[entry] = floor
    return floor
  }

  func wait(milliseconds: Int64) {
    time += milliseconds
  }

  func failed(_ error: CloudError, on device: SimulatedDevice) {
    trace("\(device.number) failed: \(error.reason)")
    guard error != SimulatedStore.eio, error != SimulatedStore.dead else { return }
    let isHole = error.reason.contains("is missing")
    // A mount that hides what is new hides a new cloud, or one commit of two; to a reader who does
    // not look at the floor, what was compacted seems lost, until it looks again.
    let isHidden =
      plan.staleness > 0
      && (isHole || error.reason.hasPrefix("The mount")
        || error.code == .accountTemporarilyUnavailable)
      || bugs.contains(.readerIgnoresFloor) && (isHole || error.code == .zoneNotFound)
    if !isHidden { ledger.violate("\(device.number): \(error)") }
  }

  // MARK: Running

  /// Runs the schedule; returns what went wrong.
  func run() -> String? {
    makePlan()
    for _ in 0..<plan.steps where ledger.violation == nil { step() }
    heal()
    if let violation = ledger.violation { trace(violation) }
    return ledger.violation
  }

  private func makePlan() {
    func sometimes(_ inThousand: Int, _ percent: Int = 50) -> Int {
      draw(100) < percent ? 1 + draw(inThousand) : 0
    }
    plan.steps = 8 + draw(20)
    plan.records = 1 + draw(3)
    plan.stalls = sometimes(700, 80)
    plan.errors = sometimes(30, 25)
    plan.lostAnswers = sometimes(200, 30)
    plan.deaths = sometimes(60, 40)
    plan.powerCuts = sometimes(150, 40)
    plan.deletions = sometimes(400, 60)
    plan.poisonings = sometimes(300, 15)
    plan.maintenances = sometimes(500, 80)
    plan.staleness = draw(4) == 0 ? Int64(50 + draw(150)) : 0
    plan.policy.manyCommits = 1 + draw(3)
    plan.policy.keptCommits = Int64(max(0, draw(4) - 1))
    plan.policy.keptCommitAge = 0
    plan.policy.tombstoneAge = draw(3) == 0 ? 0 : MaintenancePolicy.days(180)
    // So that what a page stands on is in the page, in a file, or in the pages before.
    plan.policy.operationsAtOnce = plan.records
    plan.policy.spooledBytes = seed.isMultiple(of: 2) ? 1 : 1 << 20
    plan.policy.announcement = bugs.contains(.noAnnouncement) ? 0 : plan.staleness
    let isSkewed = draw(3) == 0 && plan.staleness == 0
    devices = (0..<(2 + draw(3))).map { number in
      SimulatedDevice(
        number: number, skew: isSkewed ? Int64(draw(7_200_000)) - 3_600_000 : 0,
        worker: workers[number], schedule: self)
    }
  }

  private func step() {
    time += Int64(draw(30))
    if chance(plan.powerCuts) { return cutPower() }
    let device = devices[draw(devices.count)]
    if chance(plan.deaths) {
      trace("\(device.number) dies")
      ledger.mark(.death)
      device.die()
    }
    if device.isStalled {
      return device.resume(callsUntilStall: chance(plan.stalls) ? draw(25) : nil)
    }
    if chance(600) { edit(device) }
    let stall = chance(plan.stalls) ? draw(40) : nil
    if stall != nil { ledger.mark(.stall) }
    if chance(plan.maintenances) {
      trace("\(device.number) maintains")
      device.begin(stallAfter: stall) { try $0.maintain() }
    } else if chance(300) {
      trace("\(device.number) fetches")
      device.begin(stallAfter: stall) { try $0.fetch() }
    } else {
      trace("\(device.number) synchronizes")
      device.begin(stallAfter: stall) { try $0.synchronize() }
    }
  }

  private func edit(_ device: SimulatedDevice) {
    let name = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(draw(plan.records))))
    var wall = time + device.skew
    if chance(plan.poisonings) {
      ledger.mark(.poisonedClock)
      wall = .max
    }
    if chance(plan.deletions) {
      trace("\(device.number) deletes \(name)")
      device.delete(name, at: wall)
    } else {
      lastValue += 1
      let field = draw(2) == 0 ? "x" : "y"
      trace("\(device.number) writes \(lastValue) to \(name).\(field)")
      device.write(name, field: field, value: lastValue, at: wall)
    }
  }

  private func cutPower() {
    trace("power cut")
    ledger.mark(.powerCut)
    let count = disk.losePower { draw(2) == 0 }
    if count.lostNames > 0 { ledger.mark(.lostName) }
    if count.undoneDeletions > 0 { ledger.mark(.undoneDeletion) }
    for device in devices { device.die() }
  }

  /// Faults stop; everybody goes on, and comes to rest.
  private func heal() {
    trace("healing")
    let isBroken = ledger.violation != nil
    plan.errors = 0
    plan.lostAnswers = 0
    time += plan.staleness
    for device in devices where device.isStalled {
      if isBroken { device.die() } else { device.resume(callsUntilStall: nil) }
    }
    guard ledger.violation == nil else { return }
    time += plan.staleness
    let fresh = SimulatedDevice(
      number: devices.count, skew: 0, worker: workers[devices.count], schedule: self)
    var rounds = 0
    repeat {
      rounds += 1
      guard rounds <= 10 else { return ledger.violate("no rest after 10 rounds") }
      for device in devices { device.begin(stallAfter: nil) { try $0.synchronize() } }
      time += plan.staleness
      guard ledger.violation == nil else { return }
    } while Set(devices.map(\.saved.token)).count > 1
    let count = disk.files(in: "log").count
    fresh.begin(stallAfter: nil) { try $0.synchronize() }
    ledger.close(devices, fresh: fresh)
    if disk.files(in: "log").count != count { ledger.violate("somebody still wrote") }
  }
}
