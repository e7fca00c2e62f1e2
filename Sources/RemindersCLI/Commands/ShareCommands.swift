import ArgumentParser
import Foundation
import RemindersCore
import SQLiteSync

struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "share", abstract: "Share a list, or change who may do what with it.",
    discussion: """
      For example: reminders share Family --with ben --permission write --with carla --permission \
      read. The list travels with its reminders and cover; tags stay everybody's own.

      Who is new to the cloud synchronizes once, so that the invitation reaches them:

        ben$ reminders sync                        # makes his account
        ann$ reminders share Family --with ben     # or first; then again: reminders sync
        ben$ reminders shares                      # the invitation, with its link
        ben$ reminders accept share:…              # or P in the app; the list is there
        ann$ reminders sync                        # shows that he has accepted
      """)

  @Argument(help: "The list, by title or id.", completion: .lists) var name: String
  @Option(help: ArgumentHelp("Whom to invite.", valueName: "name")) var with: [String] = []
  @Option(
    help: """
      What they may do: read, write (the default), or none to remove them. One for all, or one for \
      each --with.
      """)
  var permission: [ListShare.Permission] = []
  @Option(
    name: .customLong("public"),
    help: "What anyone with the link may do: none (at first), read or write.")
  var publicPermission: ListShare.Permission?
  @Flag(name: .shortAndLong, help: "Print the share as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard permission.count <= 1 || permission.count == with.count else {
      throw ValidationError("Give one --permission, or one for each --with.")
    }
    if with.isEmpty, !permission.isEmpty {
      throw ValidationError("--permission is about somebody: name them with --with.")
    }
  }

  func run() async throws {
    let session = try Session(options.choices, connections: .many)
    try session.requireSignedIn()
    let list = try session.database.list(named: name)
    let permissions = participants
    try await session.withEngine { engine in
      let invited = permissions.filter { $0.value != .none }
      try await session.perform(
        .share(
          list.id, title: list.title, participants: invited, publicPermission: publicPermission),
        engine)
      for (account, permission) in permissions where permission == .none {
        try await session.perform(
          .setPermission(list.id, account: account, permission), engine)
      }
    }
    try session.printShare(of: list, asJSON: json)
  }

  private var participants: [String: ListShare.Permission] {
    let all = permission.count == 1 ? with.map { _ in permission[0] } : permission
    return Dictionary(
      zip(with, all.isEmpty ? with.map { _ in .write } : all), uniquingKeysWith: { $1 })
  }
}

struct UnshareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "unshare", abstract: "Stop sharing a list: it stays yours alone.",
    discussion: "For example: reminders unshare Family")

  @OptionGroup var list: ListOfShare

  func run() async throws {
    try await list.perform { list, session, engine in
      try await session.perform(.unshare(list.id), engine)
      return "Stopped sharing “\(list.title.printable)”."
    }
  }
}

struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "leave", abstract: "Leave a list that somebody else shares: your copy goes.",
    discussion: """
      For example: reminders leave Family

      What you changed in it is sent before. What cannot be sent, the others do not get, and you \
      have it in `reminders history` for 30 days.
      """)

  @OptionGroup var list: ListOfShare

  func run() async throws {
    // Also what cannot be read any more.
    try await list.perform(fetchesFirst: false) { list, session, engine in
      _ = try? await engine.syncChanges()  // What cannot be sent or read keeps nobody in it.
      let unsent = try session.database.fetch(UnsentQuery(list.id))
      try await session.perform(.leave(list.id), engine)
      let title = "“\(list.title.printable)”"
      guard unsent > 0 else { return "Left \(title)." }
      return "Left \(title). \(counted(unsent, "unsent change")) \(unsent == 1 ? "is" : "are") in "
        + "`reminders history` for 30 days."
    }
  }
}

