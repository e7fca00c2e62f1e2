import ArgumentParser
import Foundation
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "account", abstract: "Show who is signed in; sign in and out.",
    discussion: """
      For example: reminders account

      The data remembers whose it is: --account is needed once, or never. While nobody is signed \
      in, everything works and stays on this device, and goes to the account that signs in next.
      """,
    subcommands: [Show.self, SignInCommand.self, SignOutCommand.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      command: "show", abstract: "Show who is signed in, where, and on which devices.",
      discussion: "For example: reminders account show --json")

    @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let session = try Session(ofAnyone: options.choices)
      let account = AccountFacts(session, try session.database.fetch(SyncQuery()))
      if json {
        try JSONOutput.print(account)
      } else {
        for line in account.lines { print(line) }
      }
    }
  }
}

/// Who is signed in; scripts rely on its shape in JSON.
private struct AccountFacts: Encodable {
  /// Who is signed in; null while nobody is.
  let account: String?
  /// Who was signed in last; null before anybody was.
  let lastAccount: String?
  let cloud: String
  /// The cloud's own name; null before the first meeting.
  let cloudID: String?
  let device: String
  let deviceID: String
  let otherDeviceIDs: [String]
  /// What the other devices are called, in the order of their ids.
  let otherDevices: [String]
  let pending: Int

  private enum Key: String, CodingKey {
    case account, lastAccount, cloud, cloudID, device, deviceID, otherDeviceIDs, otherDevices
    case pending
  }

  init(_ session: Session, _ sync: SyncQuery.Value) {
    account = sync.account.isSignedOut ? nil : session.account(sync.account).displayName
    lastAccount = sync.account.id?.displayName
    cloud = session.paths.cloud.name
    cloudID = sync.account.cloud
    device = session.paths.deviceName
    deviceID = sync.device.uuidString.lowercased()
    otherDeviceIDs = sync.otherDevices.map { $0.id.uuidString.lowercased() }
    otherDevices = sync.otherDevices.map(\.label)
    pending = sync.counts.pending
  }

  /// Encodes every key, also those without a value.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(account, forKey: .account)
    try container.encode(lastAccount, forKey: .lastAccount)
    try container.encode(cloud, forKey: .cloud)
    try container.encode(cloudID, forKey: .cloudID)
    try container.encode(device, forKey: .device)
    try container.encode(deviceID, forKey: .deviceID)
    try container.encode(otherDeviceIDs, forKey: .otherDeviceIDs)
    try container.encode(otherDevices, forKey: .otherDevices)
    try container.encode(pending, forKey: .pending)
  }

  var lines: [String] {
    let who = account ?? lastAccount.map { "signed out, last \($0)" } ?? "nobody yet"
    let others = otherDevices.isEmpty ? "none known" : otherDevices.joined(separator: ", ")
    return [
      ("account", who), ("cloud", cloud), ("this device", device),
      ("others", others), ("pending", "\(pending)"),
    ].map { $0.padding(toLength: 13, withPad: " ", startingAt: 0) + $1.printable }
  }
}

struct SignInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "sign-in", abstract: "Sign in: send what is here, and get what the account has.",
    discussion: "For example: reminders account sign-in ann")

  @Argument(help: "Whose account; without it, the one that was signed in last, else your own.")
  var name: String?
  @Flag(help: "Do not ask whether what is here may go to another account than the last one.")
  var yes = false
  @Flag(name: .shortAndLong, help: "Print what came of it as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct SignedIn: Encodable { let account: String, sent: Int, fetched: Int }

  func run() async throws {
    let session = try Session(ofAnyone: options.choices, connections: .many)
    let known = try session.database.fetch(SyncQuery())
    let account =
      try name.map(session.paths.cloud.account(typed:)) ?? session.ownAccount(known.account)
    if known.account.name == nil { try confirm(account, known) }
    let status = try await session.logging({ try session.database.engine(for: nil) }) { engine in
      try await session.signIn(account, engine)
      Messages.write("Signed in as \(account.displayName).")
      try await engine.syncChanges()
      return engine.status
    }
    if json {
      try JSONOutput.print(
        SignedIn(account: account.displayName, sent: status.sent, fetched: status.fetched))
    } else {
      print("Sent \(status.sent), fetched \(status.fetched).")
    }
  }

  /// What somebody else wrote does not go to an account without a word.
  private func confirm(_ account: AccountID, _ known: SyncQuery.Value) throws {
    let count = known.counts.pending
    guard let last = known.account.id, last != account, !known.account.hasData, count > 0, !yes
    else { return }
    let made =
      "\(count) \(count == 1 ? "record was" : "records were") made here since \(last.displayName) "
    try Confirmation.ask(
      made + "signed out. They go to the account \(account.displayName).",
      question: "Sign in as \(account.displayName)?", hint: "To send them all the same: --yes.")
  }
}

