import RemindersCore

extension Command {
  /// What can be done about sharing.
  static let shareCommands: [Command] = [
    Command(
      .openShare, .home, ["p"], "People", hint: "people",
      help: "Show whom this list is shared with; share it.",
      unless: { state in
        needsAccount(state)
          ?? (state.home.currentList == nil ? "Only lists can be shared." : nil)
      },
      perform: { $0.openShare(of: $0.home.currentList) }),
    Command(
      .acceptShare, .home, ["P"], "Accept a shared list", hint: "accept",
      help: "Accept an invitation or a link to somebody's list.",
      unless: needsAccount,
      perform: { _ in [.findInvitations] }),
    Command(
      .invite, .sharing, ["a"], "Invite", hint: "invite", help: "Invite somebody to this list.",
      unless: needsOwnList, perform: { $0.openInvite() }),
    Command(
      .toggleWriting, .sharing, ["w"], "Writing or only reading", hint: "may write or not",
      help: "Let this person write, or only read.",
      unless: needsParticipant, perform: { $0.toggleWriting() }),
    Command(
      .removeParticipant, .sharing, ["d", "<delete>"], "Remove", hint: "remove",
      help: "Remove this person; their copy is deleted.",
      unless: needsParticipant, perform: { $0.removeParticipant() }),
    Command(
      .changePublicPermission, .sharing, ["l"], "What the link allows", hint: "link allows",
      help: "Let anyone with the link read, write, or neither.",
      unless: needsOwnList, perform: { $0.changePublicPermission() }),
    Command(
      .copyLink, .sharing, ["y"], "Copy the link", hint: "copy link",
      help: "Copy the link with which others accept.",
      unless: { $0.shareScreen?.share?.link == nil ? "This list is not shared." : nil },
      perform: { $0.copyLink() }),
    Command(
      .endShare, .sharing, ["x"], "Stop sharing, or leave", hint: "stop",
      help: "Stop sharing your list, or leave somebody else's.",
      unless: { $0.shareScreen?.share == nil ? "This list is not shared." : nil },
      perform: { $0.openEndOfShare() }
    ).hinting { $0.shareScreen?.share?.isOwn == false ? "leave" : "stop sharing" },
    Command(
      .leaveShareScreen, .sharing, ["<esc>"], "Leave the screen", hint: "back",
      help: "Leave this screen.", perform: { $0.closeScreen() }),
  ]

  @Sendable private static func needsOwnList(_ state: AppState) -> String? {
    guard let share = state.shareScreen?.share, !share.isOwn else { return nil }
    return "Only \(share.owner) can change who takes part."
  }

  @Sendable private static func needsParticipant(_ state: AppState) -> String? {
    if let reason = needsOwnList(state) { return reason }
    return state.shareScreen?.current == nil ? "There is nobody here." : nil
  }

  /// Why a command that changes reminders is not possible.
  @Sendable static func needsWritableReminder(_ state: AppState) -> String? {
    needsReminder(state) ?? state.readOnlyReason(of: state.targets.all.listIDs)
  }

  /// Why a command that changes the list under the cursor is not possible.
  @Sendable static func needsWritableList(_ state: AppState) -> String? {
    state.home.currentList.flatMap { state.readOnlyReason(of: [$0.id]) }
  }
}
