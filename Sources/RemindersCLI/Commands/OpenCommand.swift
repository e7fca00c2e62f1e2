import ArgumentParser
import Foundation
import Glibc
import RemindersCore
import RemindersTerminal
import RemindersUI
import SQLiteSync
import SQLiteSyncCloud

/// What happens without a command.
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "open",
    abstract: "Open the app, or print the list where there is no terminal (the default).",
    discussion: "For example: reminders open --data-dir ~/work")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try openToReadAtLeast()
    guard isatty(STDOUT_FILENO) == 1 else {
      return try session.print(FilterQuery([.all], time: session.time), asJSON: false)
    }
    if session.canWrite { try session.paths.makeStateDirectory() }
    try await show(session, session.paths.settingsOrWarning())
  }

  /// Opens the data; with one connection, which cannot write, where nothing can be written.
  private func openToReadAtLeast() throws -> Session {
    do {
      return try openPatiently()
    } catch let error as AppError where error.kind == .cannotCreate {
      // Why it cannot be written says more than that it cannot be read either.
      guard let session = try? Session(options.choices), !session.canWrite else { throw error }
      return session
    }
  }

  /// Opens the data; waits half a minute while another program keeps it to itself.
  private func openPatiently() throws -> Session {
    for attempt in 1..<Self.attempts {
      do {
        return try Session(options.choices, connections: .many)
      } catch let error as AppError where error.kind == .busy {
        if attempt == 1 { Messages.write("\(error.reason) Waiting …") }
      }
    }
    return try Session(options.choices, connections: .many)
  }

  /// Each waits for five seconds (`Configuration.synchronized`).
  private static let attempts = 6

  /// Shows the app until the person quits.
  @MainActor
  private func show(_ session: Session, _ settings: Settings) async throws {
    let paths = session.paths
    // Where nothing can be written nothing is kept, and there is nothing to send.
    let canWrite = session.canWrite
    func file(_ url: URL) -> URL? { canWrite ? url : nil }
    let makeSync: SyncMaker = { try Self.sync(session) }
    let device = try NcursesDevice(
      environment: ProcessInfo.processInfo.environment, preference: preference,
      errorLog: file(paths.errorLog)?.path)
    try await runRemindersUI(
      database: session.database, device: device,
      environment: UIEnvironment(
        localeFormat: session.time.localeFormat,
        isAnnouncedElsewhere: { NotifierLock.isHeld(paths.notifierLock) },
        optionsFile: file(paths.optionsFile), undoFile: file(paths.undoFile),
        unsavedDirectory: file(paths.unsavedDirectory), pictureCache: file(paths.pictureCache),
        forgetAccount: { try paths.forgetAccount() }, exportDirectory: paths.home,
        settings: settings, readSettings: { try paths.readSettings() }),
      makeSync: canWrite ? makeSync : nil)
    device.dieIfAsked()
  }

  /// Makes an engine, whose log goes to a file.
  private static func sync(_ session: Session) throws -> SyncControl {
    let engine = try session.engine()
    let (news, log) = (engine.news, session.log)
    // Ends with the engine.
    Task { await log.append(news) }
    return SyncControl(
      engine, place: session.paths.cloud.name,
      signIn: { name in
        try await session.signIn(session.paths.cloud.account(typed: name), engine)
      },
      share: { request in
        try Self.requireRunning(engine)
        try await session.perform(request, engine)
        // Who is invited looks for the invitation as soon as it is said to be sent.
        try await engine.syncChanges()
      },
      invitations: {
        try Self.requireRunning(engine)
        return try await session.invitations(engine)
      })
  }

  /// While synchronization is stopped, nothing is to be sent or fetched.
  private static func requireRunning(_ engine: SyncEngine) throws {
    guard engine.isRunning else {
      throw AppError(.failed, "Synchronization is stopped.", hint: "Start it with s first.")
    }
  }

  private var preference: ColorPreference {
    switch options.choices.color ?? .auto {
    case .auto: .auto
    case .always: .always
    case .never: .never
    }
  }
}
