import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

// What the app does about the effects that `update` asks for.

extension App {
  func perform(_ effect: Effect) {
    switch effect {
    case .write(let write): perform(write)
    case .announce(let announcements): announce(announcements)
    case .beginSync: beginSync()
    case .startSync, .stopSync: run(effect == .startSync)
    case .syncNow: inBackground { [sync] in try await sync?.syncNow() }
    case .signIn(let name): inBackground { [sync] in try await sync?.signIn(name) }
    case .signOut(let accepted, let needsCloud):
      signOut(discarding: accepted, needingCloud: needsCloud)
    case .share(let request): share(request)
    case .findInvitations: findInvitations()
    case .checkInvitations: checkInvitations()
    case .export: export()
    case .saveLog(let text): saveLog(text)
    case .openURL(let url):
      inBackground { [environment] in try await environment.openURL(url) }
    case .editText(let text): edit(text)
    case .readSettings: readSettings()
    case .countCompleted(let scope):
      find(ClearableQuery(scope, time: state.time)) { .countedCompleted(scope, $0) }
    case .findAll(let source): find(IDsQuery(source)) { .foundAll(source, $0) }
    case .remember(let options): remember(options)
    case .copy(let text): copy(text)
    case .keepListDeletion(let step): keep { try $0.keep(step) }
    case .readListDeletion:
      readKept({ try $0.readListDeletion() }) { $0.map { .keptListDeletion($0) } }
    case .keepText(let text): keep { try $0.keep(text) }
    case .readText: readKept({ try $0.takeUnsavedText() }) { .keptText($0) }
    case .suspend:
      // Nothing runs until fg.
      sync?.flush()
      device.suspend()
    // A program that comes back to the screen finds nothing on it, and paints it anew.
    case .redraw: inFlight { [device] in await device.runExternal {} }
    case .quit: break
    }
  }

  private func perform(_ write: Write) {
    awaitedCount += 1
    let time = state.time
    waitingWrites += 1
    inOrder { [database, subscriptions] in
      let number = self.beginWrite()
      let database = database.reporting(self.progressReport) { [weak self] stage in
        Task { @MainActor in self?.follow(stage, ofWrite: number) }
      }
      var result = await write.result(on: database, in: time)
      // Nothing that was typed is lost because another program writes for long.
      while case .failure(let problem) = result, problem.kind == .busy, !self.state.isQuitting {
        self.receive(.failed(Problem(Self.waitsForAnother)))
        result = await write.result(on: database, in: time)
      }
      self.writeBegan = nil
      if case .failure(let problem) = result, self.state.isQuitting {
        // No screen is there any more to say it.
        self.failure = self.failure ?? problem
      }
      // The counts beside the lists take long where there are very many reminders.
      await subscriptions.catchUp {
        $0.isAwaited(in: self.state) && (write.changesSidebar || !($0 is SidebarQuery))
      }
      self.awaitedCount -= 1
      self.endWrite()
      self.receive(.wrote(write, result))
    }
  }

