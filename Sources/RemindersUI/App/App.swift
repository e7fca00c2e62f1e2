import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

/// The loop: events and results → `update` → effects and queries → `view` → the terminal.
///
/// Only this class has effects. Everything slow runs off the main actor and comes back as an
/// action.
@MainActor
final class App {
  private(set) var state: AppState
  let database: AppDatabase
  let device: any TerminalDevice
  /// Makes what synchronizes; nil without a cloud.
  let makeSync: SyncMaker?
  /// Made when there is something to look at.
  var sync: SyncControl?
  /// Why the app had to end.
  var failure: (any Error)?
  let environment: UIEnvironment
  lazy var subscriptions = Subscriptions(SubscriptionSources(database, environment)) {
    [weak self] in
    self?.receive($0)
  } noticed: { [weak self] in
    self?.setAlarm()
    self?.resumeWaiters()
  }

  /// Keys that came while the screen was behind those before them.
  private var queuedEvents: ArraySlice<TerminalEvent> = []
  /// Whether one of them quits: that waits for nothing.
  private var wantsOut = false
  private var isDraining = false
  /// When the first key came that the screen has not followed yet.
  private var unansweredSince: Date?
  private var patience = Patience.unasked
  /// Work whose outcome the next key may be about.
  var awaitedCount = 0
  /// Whether synchronization is to run.
  var wantsSync = true
  /// When the write began that is under way.
  var writeBegan: Date?
  /// Writes that are not done yet.
  var waitingWrites = 0
  /// How many of all have begun.
  private var begunWrites = 0
  /// Whether the last one writes, or waits for others of this process, as the sync engine's.
  private(set) var isWriting = false
  /// The end of the queue of writes: each waits for the one before.
  var lastWrite: Task<Void, Never>?
  var effectsInFlight = 0
  private var isFrameScheduled = false
  /// When what came from the sync engine is shown, if nothing else is before.
  private var lateFrame: Date?
  private var lastFrame = Date.distantPast
  private var alarm: (moment: Date, task: Task<Void, Never>)?
  var syncTasks: [Task<Void, Never>] = []
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
        now: environment.now(), timeZone: environment.timeZone(),
        localeFormat: environment.localeFormat),
      appearance: Appearance(environment.settings, device.capabilities),
      keymap: environment.settings.keymap, schema: database.schema,
      sync: makeSync.map { _ in .beginning })
    state.isReadOnly = database.unwritable != nil
    state.picturesDirectory = environment.picturesDirectory
    state.configured = environment.settings.toggles
    state.announcing.rules = environment.settings.alarmRules
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
      let options = try environment.readOptions()
      state.home.options = options
      state.hasFiledViews =
        state.schema.hasListViews
        && options.text(withLists: true) != options.text(withLists: false)
    } catch {
      state.notify(Problem(error))
    }
    state.notifyWarnings(of: environment.settings)
    if let unwritable = database.unwritable { state.notify(Problem(unwritable)) }
    wantsSync = state.isOn(.sync)
    afterChange()
  }

  /// Gives the terminal back, and lets the writes that are under way end.
  ///
  /// It waits for nothing else, so that a cloud that does not respond never blocks quitting.
  func finish() async {
    device.onEvent = nil
    alarm?.task.cancel()
    for task in syncTasks { task.cancel() }
    device.close()
    let patience = awaitedCount > 0 ? announceWait() : nil
    await lastWrite?.value
    patience?.cancel()
    subscriptions.stop()
    sync?.end()
    if let parting = state.sync?.parting { environment.tell(parting) }
  }

  /// After quitting, explains why the program has not ended yet, unless it ends at once.
  private func announceWait() -> Task<Void, Never> {
    Task { [self] in
      let moment = environment.now().addingTimeInterval(Self.patienceSeconds)
      // The only error is that there is nothing to wait for any more.
      do { try await environment.wait(moment) } catch { return }
      environment.tell(
        (isWriting ? "Saving" : "Another program is writing to the database: saving")
          + " your last edits …")
    }
  }

  /// Returns when no key, effect, result or frame is outstanding.
  ///
  /// The clock, and the sync engine's own doings, do not count.
  func settled() async {
    repeat {
      if lateFrame != nil { scheduleFrame() }
      while isBusy { await change() }
      await subscriptions.catchUp()
    } while isBusy || subscriptions.isBehind || lateFrame != nil
  }

  private var isBusy: Bool {
    effectsInFlight > 0 || isFrameScheduled || !queuedEvents.isEmpty || isBehindKeys
      || subscriptions.isEnding
  }

  /// Whether the next key may be about something that is not there yet.
  private var isBehindKeys: Bool {
    awaitedCount > 0 || subscriptions.isBehindKeys(in: state)
  }

  // MARK: - Actions

  /// Takes an event in its turn: a key acts on what the keys before it have led to.
  ///
  /// What the terminal says of itself waits for nothing. Nor does an interruption, and what waits
  /// is thrown away then.
  private func enqueue(_ event: TerminalEvent) {
    if state.isQuitting { return }
    switch event {
    case .resize, .showsPictures, .resumed, .reload: receive(.terminal(event))
    case .key(.control("c")), .hangup:
      queuedEvents = []
      receive(.terminal(event))
    case .key, .paste, .mouse:
      if case .key(let key) = event, state.isCommand(key, .quit) { wantsOut = true }
      if unansweredSince == nil { unansweredSince = environment.now() }
      queuedEvents.append(event)
      drainEvents()
      if showWaiting() { scheduleFrame() }
      setAlarm()
    }
  }

  private func drainEvents() {
    // Handling an event comes back here; the outer call goes on with the next one.
    guard !isDraining else { return }
    isDraining = true
    defer { isDraining = false }
    if !isBehindKeys { patience = .unasked }
    let isOver = patience.end.map { $0 <= environment.now() } ?? false
    if isOver || patience == .untilDone && wantsOut { losePatience() }
    while let event = queuedEvents.first,
      !isBehindKeys || patience == .over && !isAboutWrite(event)
    {
      queuedEvents.removeFirst()
      receive(.terminal(event))
      if state.isQuitting { queuedEvents = [] }
    }
    if queuedEvents.isEmpty { wantsOut = false }
    guard !queuedEvents.isEmpty, patience == .unasked else { return }
    patience = .until(environment.now().addingTimeInterval(Self.patienceSeconds))
    setAlarm()
  }

  // MARK: - Waiting

  /// Shows which keys wait, once they have for as long as people notice: a write of notes of
  /// megabytes takes longer, and each key is to be answered at once all the same.
  ///
  /// - Returns: Whether that is something else than was shown.
  private func showWaiting() -> Bool {
    if !isBehindKeys, queuedEvents.isEmpty { unansweredSince = nil }
    let isLong = unansweredSince.map { Self.noticed(after: $0) <= environment.now() } ?? false
    let keys = queuedEvents.suffix(AppState.shownKeys)
      .compactMap { if case .key(let key) = $0 { key } else { nil } }
    let shown = isLong ? keys : nil
    defer { state.waitingKeys = shown }
    return state.waitingKeys != shown
  }

  private static func noticed(after moment: Date) -> Date { moment.addingTimeInterval(0.015) }

  /// How long keys wait for what those before them have led to.
  private enum Patience: Equatable {
    /// None had to wait.
    case unasked
    case until(Date)
    /// The app itself writes for long: what was typed meanwhile is done after it.
    case untilDone
    /// The database is locked by another program, or very slow: keys act on what is shown.
    case over

    var end: Date? { if case .until(let end) = self { end } else { nil } }
  }

  private static let patienceSeconds: TimeInterval = 1

  /// Shows how far a write is that takes long, for which keys wait no longer.
  func follow(_ progress: WriteProgress) {
    guard let writeBegan,
      environment.now().timeIntervalSince(writeBegan) >= Self.longWriteSeconds
    else { return }
    receive(.writing(progress))
    if patience != .over, patience != .untilDone { losePatience() }
  }

  private static let longWriteSeconds: TimeInterval = 0.3
  static let waitsForAnother =
    "Another program is writing to the database; your change is saved after it."

  /// The next write begins: at first what it waits for is this process's own.
  ///
  /// - Returns: Its number.
  func beginWrite() -> Int {
    writeBegan = environment.now()
    begunWrites += 1
    isWriting = true
    return begunWrites
  }

  /// A write waits for the file, which another program may have, or has it.
  func follow(_ stage: WriteStage, ofWrite number: Int) {
    guard number == begunWrites, writeBegan != nil else { return }
    isWriting = stage == .writes
    guard !isWriting, patience == .untilDone else { return }
    patience = .until(environment.now().addingTimeInterval(Self.patienceSeconds))
    setAlarm()
  }

  func endWrite() {
    waitingWrites -= 1
    isWriting = false
  }

  /// Keys wait no longer, unless the app itself writes and some were typed ahead.
  ///
  /// Commands that were typed ahead, for rows that are not there yet, must not meet others. Where
  /// another program writes, nobody knows for how long, and they are let go.
  private func losePatience() {
    if isWriting, !wantsOut, queuedEvents.contains(where: isCommand) {
      patience = .untilDone
      return
    }
    patience = .over
    queuedEvents.removeAll(where: isCommand)
    if waitingWrites > 0, !isWriting, state.writing == nil {
      state.notify(Self.waitsForAnother)
    }
  }

  private func isCommand(_ event: TerminalEvent) -> Bool {
    switch event {
    case .key(let key): state.isCommand(key) && !state.isCommand(key, .quit)
    case .mouse: true
    default: false
    }
  }

  /// Whether an event is about what is being written: an undo would undo something else.
  private func isAboutWrite(_ event: TerminalEvent) -> Bool {
    guard isWriting, case .key(let key) = event else { return false }
    return state.isCommand(key, .undo) || state.isCommand(key, .redo)
  }

  func receive(_ action: Action) {
    state.time.now = environment.now()
    switch action {
    case .tick, .terminal(.resumed): state.time.timeZone = environment.timeZone()
    default: break
    }
    let effects = update(&state, action)
    for effect in effects { perform(effect) }
    switch action {
    case .syncStatus, .syncEvent: afterChange(isHurried: false)
    default: afterChange()
    }
  }

  /// - Parameter isHurried: Whether somebody waits to see it.
  func afterChange(isHurried: Bool = true) {
    subscriptions.follow(state.subscriptions)
    if showWaiting() { scheduleFrame() }
    if isHurried { scheduleFrame() } else { scheduleLateFrame() }
    setAlarm()
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

  private func setAlarm() {
    let noticed = state.waitingKeys == nil ? unansweredSince.map(Self.noticed) : nil
    let moments = [state.nextMoment, lateFrame, patience.end, subscriptions.nextRetry, noticed]
    guard let moment = moments.compactMap(\.self).min(), alarm?.moment != moment else { return }
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
  func wake() { receive(.tick) }
}
