import Foundation
import Reminders
import SQLiteSync
import Terminal

/// The loop: events and findings → `update` → effects and queries → `view` → the terminal.
///
/// Only this class has effects. Everything slow runs off the main actor and comes back as an
/// action.
@MainActor
final class App {
  private(set) var state: AppState
  private let database: AppDatabase
  private let device: any TerminalDevice
  /// Makes what synchronizes; nil without a cloud.
  private let makeSync: SyncMaker?
  /// Made when there is something to look at.
  private var sync: SyncControl?
  /// Why the app had to end.
  private(set) var failure: (any Error)?
  private let environment: UIEnvironment
  private lazy var errands = Errands(environment) { [weak self] in
    self?.receive(.delivered($0))
  } ended: { [weak self] in
    self?.afterChange()
  }
  private lazy var observations = Observations(database) { [weak self] in self?.receive($0) }

  /// Keys that came while the screen was behind those before them.
  private var queuedEvents: [TerminalEvent] = []
  private var isDraining = false
  /// Work whose outcome the next key may be about.
  private var awaitedCount = 0
  /// The end of the queue of writes: each waits for the one before.
  private var lastWrite: Task<Void, Never>?
  private var effectsInFlight = 0
  private var isFrameScheduled = false
  /// When what came from the sync engine is shown, if nothing else is before.
  private var lateFrame: Date?
  private var lastFrame = Date.distantPast
  private var alarm: (moment: Date, task: Task<Void, Never>)?
  private var syncTasks: [Task<Void, Never>] = []
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// An app that has not begun.
  init(
    database: AppDatabase, device: any TerminalDevice, makeSync: SyncMaker?,
    environment: UIEnvironment
  ) {
    self.database = database
    self.device = device
    self.makeSync = makeSync
    self.environment = environment
    state = AppState(
      size: device.size,
      time: LocalTime(
        now: environment.now(), timeZone: environment.timeZone, customs: environment.customs),
      appearance: Appearance(environment.settings, device.capabilities),
      keymap: environment.settings.keymap, schema: database.schema,
      sync: makeSync.map { _ in .beginning })
    state.picturesDirectory = environment.picturesDirectory
  }

  /// Runs until the person quits or the terminal is gone.
  func run() async {
    start()
    while !state.isQuitting { await change() }
    await finish()
  }

  /// Shows the first frame and begins to listen.
  func start() {
    device.onEvent = { [weak self] in self?.enqueue($0) }
    do {
      state.home.options = try environment.readOptions()
    } catch {
      state.say(Problem(error))
    }
    state.sayWarnings(of: environment.settings)
    afterChange()
  }

  /// Lets the writes that are under way end, and gives the terminal back.
  ///
  /// Nothing else is waited for: a cloud that does not answer keeps nobody from quitting.
  func finish() async {
    device.onEvent = nil
    alarm?.task.cancel()
    for task in syncTasks { task.cancel() }
    await lastWrite?.value
    observations.stop()
    device.close()
    sync?.end()
  }

  /// Returns when no key, effect, finding or frame is outstanding.
  ///
  /// The clock, and the sync engine's own doings, do not count.
  func settled() async {
    repeat {
      if lateFrame != nil { scheduleFrame() }
      while isBusy { await change() }
      await observations.catchUp()
    } while isBusy || lateFrame != nil
  }

  private var isBusy: Bool {
    effectsInFlight > 0 || isFrameScheduled || !queuedEvents.isEmpty || isBehindKeys
      || errands.isRunning
  }

  /// Whether the next key may be about something that is not there yet.
  private var isBehindKeys: Bool {
    awaitedCount > 0 || observations.isBehindKeys
      || observations.isSearchPending && state.searchScreen?.isTyping == false
  }

  // MARK: - Actions

  /// Takes an event in its turn: a key acts on what the keys before it have led to.
  private func enqueue(_ event: TerminalEvent) {
    queuedEvents.append(event)
    drainEvents()
  }

