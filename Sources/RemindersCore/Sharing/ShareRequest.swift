/// What a person asks of sharing: for the command line and the screens alike.
public enum ShareRequest: Hashable, Sendable {
  /// Invites people to a list, sharing it if it is not shared yet.
  ///
  /// Without a permission for the public, it stays as it is.
  case share(
    RemindersList.ID, title: String, participants: [String: ListShare.Permission],
    publicPermission: ListShare.Permission?)
  /// Lets somebody do less or more; `none` removes them.
  case setPermission(RemindersList.ID, account: String, ListShare.Permission)
  /// Stops sharing: the list stays its owner's alone.
  case unshare(RemindersList.ID)
  /// Leaves somebody else's list: only one's own copy goes.
  case leave(RemindersList.ID)
  /// Accepts what somebody shares.
  case accept(link: String)
  /// Declines an invitation.
  case decline(link: String)
}

/// An invitation that waits for an answer.
public struct ListInvitation: Identifiable, Hashable, Sendable {
  /// What it is accepted by.
  public let link: String
  /// Who invites.
  public let sender: String
  /// What is shared.
  public let title: String
  /// The link.
  public var id: String { link }

  /// An invitation.
  public init(link: String, sender: String, title: String) {
    self.link = link
    self.sender = sender
    self.title = title
  }
}
