/// What a server would refuse to someone who does not own a zone.
///
/// Pure, and asked by writers and readers alike: a commit that breaks it is void.
struct SharePermissions {
  let author: AccountID
  let owner: AccountID

  /// Why a change is not the author's to make.
  func refusal(of change: CloudChange, in share: Share?) -> CloudError? {
    guard author != owner else { return nil }
    guard let share, share.permission(of: author) == .write else {
      return .forbidden(
        "\(author.displayName) may not write into what \(owner.displayName) shares.")
    }
    if change.name == Share.recordName {
      return .forbidden("Only \(owner.displayName) can change who \(share.title) is shared with.")
    }
    if case .delete = change, change.name == share.root {
      return .forbidden("Only \(owner.displayName) can delete \(share.title).")
    }
    return nil
  }

  /// Throws `permissionFailure` when the author may not even read.
  ///
  /// And `unknownItem` when a log that was begun anew does not say yet who may.
  func requireReadable(_ share: Share?, isAnew: Bool) throws {
    guard author != owner else { return }
    guard share != nil || !isAnew else {
      throw CloudError(
        .unknownItem, "\(owner.displayName) has not said again whom this is shared with.",
        hint: "It goes on when \(owner.displayName) has synchronized.")
    }
    guard let share, share.permission(of: author) >= .read else {
      throw CloudError.forbidden(
        "\(owner.displayName) does not share this with \(author.displayName) any more.")
    }
  }
}

extension CloudError {
  static func forbidden(_ reason: String) -> CloudError {
    CloudError(.permissionFailure, reason, hint: "Ask the owner to allow it.")
  }
}