  private func drainEvents() {
    // Handling an event comes back here; the outer call goes on with the next one.
    guard !isDraining else { return }
    isDraining = true
    defer { isDraining = false }
    while !queuedEvents.isEmpty, !isBehindKeys {
      receive(.terminal(queuedEvents.removeFirst()))
    }
  }

  private func receive(_ action: Action) {
    state.time.now = environment.now()
    let effects = update(&state, action)
    for effect in effects { perform(effect) }
    switch action {
    case .syncStatus, .syncEvent: afterChange(isHurried: false)
    default: afterChange()
    }
  }

  /// - Parameter isHurried: Whether somebody waits to see it.
  private func afterChange(isHurried: Bool = true) {
    observations.follow(state.subscriptions)
    errands.follow(state.wishes)
    if isHurried { scheduleFrame() } else { scheduleLateFrame() }
    setAlarm(at: min(state.nextMoment, lateFrame ?? .distantFuture))
    drainEvents()
    resumeWaiters()
  }

  /// Returns after the next change of anything.
  func change() async {
    await withCheckedContinuation { waiters.append($0) }
  }

  private func resumeWaiters() {
    let resumed = waiters
    waiters = []
    for waiter in resumed { waiter.resume() }
  }

  /// One frame for all changes of one turn of the main actor.
  private func scheduleFrame() {
    guard !isFrameScheduled else { return }
    isFrameScheduled = true
    Task {
      isFrameScheduled = false
      (lateFrame, lastFrame) = (nil, environment.now())
      device.present(view(state))
      resumeWaiters()
    }
  }

  /// A frame for what the sync engine tells, which may be hundreds of facts in a second: that many
  /// frames would keep the keys waiting.
  private func scheduleLateFrame() {
    guard lateFrame == nil else { return }
    let moment = lastFrame.addingTimeInterval(Self.lateFrameSeconds)
    if moment <= environment.now() { scheduleFrame() } else { lateFrame = moment }
  }

  private static let lateFrameSeconds = 0.1

  private func setAlarm(at moment: Date) {
    guard alarm?.moment != moment else { return }
    alarm?.task.cancel()
    let wait = environment.wait
    let task = Task { [weak self] in
      // The only error is that another alarm has taken its place.
      do { try await wait(moment) } catch { return }
      self?.alarm = nil
      self?.wake()
    }
    alarm = (moment, task)
  }

  /// Looks at the clock: what the alarm does.
  func wake() { receive(.momentCame) }

  // MARK: - Effects

  private func perform(_ effect: Effect) {
    switch effect {
    case .write(let write): perform(write)
    case .beginSync: beginSync()
    case .startSync: sync?.start()
    case .stopSync: sync?.stop()
    case .syncNow: inBackground { [sync] in try await sync?.syncNow() }
    case .signIn(let name): inBackground { [sync] in try await sync?.signIn(name) }
    case .signOut(let accepted): signOut(discarding: accepted)
    case .share(let request): share(request)
    case .findInvitations: findInvitations()
    case .export: export()
    case .openURL(let url):
      inBackground { [environment] in try await environment.openURL(url) }
    case .editText(let text): edit(text)
    case .readSettings: readSettings()
    case .countCompleted(let scope):
      find(ClearableQuery(scope, time: state.time)) { .countedCompleted(scope, $0) }
    case .findAll(let query): find(IDsQuery(query)) { .foundAll(query, $0) }
    case .remember(let options): remember(options)
    case .copy(let text): device.copy(text)
    case .suspend:
      // Nothing runs until fg.
      sync?.flush()
      device.suspend()
    // Whoever comes back to the screen finds nothing on it, and paints it anew.
    case .redraw: inFlight { [device] in await device.runExternal {} }
    case .quit: break
    }
  }

  private func perform(_ write: Write) {
    awaitedCount += 1
    let time = state.time
    inOrder { [database, observations] in
      let result: Result<Written, Problem>
      do {
        result = .success(try await write.run(on: database, in: time))
      } catch {
        result = .failure(Problem(error))
      }
      await observations.catchUp(withSidebar: write.changesSidebar)
      self.awaitedCount -= 1
      self.receive(.wrote(write, result))
    }
  }

