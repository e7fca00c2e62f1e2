import Foundation
import GRDB
import SQLiteSyncCloud
import Synchronization

/// The engine behind its face: a serial queue, the lifecycle, timers and watches.
///
/// `@unchecked Sendable`: every stored property that is not itself thread-safe is touched on
/// `queue` only (`state`, `synchronizer`, `cloud`, `lock`, `filter`, `timer`, `nextCount`, `watch`,
/// `edits`, `byHand`, `isElsewhere`, `isPolling`), or set once before anybody else has the engine
/// (`externalWrites`); the rest are `let`s of thread-safe types.
// Confined to `queue`: see above.
final class EngineCore: @unchecked Sendable {
  let queue = DispatchQueue(label: "SQLiteSync.engine", qos: .utility)
  /// Every event, as `SyncEngine.events`: its streams end when the engine is stopped.
  let events = Broadcast<SyncEvent>()
  /// Those that a log shows, as `SyncEngine.news`: its streams end when the engine goes.
  let news = Broadcast<SyncEvent>()
  let status = ObservableStatus()

  let setup: EngineSetup
  /// How many are waiting to sign out: what is under way ends soon.
  let isLeaving = Mutex(0)

  private let wantsToRun = Mutex(false)
  /// How often the engine was stopped: what is done by hand meanwhile ends, too.
  let stops = Mutex(0)
  /// The thread that works on `queue` now.
  let workingThread = Mutex<ObjectIdentifier?>(nil)
  private let isWoken = Mutex(false)
  /// Whether it was the cloud that called.
  private let isCalled = Mutex(false)
  /// Whether edits were made since the last round began: they are not folded, so not counted.
  let hasNewEdits = Mutex(false)
  /// The work for the account; nil when nobody is signed in.
  private(set) var synchronizer: Synchronizer?
  /// The cloud as the account sees it that is signed in, or was last.
  private(set) var cloud: CloudContainer?
  private var state = EngineState()
  private(set) var lock: EngineLock?
  private var filter = SyncLogFilter()
  private var timer: (any DispatchSourceTimer)?
  /// From when on it is worth the time to count again while work goes on.
  var nextCount = ContinuousClock.now
  private var watch: StoreWatch?
  private var edits: EditWatch?
  /// Also while the engine does not run: observations are to hear of other processes all the same.
  private var externalWrites: ExternalWrites?

  init(_ setup: EngineSetup, cloud: CloudContainer?) throws {
    self.setup = setup
    queue.setSpecific(key: Self.onQueue, value: ObjectIdentifier(self))
    if let cloud {
      use(try setup.synchronizer(for: cloud))
    } else {
      _ = try setup.database.write { try setup.install(in: $0) }
    }
    updateCounts()
    externalWrites = try ExternalWrites(database: setup.database) { [weak self] in self?.wake() }
  }

  /// Works for another account from now on, or for none.
  func use(_ synchronizer: Synchronizer?) {
    self.synchronizer = synchronizer
    cloud = synchronizer?.container ?? cloud
    synchronizer?.emit = { [unowned self] in hear($0) }
    synchronizer?.progressed = { [unowned self] progress in update { $0.progress = progress } }
    synchronizer?.shouldStop = { [unowned self] in isInterrupted }
  }

  var hasSynchronizer: Bool { synchronizer != nil }
  private var configuration: SyncConfiguration { setup.configuration }

  var isRunning: Bool { wantsToRun.withLock { $0 } }

  func start() {
    wantsToRun.withLock { $0 = true }
    queue.async { [weak self] in self?.handle(.start) }
  }

  func stop() {
    wantsToRun.withLock { $0 = false }
    stops.withLock { $0 += 1 }
    // A stream that is begun before the queue comes to this is for the next start: it is not ended,
    // and hears nothing of what this stops.
    let endStreams = events.ending()
    queue.async { [weak self] in
      self?.handle(.stop)
      endStreams()
    }
  }

  /// The end of the engine: called when nobody holds its face any more.
  func shutDown() {
    wantsToRun.withLock { $0 = false }
    queue.async { [self] in
      handle(.stop)
      events.finish()
      news.finish()
      status.finish()
    }
  }