struct SignOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "sign-out", abstract: "Sign out: take the account's reminders off this device.",
    discussion: """
      The cloud and the other devices keep everything, and signing in again brings it back. What \
      the cloud does not have yet is sent first. What cannot be sent is asked about, and so is a \
      cloud that cannot be reached, is another one or is damaged, so that it could not give \
      everything back: what is here may be the last copy. What was \
      deleted or overwritten before cannot be restored on this device any more.

      For example: reminders account sign-out --export everything.json
      """)

  @Flag(help: "Sign out even when edits are not sent or the cloud is gone, and lose what is here.")
  var yes = false
  @Option(
    help: ArgumentHelp("Export everything to a new file first.", valueName: "file"),
    completion: .file())
  var export: String?
  @Flag(name: .shortAndLong, help: "Print what came of it as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct SignedOut: Encodable {
    let account: String?
    let discarded: Int

    private enum Key: CodingKey { case account, discarded }

    /// Every key is always there.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(account, forKey: .account)
      try container.encode(discarded, forKey: .discarded)
    }
  }

  func run() async throws {
    let session = try Session(ofAnyone: options.choices, connections: .many)
    let result = try await signOut(session)
    if json { try JSONOutput.print(result) }
  }

  /// Signs out, and tells people so.
  private func signOut(_ session: Session) async throws -> SignedOut {
    let known = try session.database.fetch(AccountQuery())
    guard !known.isSignedOut || known.hasData else {
      Messages.write("Nobody is signed in.")
      return SignedOut(account: nil, discarded: 0)
    }
    if let export { try session.export(to: export) }
    guard let account = known.id else {
      try await session.database.engine(for: nil).signOutKeepingRows()
      Messages.write("What is here stays, and nobody is signed in until you do.")
      return SignedOut(account: nil, discarded: 0)
    }
    let engine = try session.engine()
    var doubt = known.isSignedOut ? nil : try await sendFirst(engine)
    let unsent = try session.database.fetch(SyncDetailsQuery(limit: .max)).pending
    if !yes {
      if !unsent.isEmpty || doubt != nil { try confirm(unsent, doubt, session) }
    } else if let doubt {
      Messages.write(doubt.printable)
    }
    do {
      try await engine.signOut(discarding: unsent.count, needingCloud: doubt == nil && !yes)
    } catch let error as SyncError where error.reason == .cloudUnconfirmed {
      doubt = error.message
      try confirm(unsent, error.message, session)
      try await engine.signOut(discarding: unsent.count, needingCloud: false)
    }
    try session.paths.forgetAccount()
    let way = doubt == nil ? " To get everything back: reminders account sign-in" : ""
    Messages.write("Signed out of \(account.displayName).\(way)")
    return SignedOut(account: account.displayName, discarded: unsent.count)
  }

  /// Sends what the cloud does not have yet.
  ///
  /// - Returns: Why nobody can tell whether the cloud has everything; nil when it has.
  private func sendFirst(_ engine: SyncEngine) async throws -> String? {
    try await reasonNotSent(engine).map { "\($0) What is on this device may be the last copy." }
  }

  private func reasonNotSent(_ engine: SyncEngine) async throws -> String? {
    do {
      try await engine.syncChanges()
      return nil
    } catch let error as CloudError {
      return "The cloud cannot be synchronized with: \(error.reason)"
    } catch let error as SyncError where error.reason == .runsElsewhere {
      // Signing out is refused for the same reason, and says what to do.
      return nil
    } catch let error as SyncError where error.reason == .cloudChanged {
      return error.message
    }
  }

  private func confirm(_ unsent: [PendingItem], _ doubt: String?, _ session: Session) throws {
    let shownCount = 10
    let names = unsent.prefix(shownCount).map { item in
      "  \(item.isDeletion ? "deleted" : "edited"): \(item.title)"
    }
    let more = unsent.count > shownCount ? ["  and \(unsent.count - shownCount) more"] : []
    let edits = unsent.count == 1 ? "1 edit is" : "\(unsent.count) edits are"
    var reasons: [String] = []
    if let doubt { reasons.append(doubt) }
    if !unsent.isEmpty { reasons.append("\(edits) not in the cloud yet.") }
    let what = doubt != nil ? "what is here" : unsent.count == 1 ? "it" : "them"
    let saved = doubt != nil ? "everything" : what
    try Confirmation.ask(
      reasons.joined(separator: " "), details: names + more,
      question: "Sign out and lose \(what)?",
      hint: "Sync first; or save \(saved) with --export FILE; or lose \(what) with --yes.",
      other: export == nil
        ? ("e", "export everything first", { try session.export(to: session.newExportFile) }) : nil)
  }
}

extension Session {
  /// Signs an account in on an engine.
  func signIn(_ account: AccountID, _ engine: SyncEngine) async throws {
    let known = try database.fetch(IdentityQuery())
    // A cloud that was there before and is not now is not mounted.
    if known.account.cloud == nil { try paths.cloud.make() }
    try paths.cloud.requireOwn(account)
    try await engine.signIn(container(of: account, device: known.device))
  }

  /// Ends the command when nobody is signed in.
  func requireSignedIn() throws {
    guard try database.fetch(AccountQuery()).isSignedOut else { return }
    throw AppError(
      .notPermitted, "Nobody is signed in.", hint: "Sign in with: reminders account sign-in")
  }
}

extension Paths {
  /// Takes away what was drawn of an account's data, and what would take back in another's what was
  /// done in it.
  func forgetAccount() throws {
    for directory in [pictureCache, undoDirectory] { try remove(directory) }
  }

  private func remove(_ file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    try FileManager.default.removeItem(at: file)
  }
}
