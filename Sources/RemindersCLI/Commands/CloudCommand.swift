import ArgumentParser
import Foundation
import RemindersCore
import SQLiteSyncCloud

struct CloudCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "cloud", abstract: "Set up a cloud, copy one to another place, or change it.",
    subcommands: [CloudInitCommand.self, CloudCopyCommand.self, CloudChangeCommand.self])
}

struct CloudCopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "copy",
    abstract: "Copy a whole cloud to another place, where all devices go on with what they have.",
    usage: "reminders cloud copy <from> <to> [--json]",
    discussion: """
      For example: reminders cloud copy /mnt/cloud ssh://ann@example.org/srv/cloud

      Each place is what --cloud names: a directory, ssh://…, s3://…, or postgres://… (after \
      reminders cloud init). Everything is read back and compared. A copy that was interrupted is \
      made again: what is there already stays. A place where another cloud is, is refused. The old \
      place stays as it is.

      Where a cloud has several users, each copies what is theirs; an administrator of a database \
      who can read the old place copies all of it, and everything stays whose it was. Unix users \
      whose cloud goes into a database are given to its roles before: reminders cloud init.

      Stop the devices, or let them be: what comes into the old place meanwhile is copied, too. \
      Afterwards give all of them the new place (REMINDERS_CLOUD): nothing is fetched again.

        reminders cloud copy ~/.local/share/reminders/cloud ssh://ann@example.org/srv/cloud
        reminders cloud copy /mnt/cloud 's3://bucket/reminders?endpoint=https://minio.example'
        sudo reminders cloud copy /srv/cloud postgres://postgres@example.org/cloud
      """)

  @Argument(help: ArgumentHelp("Where the cloud is.", valueName: "from")) var from: String
  @Argument(help: ArgumentHelp("Where it is to be.", valueName: "to")) var to: String
  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false

  /// What was done; scripts rely on its shape in JSON.
  private struct Summary: Encodable {
    let copied: Int
    let bytes: Int64
    let present: Int
    let skipped: [String: String]
    let damaged: [String: String]
    let isStillUsed: Bool
  }

  func run() async throws {
    let (source, destination) = (
      try CloudLocation(typed: from), try CloudLocation(typed: to)
    )
    guard source.name != destination.name else {
      throw AppError(.invalidInput, "Both places are \(source.name).", hint: "Give another one.")
    }
    if case (.directory(let one), .directory(let other)) = (source, destination) {
      let (one, other) = (one.standardizedFileURL.path + "/", other.standardizedFileURL.path + "/")
      guard !one.hasPrefix(other), !other.hasPrefix(one) else {
        throw AppError(
          .invalidInput, "One of the places is in the other.", hint: "Give another one.")
      }
    }
    let report = try copy(from: source, to: destination)
    if json {
      try JSONOutput.print(
        Summary(
          copied: report.copied, bytes: report.byteCount, present: report.present,
          skipped: Dictionary(
            uniqueKeysWithValues: Self.named(report.skipped).map { ($0.name, $0.reason) }),
          damaged: Dictionary(report.damage.map { ($0.path, $0.problem) }) { first, _ in first },
          isStillUsed: report.isStillUsed))
    } else {
      for line in Self.lines(report, destination) { print(line.printable) }
    }
    guard report.skipped.isEmpty else {
      throw AppError(
        .notPermitted, "\(counted(report.skipped.count, "account")) could not be copied.",
        hint: "The user of each can copy it, with the same command: what is there stays.")
    }
    guard report.damage.isEmpty else {
      throw AppError(
        .failed, "What is damaged at the old place is copied as it is, or missing.",
        hint: "`reminders check --cloud` says there what can be done; then copy again.")
    }
  }

  private func copy(
    from source: CloudLocation, to destination: CloudLocation
  ) throws -> CloudCopy.Report {
    // Numbers of users are called as that machine calls them.
    if case .ssh = source { AccountID.usersAreOfAnotherMachine() }
    let line = ProgressLine()
    defer { line.end() }
    line.show("Copying", 0, of: 1)
    return try CloudCopy(from: source.store, to: destination.store)
      .run(
        progress: { done, total in line.show("Copying", done, of: total) },
        making: destination.make)
  }

  private static func lines(_ report: CloudCopy.Report, _ place: CloudLocation) -> [String] {
    let there = report.present > 0 ? "; \(report.present) were there" : ""
    var lines = [
      "Copied \(counted(report.copied, "object")) (\(ByteCount.text(Int(report.byteCount)))) and "
        + "compared them\(there)."
    ]
    lines += named(report.skipped).map { "Not copied: the account \($0.name). \($0.reason)" }
    lines += report.damage.map { "Damaged: \($0.path): \($0.problem)" }
    if let sharing = report.sharing { lines.append("Sharing ends there: \(sharing.reason)") }
    if report.isStillUsed {
      lines.append("Devices still write to the old place: stop them, and copy again.")
    }
    lines += ["Give all devices the new place: REMINDERS_CLOUD=\(place.shellWord)."]
    let own = report.accounts.filter { account in
      // What cannot be asked is only not said here.
      place.store.users.flatMap { try? $0.refusal(of: account) } == nil
    }
    if own.count < report.accounts.count { lines.append("Each logs in there with an own role.") }
    // Devices that go on know their account; a new one takes the usual one of the place.
    if let usual = try? place.ownAccount(), !own.isEmpty, !own.contains(usual) {
      let options = own.map { "--account \($0.rawValue)" }
      lines.append("A new device there is given its account: \(options.joined(separator: " or ")).")
    }
    return lines
  }

  /// Accounts by their names; where two have the same, with what tells them apart.
  private static func named(
    _ skipped: [AccountID: String]
  ) -> [(name: String, reason: String)] {
    skipped.sorted { $0.key.rawValue < $1.key.rawValue }.map { account, reason in
      let other = skipped.keys.first {
        $0 != account && $0.displayName == account.displayName
      }
      return (other.map(account.displayName(beside:)) ?? account.displayName, reason)
    }
  }
}