  /// An edit of this process is pending from the moment when its transaction returns.
  private func noticeEdit() {
    hasNewEdits.withLock { $0 = true }
    update { $0.pending = max($0.pending, 1) }
    wake()
  }

  /// Something may have changed here or in the cloud.
  ///
  /// Calls while one is queued come to one.
  func wake() {
    let isFirst = isWoken.withLock { woken in
      defer { woken = true }
      return !woken
    }
    guard isFirst else { return }
    queue.async { [weak self] in
      guard let self else { return }
      isWoken.withLock { $0 = false }
      if state.phase == .signedOut { noticeSignIn() }
      let isCalled = isCalled.withLock { isCalled in
        defer { isCalled = false }
        return isCalled
      }
      synchronizer?.occasion = isCalled ? .notified : .scheduled
      defer { synchronizer?.occasion = .scheduled }
      handle(isCalled ? .called : .wake)
    }
  }

  /// Something may have changed in the cloud, or it can be reached again.
  private func hearCloud() {
    isCalled.withLock { $0 = true }
    wake()
  }

  /// Runs something on the queue, between what the engine does.
  ///
  /// Throws `CancellationError` when its task is cancelled before its turn comes.
  func onQueue(_ body: @escaping @Sendable (EngineCore) throws -> Void) async throws {
    let turn = Turn()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        turn.wait(continuation)
        queue.async { [self] in
          turn.take()?.resume(
            with: Result { try SyncError.explaining { try working { try body(self) } } })
        }
      }
    } onCancel: {
      turn.cancel()
    }
  }

  /// Runs something while no other process synchronizes the database.
  ///
  /// - Parameter hint: What to do when one does.
  func holdingLock(else hint: String, _ body: () throws -> Void) throws {
    let isHeld = lock != nil
    if !isHeld {
      guard let taken = try EngineLock(database: setup.database) else {
        throw SyncError(
          .runsElsewhere,
          "Another process, or another engine of this one, synchronizes this database.",
          hint: hint)
      }
      lock = taken
    }
    defer { if !isHeld { lock = nil } }
    try body()
  }

  /// Work by hand goes on while the engine does not run, until it is revoked.
  var byHand: ByHand?
  private var isInterrupted: Bool {
    isLeaving.withLock { $0 > 0 } || byHand.map(isRevoked) ?? !isRunning
  }

  // MARK: - The machine

  func handle(_ event: EngineState.Event) {
    working {
      let before = state.phase
      let actions = state.handle(event)
      if state.phase != before { phaseChanged() }
      for action in actions { perform(action) }
    }
  }

  private func perform(_ action: EngineState.Action) {
    switch action {
    case .open: open()
    case .sync: sync()
    case .schedulePoll(let quiet):
      schedule(after: jittered(configuration.pollWait(quiet: quiet))) { $0.poll() }
    case .maintain: synchronizer?.maintainIfDue()
    case .scheduleRetry(let attempts):
      let wait = SendFailures.backOff(attempts: attempts, random: configuration.random())
      schedule(after: Int(wait)) { $0.handle(.retry) }
    case .rest: rest()
    case .close: close()
    }
  }

  private func open() {
    do {
      guard let taken = try EngineLock(database: setup.database) else {
        // Once: it is looked for again every second, as long as the other process goes on.
        if !isElsewhere { hear(.runsElsewhere) }
        isElsewhere = true
        handle(.lockIsTaken)
        return
      }
      lock = taken
      isElsewhere = false
      // With the lock: nobody else signs in or out from now on.
      try followAccount()
      guard let synchronizer else { throw SyncAccount.nobody }
      // Watch first: what happens between a look and a watch would be seen only by the poll.
      edits = EditWatch(database: setup.database) { [weak self] in self?.noticeEdit() }
      // Whether or not the cloud is there: it shows what was edited.
      try synchronizer.foldEdits()
      do {
        try synchronizer.open()
      } catch {
        // To hear when the cloud is there. Not before: what is made in it first would be heard.
        if watch == nil { try watchCloud() }
        throw error
      }
      // Now that it is known where the logs are.
      try watchCloud()
      hear(.started)
      handle(.opened)
    } catch let error as CloudError where error == SyncAccount.nobody {
      use(nil)
      updateCounts()
      handle(.signedOut)
    } catch let error as SyncError where error.reason == .cloudChanged {
      hear(.accountChanged)
      fail(error)
      handle(.accountChanged)
    } catch {
      fail(error)
      handle(.failed)
    }
  }

  /// Whether another process had the lock the last time.
  private var isElsewhere = false

  private func watchCloud() throws {
    watch = try synchronizer?.watchCloud { [weak self] in self?.hearCloud() }
  }

  /// Until the watch works again, the poll does its work.
  private func watchAgain() {
    do {
      try watchCloud()
    } catch {
      fail(error)
    }
  }

  private func sync() {
    guard let synchronizer else { return }
    // What is edited from now on may miss this round; then it has woken the next.
    hasNewEdits.withLock { $0 = false }
    do {
      let before = (synchronizer.fetchedCount, synchronizer.sentCount)
      try syncDueZones(by: synchronizer)
      try synchronizer.reportDistrust()
      succeed()
      let isNew = before != (synchronizer.fetchedCount, synchronizer.sentCount)
      handle(.finished(isNew: isNew))
      // What is left although nothing was in its way can only be sent when something else happens.
      let isLeft = try isNew || isInterrupted ? synchronizer.hasLocalChanges() : false
      if try isRunning && (isLeft || synchronizer.hasUnfoldedEdits()) { wake() }
    } catch {
      fail(error)
      handle(.failed)
    }
  }

  /// Does what can be done: a zone that cannot be read is told of, and tried again when it is time.
  ///
  /// Throws when nothing could be done.
  private func syncDueZones(by synchronizer: Synchronizer) throws {
    do {
      try synchronizer.syncDueChanges()
    } catch let error as CloudError where error.concernsOneZone {
      guard try !synchronizer.zoneFailures.areAll(synchronizer.zones()) else { throw error }
      fail(error)
    }
  }

  /// Looks because time has passed, not because anything happened: most looks find nothing, and
  /// then nobody is told of them but by the time of the last fetch.
  private func poll() {
    isPolling = true
    defer { isPolling = false }
    handle(.wake)
  }

  private var isPolling = false

  /// Until the next try.
  private func rest() {
    timer?.cancel()
    timer = nil
    edits = nil
    lock = nil
  }

  private func close() {
    rest()
    watch = nil
    guard !isRunning else { return }
    isElsewhere = false
    hear(.stopped)
  }

  private func jittered(_ milliseconds: Int) -> Int {
    milliseconds * 3 / 4 + Int(configuration.random() % UInt64(milliseconds / 2 + 1))
  }

  private func schedule(
    after milliseconds: Int, _ action: @escaping @Sendable (EngineCore) -> Void
  ) {
    timer?.cancel()
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(
      deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(milliseconds / 10))
    source.setEventHandler { @Sendable [weak self] in self.map(action) }
    source.activate()
    timer = source
  }

  // MARK: - Status

  func hear(_ event: SyncEvent) {
    byHand?.tally.withLock { $0.count(event) }
    switch event {
    case .willFetchChanges where !isPolling, .fetchedRecordZoneChanges:
      update { $0.phase = .fetching }
    case .nextRecordZoneChangeBatch: update { $0.phase = .sending }
    case .stateUpdate: updateCountsMeanwhile()
    // Another log may have begun, in a directory of its own.
    case .fetchedDatabaseChanges where watch != nil, .sentDatabaseChanges where watch != nil:
      watchAgain()
    default: break
    }
    tell(event)
  }

  func tell(_ event: SyncEvent) {
    events.send(event)
    for event in filter.events(after: event) {
      news.send(event)
      setup.logger.write?(event, configuration.now())
    }
  }

  func phaseChanged() {
    let phase: SyncStatus.Phase =
      switch state.phase {
      case .stopped: .stopped
      case .starting: isElsewhere ? .elsewhere : .starting
      case .idle: .idle
      case .syncing: isPolling ? .idle : .fetching
      case .backingOff: .backingOff(attempts: state.attempts)
      case .elsewhere: .elsewhere
      case .signedOut: .signedOut
      case .accountChanged: .accountChanged
      }
    update { $0.phase = phase }
  }
}
