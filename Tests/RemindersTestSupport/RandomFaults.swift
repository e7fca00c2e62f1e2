import SQLiteSyncCloud
import Synchronization

/// Faults at random, as a plan for a `FaultyStore`.
///
/// Everything follows from the seed and the order of the calls.
public final class RandomFaults: Sendable {
  /// Of a thousand calls, how many go wrong in each way.
  public struct Chances: Hashable, Sendable {
    /// The process dies, before or after the call.
    public var crash = 0
    /// The call is not carried out and says so.
    public var failure = 0
    /// The answer to a create is lost, whether it was done or not.
    public var lostAnswer = 0
    /// A create is carried out twice, because its first answer is lost on the way.
    public var repeated = 0
    /// The call is answered from before the object was there.
    public var stale = 0
    /// A create whose answer is lost is carried out later, when nobody reckons with it any more.
    public var later = 0
    /// A listing lacks what is new.
    public var lateList = 0
    /// The connection is cut: the answer is lost, and some more calls do not get through.
    public var cut = 0
    /// After a cut, at most so many calls do not get through.
    public var longestCut = 1

    /// No faults.
    public init() {}
  }

  /// What a device goes through for a while.
  public enum Weather: Sendable, CaseIterable {
    case fine
    /// The cloud cannot be reached at all.
    case offline
    /// Nothing can be written to the cloud.
    case fullDisk
  }

  /// What a call met, for those who want to know that it happened.
  public enum Met: Hashable, Sendable {
    case crashBefore, crashAfterCreate, failure, lostAnswerDone, lostAnswerNotDone
    case repeated, staleRead, staleList, offline, fullDisk
    case createdLater, lateList, cut
  }

  private struct State {
    var random: SplitMix64
    /// So many more calls do not get through.
    var cutCalls = 0
    var chances = Chances()
    var weather = Weather.fine
    var met: Set<Met> = []
  }

  private let state: Mutex<State>

  /// No faults yet; those to come follow from `seed`.
  public init(seed: UInt64) {
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  /// How often calls go wrong from now on.
  public var chances: Chances {
    get { state.withLock(\.chances) }
    set { state.withLock { $0.chances = newValue } }
  }

  /// What every call meets from now on.
  public var weather: Weather {
    get { state.withLock(\.weather) }
    set { state.withLock { $0.weather = newValue } }
  }

  /// What happened so far.
  public var met: Set<Met> { state.withLock(\.met) }

  /// Decides about one call: see `FaultyStore.plan`.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - canBeStale: Whether a cache may still hold that the object is not there.
  ///   - isListed: Whether a listing that is late shows a path.
  public func plan(
    _ call: FaultyStore.Call, canBeStale: Bool,
    isListed: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> FaultyStore.Fault? {
    state.withLock { state in
      guard let (met, fault) = decide(call, canBeStale, isListed, &state) else { return nil }
      state.met.insert(met)
      return fault
    }
  }

  private func decide(
    _ call: FaultyStore.Call, _ canBeStale: Bool,
    _ isListed: @escaping @Sendable (String) -> Bool, _ state: inout State
  ) -> (Met, FaultyStore.Fault)? {
    if state.weather == .offline {
      return (.offline, .failure(CloudError(.networkUnavailable, "The cloud is out of reach.")))
    }
    if state.weather == .fullDisk, call.kind == .create {
      return (.fullDisk, .failure(CloudError(.quotaExceeded, "The disk is full.")))
    }
    let chances = state.chances
    guard chances != Chances() else {
      state.cutCalls = 0
      return nil
    }
    if state.cutCalls > 0 {
      state.cutCalls -= 1
      return (.cut, .failure(Self.cut))
    }
    let isFirst = state.random.next() & 1 == 0
    var draw = Int(state.random.next() % 1_000)
    func happens(_ chance: Int) -> Bool {
      draw -= chance
      return (-chance..<0).contains(draw)
    }
    if happens(chances.crash) {
      if isFirst { return (.crashBefore, .crashBefore) }
      return call.kind == .create ? (.crashAfterCreate, .crashAfter) : (.crashBefore, .crashAfter)
    }
    if happens(chances.failure) {
      return (.failure, .failure(CloudError(.networkUnavailable, "The \(call.kind) failed.")))
    }
    if happens(chances.lostAnswer), call.kind == .create {
      return isFirst ? (.lostAnswerDone, .unknownDone) : (.lostAnswerNotDone, .unknownNotDone)
    }
    if happens(chances.repeated), call.kind == .create { return (.repeated, .repeated) }
    if happens(chances.later), call.kind == .create {
      return (.createdLater, .later(calls: 1 + Int(state.random.next() % 40)))
    }
    if happens(chances.lateList), call.kind == .list {
      return (.lateList, .lateList(isListed: isListed))
    }
    if happens(chances.cut) {
      state.cutCalls = Int(state.random.next() % UInt64(chances.longestCut))
      guard call.kind == .create else { return (.cut, .failure(Self.cut)) }
      return (.cut, isFirst ? .unknownDone : .unknownNotDone)
    }
    guard happens(chances.stale) else { return nil }
    if call.kind == .list { return (.staleList, .stale) }
    return call.kind == .read && canBeStale ? (.staleRead, .stale) : nil
  }

  private static let cut = CloudError(.networkUnavailable, "The connection was cut.")
}