  private var progressReport: @Sendable (WriteProgress) -> Void {
    { [weak self] progress in Task { @MainActor in self?.follow(progress) } }
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

  /// Copies by the terminal, which may be far from here, and by the desktop here.
  private func copy(_ text: String) {
    device.copy(text)
    inFlight { [environment, device] in
      do {
        let isTaken = try await environment.copy(text)
        guard !isTaken, !device.capabilities.hasClipboard else { return }
        self.receive(
          .failed(
            Problem(
              "This terminal may not have taken it.",
              hint: "Install wl-clipboard or xclip, or use a terminal that knows OSC 52.")))
      } catch {
        self.receive(.failed(Problem(error)))
      }
    }
  }

  /// Keeps something for when the app is started again.
  private func keep(_ work: @escaping @Sendable (UIEnvironment) throws -> Void) {
    inOrder { [environment] in
      let result = await Blocking.run { try work(environment) }
      guard case .failure(let error) = result else { return }
      if self.state.isQuitting {
        // No screen is there any more to say it.
        self.failure = self.failure ?? Problem(error)
      } else {
        self.receive(.failed(Problem(error)))
      }
    }
  }

  /// Reads something that was kept; the next key may be about it.
  private func readKept<Value: Sendable>(
    _ read: @escaping @Sendable (UIEnvironment) throws -> Value,
    _ action: @escaping (Value) -> Action?
  ) {
    awaitedCount += 1
    inOrder { [environment] in
      let result = await Blocking.run { try read(environment) }
      self.awaitedCount -= 1
      switch result {
      case .success(let value): action(value).map { self.receive($0) }
      case .failure(let error): self.receive(.failed(Problem(error)))
      }
    }
  }

  /// Claims announcements; where another process announces on this device, that does it, and here
  /// they are shown as well.
  private func announce(_ announcements: [Announcement]) {
    report { [database, environment] in
      guard !environment.isAnnouncedElsewhere() else { return .announced(announcements) }
      return .announced(try await database.announce(announcements))
    }
  }

  private func share(_ request: ShareRequest) {
    report { [sync] in
      try await sync?.share(request)
      return .shared(request)
    }
  }

  /// Signs out; the pictures of what has gone go too, once nothing draws them any more.
  private func signOut(discarding accepted: Int, needingCloud: Bool) {
    inFlight { [sync, environment, subscriptions] in
      do {
        try await Task.detached { try await sync?.signOut(accepted, needingCloud) }.value
        await subscriptions.catchUp()
        while subscriptions.isEnding { await self.change() }
        try await Blocking.run { try environment.forgetAccount() }.get()
      } catch let error as SyncError where error.reason == .cloudUnconfirmed {
        self.receive(.cloudUnconfirmed(error.message))
      } catch {
        self.receive(.failed(Problem(error)))
      }
    }
  }

  private func findInvitations() {
    report { [sync] in .foundInvitations(try await sync?.invitations() ?? []) }
  }

  private func checkInvitations() {
    inFlight { [sync] in
      // Nobody asked: what keeps the inbox from being read, the status says.
      guard let found = try? await Task.detached(operation: { try await sync?.invitations() }).value
      else { return }
      self.receive(.knowsInvitations(found))
    }
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
    let time = state.time
    report { [database, environment] in
      let file = environment.exportDirectory.appending(path: Export.fileName(at: time))
      try await Blocking.run { try database.export(in: time, to: file) }.get()
      return .exported(path: file.path)
    }
  }

  private func saveLog(_ text: String) {
    let time = state.time
    report { [environment] in
      let name = NewFile.name("reminders-sync", "log", at: time)
      let file = environment.exportDirectory.appending(path: name)
      try await Blocking.run { try NewFile.write(Data(text.printableLines.utf8), to: file) }.get()
      return .savedLog(path: file.path)
    }
  }

  private func readSettings() {
    inOrder { [environment, device] in
      switch await Blocking.run({ try environment.readSettings() }) {
      case .success(let settings): self.receive(.readSettings(settings, device.capabilities))
      case .failure(let error): self.receive(.failed(Problem(error)))
      }
    }
  }

  private func remember(_ options: String) {
    inOrder { [environment] in
      let result = await Blocking.run { try environment.write(options) }
      if case .failure(let error) = result { self.receive(.failed(Problem(error))) }
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
  ///
  /// No key waits for it: the disk of the cloud may never answer.
  private func beginSync() {
    guard let makeSync else { return }
    inFlight {
      var made = await Blocking.run { try makeSync() }
      while case .failure(let error) = made, Problem(error).kind == .busy, !self.state.isQuitting {
        self.receive(
          .failed(Problem("Another program is writing to the database; sync begins after it.")))
        made = await Blocking.run { try makeSync() }
      }
      switch made {
      case .success(let sync):
        self.sync = sync
        self.receive(.beganSync(place: sync.place, sync.status))
        self.listen(to: sync)
        if self.wantsSync { sync.start() }
      case .failure(let error):
        self.failure = error
        self.receive(.terminal(.hangup))
      }
    }
  }

  /// Starts or stops synchronization, now or as soon as there is something to start.
  private func run(_ isWanted: Bool) {
    wantsSync = isWanted
    if isWanted { sync?.start() } else { sync?.stop() }
  }

  private func listen(to sync: SyncControl) {
    let (statuses, events) = (sync.statuses, sync.events)
    syncTasks = [
      Task { [weak self] in for await status in statuses { self?.receive(.syncStatus(status)) } },
      Task { [weak self] in for await event in events { self?.receive(.syncEvent(event)) } },
    ]
  }
}