  /// Reads something once, for the next key to be about.
  private func find<Q: Query>(_ query: Q, _ action: @escaping (Q.Value) -> Action) {
    awaitedCount += 1
    inOrder { [database] in
      let reading = Task.detached { try await database.value(of: query) }
      let result = await reading.result
      self.awaitedCount -= 1
      switch result {
      case .success(let value): self.receive(action(value))
      case .failure(let error): self.receive(.failed(Problem(error)))
      }
    }
  }

  private func share(_ request: ShareRequest) {
    report { [sync] in
      try await sync?.share(request)
      return .shared(request)
    }
  }

  /// Signs out; the pictures of what has gone go too, once nothing draws them any more.
  private func signOut(discarding accepted: Int) {
    inFlight { [sync, environment, observations] in
      do {
        try await Task.detached { try await sync?.signOut(accepted) }.value
        await observations.catchUp()
        while self.errands.isRunning { await self.change() }
        try environment.forgetPictures()
      } catch {
        self.receive(.failed(Problem(error)))
      }
    }
  }

  private func findInvitations() {
    report { [sync] in .foundInvitations(try await sync?.invitations() ?? []) }
  }

  /// Runs something and receives what it says, or why it failed.
  private func report(_ work: @escaping @Sendable () async throws -> Action) {
    inFlight {
      switch await Task.detached(operation: work).result {
      case .success(let action): self.receive(action)
      case .failure(let error): self.receive(.failed(Problem(error)))
      }
    }
  }

  private func export() {
    let query = ExportQuery(time: state.time)
    report { [database, environment] in
      let file = environment.exportDirectory.appending(path: Export.fileName(at: query.time))
      try await database.value(of: query).write(to: file)
      return .exported(path: file.path)
    }
  }

  private func readSettings() {
    inOrder { [environment, device] in
      let reading = Task.detached { try environment.readSettings() }
      switch await reading.result {
      case .success(let settings): self.receive(.readSettings(settings, device.capabilities))
      case .failure(let error): self.receive(.failed(Problem(error)))
      }
    }
  }

  private func remember(_ options: RememberedOptions) {
    inOrder { [environment] in
      let write = Task.detached { try environment.write(options) }
      if case .failure(let error) = await write.result { self.receive(.failed(Problem(error))) }
    }
  }

  private func edit(_ text: String) {
    inFlight { [device, environment] in
      let result: Result<String, Problem>
      do {
        result = .success(
          try await device.runExternal { try await environment.editText(text) })
      } catch {
        result = .failure(Problem(error))
      }
      self.receive(.edited(result))
    }
  }

  private func inBackground(_ work: @escaping @Sendable () async throws -> Void) {
    inFlight {
      do {
        try await Task.detached { try await work() }.value
      } catch {
        self.receive(.failed(Problem(error)))
      }
    }
  }

  /// Work that must not overtake other work of its kind.
  private func inOrder(_ work: @escaping @MainActor () async -> Void) {
    let before = lastWrite
    lastWrite = inFlight {
      await before?.value
      await work()
    }
  }

  @discardableResult
  private func inFlight(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    effectsInFlight += 1
    return Task {
      await work()
      effectsInFlight -= 1
      afterChange()
    }
  }

  /// Makes what synchronizes, and starts it; without it, the app cannot go on.
  private func beginSync() {
    guard let makeSync else { return }
    awaitedCount += 1
    inFlight {
      let making = Task.detached { try await makeSync() }
      let result = await making.result
      self.awaitedCount -= 1
      switch result {
      case .success(let sync):
        self.sync = sync
        self.receive(.beganSync(place: sync.place, sync.status))
        self.listen(to: sync)
        sync.start()
      case .failure(let error):
        self.failure = error
        self.receive(.terminal(.hangup))
      }
    }
  }

  private func listen(to sync: SyncControl) {
    let (statuses, events) = (sync.statuses, sync.events)
    syncTasks = [
      Task { [weak self] in for await status in statuses { self?.receive(.syncStatus(status)) } },
      Task { [weak self] in for await event in events { self?.receive(.syncEvent(event)) } },
    ]
  }
}
