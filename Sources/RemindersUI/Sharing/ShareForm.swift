import Reminders
import Terminal

/// Asks for one thing about sharing: whom to invite, or a link to accept.
struct ShareForm: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    case invite(RemindersList.ID, title: String)
    case accept
  }

  let purpose: Purpose
  var field = TextField("")
}

extension AppState {
  mutating func openInvite() -> [Effect] {
    guard let screen = shareScreen else { return [] }
    screens.append(
      .shareForm(ShareForm(purpose: .invite(screen.listID, title: screen.title))))
    return []
  }

  mutating func openLinkForm() {
    screens.append(.shareForm(ShareForm(purpose: .accept)))
  }

  /// Offers the invitations that wait, and to type a link.
  mutating func openInvitations(_ invitations: [ListInvitation]) {
    guard !invitations.isEmpty else {
      openLinkForm()
      return
    }
    let items =
      invitations.map {
        PickerItem(
          id: Choice.Value.accept(link: $0.link), title: $0.title, note: "from \($0.sender)")
      } + [PickerItem(id: Choice.Value.typeLink, title: "Another link", note: "to type or paste")]
    screens.append(.choice(Choice(title: "Accept", picker: Picker(items))))
  }

  mutating func accept(_ form: ShareForm) -> [Effect] {
    let text = form.field.text
    guard !text.isEmpty else { return [] }
    screens.removeLast()
    switch form.purpose {
    case .accept: return [.share(.accept(link: text))]
    case .invite(let list, let title):
      return [
        .share(
          .share(list, title: title, participants: [text: .write], publicPermission: nil))
      ]
    }
  }

  /// Says what came of a request about sharing.
  mutating func conclude(_ request: ShareRequest) {
    switch request {
    case .share(_, _, let participants, _):
      let names = participants.keys.sorted().joined(separator: ", ")
      say(names.isEmpty ? "Changed what the link allows." : "Invited \(names).")
    case .setPermission(let list, let account, let permission):
      let name = share(of: list)?.participants.first { $0.id == account }?.account
      let who =
        name ?? shareScreen?.share?.participants.first { $0.id == account }?.account ?? account
      say(permission == .none ? "Removed \(who)." : "\(who) may \(permission.words).")
    case .unshare: say("Stopped sharing.")
    case .leave: say("Left.")
    case .accept: say("Accepted.")
    }
  }
}

extension ShareForm {
  private var title: String {
    switch purpose {
    case .invite(_, let title): "Invite to \(title)"
    case .accept: "Accept a link"
    }
  }

  private var note: String {
    switch purpose {
    case .invite: "They may read and write; the screen below changes that."
    case .accept: "The list comes to all your devices."
    }
  }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let box = rect.centered(Size(columns: 66, rows: 5))
    let inside = surface.box(box, title: title, glyphs: state.appearance.glyphs).inset(columns: 2)
    surface.write(
      note, at: inside.origin.moved(rows: 2), role: .dim, width: inside.size.columns,
      ellipsis: state.appearance.glyphs.ellipsis)
    return field.draw(
      on: &surface, in: inside.splitTop(1).top, style: Style(.fieldFocused),
      placeholder: purpose == .accept ? "share:" : "the name they sign in with")
  }
}
