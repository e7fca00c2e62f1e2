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
      return .forbidden("\(author) may not write into what \(owner) shares.")
    }
    if change.name == Share.recordName {
      return .forbidden("Only \(owner) can change who \(share.title) is shared with.")
    }
    if case .delete = change, change.name == share.root {
      return .forbidden("Only \(owner) can delete \(share.title).")
    }
    return nil
  }

  /// Throws `permissionFailure` when the author may not even read.
  func requireReadable(_ share: Share?) throws {
    guard author != owner else { return }
    guard let share, share.permission(of: author) >= .read else {
      throw CloudError.forbidden("\(owner) does not share this with \(author) any more.")
    }
  }
}

extension CloudError {
  static func forbidden(_ reason: String) -> CloudError {
    CloudError(.permissionFailure, reason, hint: "Ask the owner to allow it.")
  }
}
