import ArgumentParser
import Cloud
import Foundation
import Glibc
import Reminders
import RemindersUI
import SQLiteSync
import Terminal

/// A failure of a command as the screens show it.
private func asProblem(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let failure as Failure {
    throw Problem(failure.reason, hint: failure.hint)
  }
}

/// What happens without a command.
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open the app, or print the list where there is no terminal (the default).")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    guard isatty(STDOUT_FILENO) == 1 else {
      let query = DetailQuery(.all, time: session.time)
      try session.print(session.database.fetch(WholeRemindersQuery(query)), asJSON: false)
      return
    }
    try session.places.makeStateDirectory()
    let settings = session.places.settingsOrWarning()
    let engine = try session.engine()
    let log = LogFile(url: session.places.logFile)
    let events = engine.events
    let logging = Task {
      var filter = SyncLogFilter()
      for await event in events {
        for event in filter.events(after: event) { try log.append(logText(event)) }
      }
    }
    try await show(session, engine, settings)
    logging.cancel()
  }

  /// Shows the app until the person quits.
  @MainActor
  private func show(_ session: Session, _ engine: SyncEngine, _ settings: Settings) async throws {
    let device = try NcursesDevice(
      environment: ProcessInfo.processInfo.environment, preference: preference,
      errorLog: session.places.errorLog.path)
    // Made before the start, the control also shows how the start went.
    var sync = SyncControl(
      engine, place: session.places.cloudDirectory.path,
      signIn: { name in
        try await asProblem { try await session.signIn(AccountID(typed: name), engine) }
      },
      share: { request in
        try await asProblem { try await session.perform(request, engine) }
        // Who is invited looks for the invitation as soon as it is said to be sent.
        try await engine.syncChanges()
      },
      invitations: { try await session.invitations(engine) })
    sync.signOut = { [places = session.places] accepted in
      try await engine.signOut(discarding: accepted)
      try places.forgetPictures()
    }
    engine.start()
    await runRemindersUI(
      database: session.database, device: device, sync: sync,
      environment: UIEnvironment(
        customs: session.time.customs, optionsFile: session.places.optionsFile,
        pictureCache: session.places.pictureCache,
        settings: settings,
        readSettings: { [places = session.places] in try places.readSettings() }))
    engine.flush()
    engine.stopAndWait()
    device.dieIfAsked()
  }

  private var preference: ColorPreference {
    switch options.colorChoice {
    case .auto: .auto
    case .always: .always
    case .never: .never
    }
  }
}
