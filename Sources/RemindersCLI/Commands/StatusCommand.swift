import ArgumentParser
import Foundation
import RemindersCore

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "status", abstract: "Show where things are and what is not synchronized yet.",
    discussion: "For example: reminders status --json")

  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let status = try Status(
      session, session.database.fetch(SyncQuery()),
      LastFailure(in: session.paths))
    if json {
      try JSONOutput.print(status)
    } else {
      for line in status.lines { print(line) }
    }
  }
}

/// How things stand; scripts rely on its shape in JSON.
private struct Status: Encodable {
  let dataDirectory: String
  let cloud: String
  /// Who is signed in; null while nobody is.
  let account: String?
  let device: String
  let deviceID: String
  let pending: Int
  let waiting: Int
  let quarantined: Int
  let notSynchronized: Int
  /// When and why the last synchronization failed; null when it did not.
  let lastFailure: String?
  /// The last commit in the cloud that cannot be read; null when there is none.
  let ignored: String?

  private enum Key: String, CodingKey {
    case dataDirectory, cloud, account, device, deviceID, pending, waiting, quarantined
    case notSynchronized, lastFailure, ignored
  }

  /// Encodes every key, also those without a value.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(dataDirectory, forKey: .dataDirectory)
    try container.encode(cloud, forKey: .cloud)
    try container.encode(account, forKey: .account)
    try container.encode(device, forKey: .device)
    try container.encode(deviceID, forKey: .deviceID)
    try container.encode(pending, forKey: .pending)
    try container.encode(waiting, forKey: .waiting)
    try container.encode(quarantined, forKey: .quarantined)
    try container.encode(notSynchronized, forKey: .notSynchronized)
    try container.encode(lastFailure, forKey: .lastFailure)
    try container.encode(ignored, forKey: .ignored)
  }

  init(_ session: Session, _ sync: SyncQuery.Value, _ failure: LastFailure) throws {
    lastFailure = try failure.text(.failed)
    ignored = try failure.text(.ignored)
    dataDirectory = session.paths.dataDirectory.path
    cloud = session.paths.cloud.name
    account = sync.account.isSignedOut ? nil : session.account(sync.account).displayName
    device = session.paths.deviceName
    deviceID = sync.device.uuidString.lowercased()
    pending = sync.counts.pending
    waiting = sync.counts.waiting
    quarantined = sync.counts.quarantined
    notSynchronized = sync.counts.notSynchronized
  }

  var lines: [String] {
    // Only when there is something to see to.
    let refused = notSynchronized > 0 ? [("cannot be sent", "\(notSynchronized)")] : []
    let failed = lastFailure.map { [("sync failed", $0)] } ?? []
    // `check --cloud` says what can be done about it.
    let ignored =
      ignored.map { [("cannot be read", $0 + " (see `reminders check --cloud`)")] } ?? []
    return [
      ("data", dataDirectory), ("cloud", cloud), ("account", account ?? "signed out"),
      ("device", device),
      ("pending", "\(pending)"), ("waiting", "\(waiting)"), ("quarantined", "\(quarantined)"),
    ].map(Self.line) + (refused + failed + ignored).map(Self.line)
  }
}

extension Status {
  private static func line(_ label: String, _ value: String) -> String {
    let columns = max(13, label.count + 1)
    return label.padding(toLength: columns, withPad: " ", startingAt: 0) + value.printable
  }
}

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "log", abstract: "Show the log of synchronization.",
    discussion: "For example: reminders log | tail")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    print(
      try LogFile(url: try Paths(options.choices).logFile).read().printableLines, terminator: "")
  }
}
