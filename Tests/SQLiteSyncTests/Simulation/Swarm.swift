import RemindersTestSupport

/// What one seed is about: a few kinds of trouble, each as likely as the seed says, the others not
/// at all (Groce et al., "Swarm testing", 2012).
struct Swarm {
  /// What one step of the schedule does.
  enum Step: CaseIterable {
    case edit, sync, fetch, send, interruptedSync, relaunch, crash, upgrade, join, weather
    case clock, pause, foreignEdit, checkpoint, forge
  }

  /// When the oracle looks at edits: it folds them, which the engine otherwise does itself.
  enum Watching: CaseIterable {
    case everyEdit, beforeSync, never
  }

  /// More cannot join.
  static let mostDevices = 6

  let deviceCount: Int
  /// How many times as long the schedule is as others.
  let length: Int
  let watching: Watching
  let versions: [SimulatedSchema.Version]
  let isOnDisk: Bool
  let commitsPerTransaction: Int
  /// Rows that are there before the first sync.
  let bulk: Int
  let rollsBack: Bool
  /// Where the cloud is.
  let liar: Liar
  let faults: RandomFaults.Chances
  private let steps: [(step: Step, weight: Int)]

  init(over liar: Liar, using random: inout SplitMix64) {
    func sometimes(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    self.liar = liar
    deviceCount =
      sometimes(7)
      ? Int.random(in: 5...Self.mostDevices, using: &random) : Int.random(in: 2...4, using: &random)
    length = sometimes(4) ? 3 : 1
    watching = Watching.allCases.randomElement(using: &random) ?? .never
    let isMixed = sometimes(50)
    versions = isMixed ? [.old, .new] : [sometimes(50) ? .old : .new]
    isOnDisk = sometimes(12)
    commitsPerTransaction = [1, 3, 64].randomElement(using: &random) ?? 64
    bulk = sometimes(2) ? 500 : 0
    rollsBack = sometimes(50)
    let chances = RandomFaults.Chances(using: &random)
    // The schedule of a seed is the same wherever its cloud is.
    var own = random
    faults = liar.chances(after: chances, using: &own)
    var steps: [(Step, Int)] = [(.edit, 55), (.sync, 18), (.fetch, 9), (.send, 9)]
    let extras: [(step: Step, percent: Int, weight: Int)] = [
      (.interruptedSync, 30, 4), (.relaunch, 50, 3), (.crash, 40, 4), (.join, 30, 1),
      (.weather, 30, 5), (.clock, 40, 5), (.pause, 50, 4), (.checkpoint, 30, 3),
      (.forge, 15, 2),
    ]
    for extra in extras where sometimes(extra.percent) { steps.append((extra.step, extra.weight)) }
    if isMixed { steps.append((.upgrade, 2)) }
    if isOnDisk { steps.append((.foreignEdit, 15)) }
    self.steps = steps
  }

  /// Draws the next step.
  func step(using random: inout SplitMix64) -> Step {
    var pick = Int.random(in: 0..<steps.reduce(0) { $0 + $1.weight }, using: &random)
    for (step, weight) in steps {
      pick -= weight
      if pick < 0 { return step }
    }
    return .edit
  }
}

extension RandomFaults.Chances {
  /// A few kinds of faults, each as likely as the seed says.
  init(using random: inout SplitMix64) {
    self.init()
    func sometimes(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    if sometimes(30) { crash = Int.random(in: 2...25, using: &random) }
    if sometimes(30) { failure = Int.random(in: 5...60, using: &random) }
    if sometimes(30) { lostAnswer = Int.random(in: 20...300, using: &random) }
    if sometimes(20) { repeated = Int.random(in: 20...300, using: &random) }
    if sometimes(30) { stale = Int.random(in: 20...400, using: &random) }
  }
}

/// What has to happen in some seed, or the simulation is asleep.
enum Mark: Hashable, CaseIterable {
  case crashedBeforeCall, crashedAfterCreate, crashedBeforeCommit, crashedAfterCommit
  case failedCall, lostAnswerOfDone, lostAnswerOfNotDone, repeatedCreate, staleRead, staleList
  case offline, fullDisk, interrupted, relaunched, reopenedFile, foreignEdit
  case joinedLate, joinedFromCheckpoint, checkpointed, fetchedWhole, mixedVersions, upgraded
  case manyDevices, longSchedule, forged
  case onMount, overSSH, inBucket, inDatabase, createdLater, lateList, cutConnection
  case clockJumped, clockStuck, clockDrifted, rolledBack, rolledBackToSavepoint, refusedEdit
  case merged, revived, waited, splitBatch, serverRecordChanged, referenceViolation
  case lostToHistory
}

extension Mark {
  init(_ met: RandomFaults.Met) {
    self =
      switch met {
      case .crashBefore: .crashedBeforeCall
      case .crashAfterCreate: .crashedAfterCreate
      case .failure: .failedCall
      case .lostAnswerDone: .lostAnswerOfDone
      case .lostAnswerNotDone: .lostAnswerOfNotDone
      case .staleRead: .staleRead
      case .staleList: .staleList
      case .repeated: .repeatedCreate
      case .createdLater: .createdLater
      case .lateList: .lateList
      case .cut: .cutConnection
      case .offline: .offline
      case .fullDisk: .fullDisk
      }
  }
}
