import Foundation
import Glibc
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

extension Session {
  /// Does what was asked of sharing.
  func perform(_ request: ShareRequest, _ engine: SyncEngine) async throws {
    let table = RemindersList.databaseTableName
    switch request {
    case .share(let list, let title, let participants, let publicPermission):
      let known = try database.fetch(SharesQuery()).first { $0.id == list }
      let permission = publicPermission ?? known?.publicPermission ?? .none
      _ = try await engine.share(
        table: table, key: list, title: title, participants: named(participants),
        publicPermission: Share.Permission(permission))
    case .setPermission(let list, let account, let permission):
      try await engine.setPermissions(
        table: table, key: list, participants: named([account: permission]))
    case .unshare(let list): try await engine.unshare(table: table, key: list)
    case .leave(let list): try await engine.leaveShare(table: table, key: list)
    case .accept(let text): try await engine.acceptShare(link(text))
    case .decline(let text): try await engine.declineShare(link(text))
    }
  }

  private func link(_ text: String) throws -> ShareLink {
    guard let link = ShareLink(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw AppError(
        .invalidInput, "This is not a link to something that is shared.",
        hint: "Such a link begins with share:")
    }
    return link
  }

  /// The invitations that wait for an answer.
  func invitations(_ engine: SyncEngine) async throws -> [ListInvitation] {
    try await engine.invitations().map {
      ListInvitation(
        link: $0.link.description, sender: $0.sender.displayName, title: $0.title)
    }
  }

  /// Does something about sharing with an engine that is not started, and sends what came of it.
  ///
  /// - Parameters:
  ///   - fetchesFirst: Whether what is wrong with the cloud is said before anything is changed.
  ///   - body: Does it.
  func withEngine<Result: Sendable>(
    fetchesFirst: Bool = true, _ body: (SyncEngine) async throws -> Result
  ) async throws -> Result {
    do {
      return try await logging(engine) { engine in
        if fetchesFirst { try await engine.syncChanges() }
        let result = try await body(engine)
        try await database.placeSharedLists()
        try await engine.syncChanges()
        return result
      }
    } catch let error as SyncError where error.reason == .runsElsewhere {
      throw AppError(
        .failed, error.report.reason,
        hint: "Share there, with p on the list; or end it first.")
    }
  }

  private func named(
    _ participants: [String: ListShare.Permission]
  ) throws -> [AccountID: Share.Permission] {
    let known = try database.fetch(IdentityQuery())
    let own = account(known.account)
    let accounts = try participants.map { name, permission in
      let account = try account(of: name, askedBy: own)
      guard account != own else {
        throw AppError(
          .invalidInput, "“\(name)” is who shares it.", hint: "Name somebody else, or nobody.")
      }
      // Whoever was invited by mistake can be removed.
      if permission != .none { try require(account, in: container(of: own, device: known.device)) }
      return (account, Share.Permission(permission))
    }
    return Dictionary(accounts, uniquingKeysWith: { first, _ in first })
  }

  /// Makes sure that somebody is known, where the place of the cloud knows who its users are.
  ///
  /// Elsewhere, an account that nobody has used yet may be used later.
  private func require(_ account: AccountID, in container: CloudContainer) throws {
    guard let users = paths.cloud.store.users, try users.user(of: container.account) != nil,
      try users.user(of: account) == nil, try !container.isUsed(by: account)
    else { return }
    throw AppError(
      .noSuchItem, "Nobody called “\(account.displayName)” is known at \(paths.cloud.name).",
      hint: "Is the name right? Who shares a user with somebody synchronizes first, with --account."
    )
  }

  /// Somebody else's account, as typed: `ben`, or `u1001` and `@ben` as the cloud writes it.
  ///
  /// A Unix user who names somebody means the user of that login name, if there is one; in a
  /// database, everybody means the role.
  private func account(of name: String, askedBy own: AccountID) throws -> AccountID {
    let known =
      try AccountID(rawValue: name) ?? paths.cloud.user(named: name, askedBy: own)
      ?? AccountID(name: name)
    guard let known else {
      throw AppError(
        .invalidInput, "“\(name)” cannot be the name of an account.",
        hint: "Use the name that they sign in with.")
    }
    return known
  }
}

extension Share.Permission {
  /// The permission as the cloud calls it.
  init(_ permission: ListShare.Permission) {
    switch permission {
    case .none: self = .none
    case .read: self = .read
    case .write: self = .write
    }
  }
}
