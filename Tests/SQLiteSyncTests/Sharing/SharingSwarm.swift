import RemindersTestSupport

/// What one seed of the simulation of sharing is about: what people do, and a few kinds of trouble.
struct SharingSwarm {
  /// What one step of the schedule does.
  enum Step {
    case makeList, makeReminder, makeSubtask, makeNote, makeTag, rename, move, delete, deleteList
    case share, publish, accept, permit, leave, unshare, reset
    case sync, fetch, send, interruptedSync, crash, relaunch, weather, clock, pause, checkpoint
    case signOut, signIn, forge, upgrade

    /// Whether it can be done while nobody is signed in.
    var needsNobody: Bool {
      switch self {
      case .makeList, .makeReminder, .makeSubtask, .makeNote, .makeTag, .rename, .move, .delete,
        .deleteList, .relaunch, .weather, .clock, .pause, .signOut, .signIn, .forge, .upgrade:
        true
      case .share, .publish, .accept, .permit, .leave, .unshare, .reset, .sync, .fetch, .send,
        .interruptedSync, .crash, .checkpoint:
        false
      }
    }

    /// Whether it changes who may do what, or what the moments of writes say.
    var isAboutRights: Bool {
      switch self {
      case .publish, .permit, .leave, .unshare, .reset, .clock, .signOut, .signIn: true
      default: false
      }
    }
  }

  let faults: RandomFaults.Chances
  let commitsPerTransaction: Int
  /// How many times as long the schedule is as others.
  let length: Int
  /// Whether some have one device more.
  let hasMoreDevices: Bool
  /// Whether every second device begins with a version of the app that has no subtasks.
  let isMixed: Bool
  /// Whether everybody may always write, and all clocks are right.
  let allMayWrite: Bool
  private let steps: [(step: Step, weight: Int)]

  init(
    isForging: Bool, isMixed: Bool, allMayWrite: Bool, using random: inout SplitMix64
  ) {
    self.isMixed = isMixed
    self.allMayWrite = allMayWrite
    func sometimes(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    faults = sometimes(60) ? RandomFaults.Chances(using: &random) : RandomFaults.Chances()
    commitsPerTransaction = sometimes(50) ? 64 : 1
    length = sometimes(5) ? 3 : 1
    hasMoreDevices = sometimes(10)
    var steps: [(Step, Int)] = [
      (.makeList, 1), (.makeReminder, 4), (.makeSubtask, 4), (.makeNote, 1), (.rename, 5),
      (.move, 10), (.delete, 2), (.deleteList, 1), (.share, 4), (.accept, 5), (.permit, 3),
      (.leave, 1), (.unshare, 1), (.sync, 24), (.fetch, 3), (.send, 3),
    ]
    let extras: [(step: Step, percent: Int, weight: Int)] = [
      (.interruptedSync, 50, 6), (.crash, 50, 4), (.relaunch, 50, 2), (.weather, 30, 4),
      (.clock, 30, 3), (.pause, 50, 4), (.checkpoint, 30, 3), (.publish, 50, 2), (.reset, 15, 1),
    ]
    for extra in extras where sometimes(extra.percent) { steps.append((extra.step, extra.weight)) }
    if sometimes(40) { steps += [(.signOut, 3), (.signIn, 4)] }
    if isForging { steps.append((.forge, 12)) }
    if isMixed { steps.append((.upgrade, 1)) }
    if allMayWrite {
      steps = steps.filter { !$0.0.isAboutRights } + [(.makeTag, 4), (.move, 10), (.deleteList, 3)]
    }
    self.steps = steps
  }

  /// Draws the next step.
  func step(using random: inout SplitMix64) -> Step {
    var pick = Int.random(in: 0..<steps.reduce(0) { $0 + $1.weight }, using: &random)
    for (step, weight) in steps {
      pick -= weight
      if pick < 0 { return step }
    }
    return .sync
  }
}

/// What has to happen in some seed, or the simulation of sharing is asleep.
enum SharingMark: Hashable, CaseIterable {
  case crashed, crashedBeforeCommit, crashedAfterCommit, interrupted, failedCall, lostAnswer
  case refusedWrite, refusedByCloud, followed, left, ended, reset, checkpointed
  case fetchedWhole, held, ignored, signedOut, signedInAgain, switched, keptFromSigningOut
  case forged, longSchedule, manyDevices, mixedVersions, upgraded
}
