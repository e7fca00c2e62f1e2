import ArgumentParser
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

struct CloudChangeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "change",
    abstract: "Go on at another cloud with what is here: when the old one is lost.",
    discussion: """
      Everything that is here is sent to the cloud that --cloud names, which is begun if there is \
      none, and merged with what is there. Do it on each device, and they agree again. What others \
      shared with you becomes your own, what you shared is not shared any more, and what was \
      deleted or overwritten before cannot be restored on this device.

      A cloud that is still there is better copied: reminders cloud copy.

      For example: reminders cloud change --cloud /mnt/new
      """)

  @Flag(help: "Do not ask.") var yes = false
  @Flag(name: .shortAndLong, help: "Print what came of it as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Changed: Encodable { let cloud: String, sent: Int, fetched: Int }

  func run() async throws {
    let session = try Session(ofAnyone: options.choices, connections: .many)
    try session.requireSignedIn()
    let place = session.paths.cloud.name
    if !yes {
      try Confirmation.ask(
        "Everything that is here goes to \(place), as edits made now.",
        question: "Leave the cloud that was there before?", hint: "To do it all the same: --yes.")
    }
    let known = try session.database.fetch(IdentityQuery())
    let account = try known.account.id ?? session.ownAccount(known.account)
    let status = try await session.logging({ try session.engine() }) { engine in
      try session.paths.cloud.make()
      try session.paths.cloud.requireOwn(account)
      try await engine.changeCloud(to: session.container(of: account, device: known.device))
      try await engine.syncChanges()
      return engine.status
    }
    if json {
      try JSONOutput.print(Changed(cloud: place, sent: status.sent, fetched: status.fetched))
    } else {
      print("At \(place): sent \(status.sent), fetched \(status.fetched).".printable)
    }
  }
}
