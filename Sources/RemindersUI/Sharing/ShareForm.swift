import RemindersCore
import RemindersTerminal

/// Asks for one thing about sharing: whom to invite, or a link to accept.
struct ShareForm: LinePrompt {
  enum Purpose: Equatable, Sendable {
    case invite(RemindersList.ID, title: String)
    case accept
  }

  let purpose: Purpose
  var line = TextField()

  init(_ purpose: Purpose) {
    self.purpose = purpose
  }

  var acceptHint: String { purpose == .accept ? "accept" : "invite" }

  func accept(in state: inout AppState) -> [Effect] {
    guard !line.text.isEmpty else { return [] }
    let request: ShareRequest =
      switch purpose {
      case .accept: .accept(link: line.text)
      case .invite(let list, let title):
        .share(list, title: title, participants: [line.text: .write], publicPermission: nil)
      }
    return state.closeScreen() + [.share(request)]
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    switch purpose {
    case .invite(_, let title):
      LineSurroundings(
        columns: 66, title: "Invite to \(title)", placeholder: "the name they sign in with",
        explanation: [
          StyledRun("They may read and write; the screen below changes that.", .dim)
        ])
    case .accept:
      LineSurroundings(
        columns: 66, title: "Accept a link", placeholder: "share:",
        explanation: [StyledRun("The list comes to all your devices.", .dim)])
    }
  }
}

extension AppState {
  mutating func openInvite() -> [Effect] {
    guard let screen = shareScreen else { return [] }
    return open(ShareForm(.invite(screen.listID, title: screen.title)))
  }

  /// Offers the invitations that wait, and to type a link.
  mutating func openInvitations(_ invitations: [ListInvitation]) {
    guard !invitations.isEmpty else {
      screens.append(ShareForm(.accept))
      return
    }
    let accepting = invitations.map {
      PickerItem(
        id: Choice.Value.accept(link: $0.link), title: $0.title, note: "from \($0.sender)")
    }
    let declining = invitations.map {
      PickerItem(
        id: Choice.Value.decline(link: $0.link), title: "Decline \($0.title)",
        note: "from \($0.sender)")
    }
    let link = PickerItem(
      id: Choice.Value.typeLink, title: "Another link", note: "to type or paste")
    screens.append(
      Choice(
        title: "Accept", picker: Picker(accepting + [link] + declining, movesByLetters: true)))
  }

  /// Takes over which invitations wait, and tells of the new ones.
  mutating func receive(_ invitations: [ListInvitation]) {
    let known = Set(self.invitations.map(\.id))
    self.invitations = invitations
    guard let new = invitations.last(where: { !known.contains($0.id) }) else { return }
    notify(
      "\(new.sender) invites you to \(appearance.glyphs.quoted(new.title)).", .news,
      offering: .acceptShare)
  }

  /// Tells what came of a request about sharing.
  mutating func conclude(_ request: ShareRequest) {
    switch request {
    case .share(_, _, let participants, _):
      let names = participants.keys.sorted().joined(separator: ", ")
      notify(names.isEmpty ? "Changed what the link allows." : "Invited \(names).")
    case .setPermission(let list, let account, let permission):
      let name = share(of: list)?.participants.first { $0.id == account }?.account
      let who =
        name ?? shareScreen?.share?.participants.first { $0.id == account }?.account ?? account
      notify(permission == .none ? "Removed \(who)." : "\(who) may \(permission.words).")
    case .unshare: notify("Stopped sharing.")
    case .leave(let list):
      let title = share(of: list)?.title ?? shareScreen?.share?.title
      notify(title.map { "Left \(appearance.glyphs.quoted($0))." } ?? "Left.")
    case .accept(let link):
      invitations.removeAll { $0.link == link }
      notify("Accepted.")
    case .decline(let link):
      invitations.removeAll { $0.link == link }
      notify("Declined.")
    }
  }
}