/// The list whose sharing ends.
struct ListOfShare: ParsableArguments {
  @Argument(help: "The list, by title or id.", completion: .lists) var name: String
  @Flag(name: .shortAndLong, help: "Print the list as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Named: Encodable { let id: String, title: String }

  /// Does what ends it, and says what came of it: also where the cloud cannot be told yet.
  func perform(
    fetchesFirst: Bool = true,
    _ end: (RemindersList, Session, SyncEngine) async throws -> String
  ) async throws {
    let session = try Session(options.choices, connections: .many)
    try session.requireSignedIn()
    let list = try session.database.list(named: name)
    do {
      try await session.withEngine(fetchesFirst: fetchesFirst) {
        Messages.write(try await end(list, session, $0))
      }
    } catch let error as SyncError where error.reason == .notShared {
      throw AppError(
        AppError(error).kind, "“\(list.title.printable)” is not shared.",
        hint: "There is nothing to do.")
    }
    if json { try JSONOutput.print(Named(id: list.id, title: list.title)) }
  }
}

struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "accept", abstract: "Accept a list that somebody shares with you.",
    discussion: "For example: reminders accept LINK, as `reminders share` has printed it")

  @Argument(help: "The link to it.") var link: String
  @Flag(name: .shortAndLong, help: "Print the share as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices, connections: .many)
    try session.requireSignedIn()
    try await session.withEngine { try await session.perform(.accept(link: link), $0) }
    let text = link.trimmingCharacters(in: .whitespacesAndNewlines)
    let shares = try session.database.fetch(SharesQuery())
    for share in shares where share.link == text { try session.print(share, asJSON: json) }
  }
}

struct DeclineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "decline", abstract: "Decline an invitation, and tell who invites.",
    discussion: "For example: reminders decline LINK")

  @Argument(help: "The link that `reminders shares` prints.") var link: String
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices, connections: .many)
    try session.requireSignedIn()
    try await session.withEngine { try await session.perform(.decline(link: link), $0) }
    Messages.write("Declined.")
  }
}

struct SharesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "shares", abstract: "Show what is shared with whom, and who invites you.",
    discussion: "For example: reminders shares")

  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Report: Encodable {
    let shares: [ShareJSON]
    let invitations: [Invitation]
  }

  private struct Invitation: Encodable {
    let title: String
    let from: String
    let link: String
  }

  func run() async throws {
    let session = try Session(options.choices, connections: .many)
    let invitations = try await invitations(session)
    let shares = try session.database.fetch(SharesQuery())
    guard !json else {
      try JSONOutput.print(
        Report(
          shares: shares.map(ShareJSON.init),
          invitations: invitations.map {
            Invitation(title: $0.title, from: $0.sender, link: $0.link)
          }))
      return
    }
    for share in shares { try session.print(share, asJSON: false) }
    for invitation in invitations {
      print("“\(invitation.title.printable)” · invitation from \(invitation.sender.printable)")
      print("  reminders accept \(invitation.link.printable)")
      print("  reminders decline \(invitation.link.printable)")
    }
  }

  /// Those that the cloud has; none while it cannot be asked, and what is known is shown.
  private func invitations(_ session: Session) async throws -> [ListInvitation] {
    guard try session.database.fetch(AccountQuery()).name != nil else { return [] }
    do {
      return try await session.withEngine { try await session.invitations($0) }
    } catch let failure as AppError {
      Messages.write(failure.reason.printable)
      return []
    }
  }
}

/// A share as the command line prints it in JSON; scripts rely on its shape.
private struct ShareJSON: Encodable {
  struct List: Encodable {
    let id: String
    let title: String
  }

  struct Participant: Encodable {
    let account: String
    let permission: String
    let state: String
  }

  let list: List
  let owner: String
  let access: String
  let publicPermission: String
  let participants: [Participant]
  let link: String?

  init(_ share: ListShare) {
    list = List(id: share.id, title: share.title)
    owner = share.owner
    access = share.access.rawValue
    publicPermission = share.publicPermission.rawValue
    link = share.link
    participants = share.participants.map {
      Participant(
        account: $0.account, permission: $0.permission.rawValue,
        state: $0.hasAccepted ? "accepted" : "invited")
    }
  }
}

extension Session {
  fileprivate func printShare(of list: RemindersList, asJSON: Bool) throws {
    for share in try database.fetch(SharesQuery()) where share.id == list.id {
      try print(share, asJSON: asJSON)
    }
  }

  fileprivate func print(_ share: ListShare, asJSON: Bool) throws {
    if asJSON {
      try JSONOutput.print(ShareJSON(share))
      return
    }
    Swift.print("“\(share.title)” · \(share.summary)".printable)
    for participant in share.participants {
      let state = participant.hasAccepted ? "" : ", invited"
      Swift.print("  \(participant.account.printable): \(participant.permission.rawValue)\(state)")
    }
    if share.publicPermission != .none {
      Swift.print("  anyone with the link: \(share.publicPermission.rawValue)")
    }
    if let link = share.link { Swift.print("  \(link.printable)") }
  }
}

extension ListShare.Permission: ExpressibleByArgument {}
