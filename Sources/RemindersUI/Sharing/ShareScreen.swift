import Foundation
import RemindersCore
import RemindersTerminal

/// Shows whom a list is shared with and what they may do, and changes it.
struct ShareScreen: ListScreen {
  let listID: RemindersList.ID
  let title: String
  /// The share; nil while the list is nobody else's.
  var share: ListShare?
  /// The cursor among the participants.
  var list = ListState<ListShare.Participant.ID>()

  init(_ list: RemindersList, share: ListShare?) {
    listID = list.id
    title = list.title
    self.share = share
  }

  /// The participant under the cursor.
  var current: ListShare.Participant? {
    share?.participants.first { $0.id == list.current }
  }

  let contexts: [Context] = [.sharing, .moving, .anywhere, .always]
  let hints: [Command.ID] = [
    .invite, .toggleWriting, .removeParticipant, .copyLink, .endShare, .leaveShareScreen, .help,
  ]
  var place: String? { "People" }

  mutating func arrange(in state: AppState) {
    list.update(
      lines: share?.participants.map(\.id) ?? [],
      height: state.layout.body.size.rows - Self.factCount)
  }
}

extension SharesQuery: ShownQuery {
  func show(_ shares: [ListShare], in state: inout AppState) {
    state.shares = shares
    state.screens.update(ShareScreen.self) { screen in
      screen.share = shares.first { $0.id == screen.listID }
    }
  }

  func isAwaited(in state: AppState) -> Bool { false }
}

extension AppState {
  /// The share screen, if it has the keys.
  var shareScreen: ShareScreen? {
    screens[top: ShareScreen.self]
  }

  /// The share of a list; nil while it is nobody else's.
  func share(of list: RemindersList.ID) -> ListShare? { shares.first { $0.id == list } }

  /// Why lists cannot be changed, or what is in them; nil when they can.
  func readOnlyReason(of lists: some Sequence<RemindersList.ID>) -> String? {
    lists.lazy.compactMap { share(of: $0) }.first { !$0.isWritable }.map {
      "\(appearance.glyphs.quoted($0.title)) is shared by \($0.owner) to read, not to write."
    }
  }

  mutating func openShare(of list: RemindersList?) -> [Effect] {
    list.map { open(ShareScreen($0, share: share(of: $0.id))) } ?? []
  }

  /// Closes the screen about a list that is not there any more: it was left, or taken away.
  mutating func closeShareOfGoneList() {
    guard let screen = shareScreen,
      home.sidebar?.lists.contains(where: { $0.id == screen.listID }) == false
    else { return }
    screens.removeLast()
  }

  /// What leaving somebody else's list means for this account.
  func consequenceOfLeaving(_ share: ListShare) -> String {
    let name = appearance.glyphs.quoted(share.title)
    let unsent = "What is not sent yet goes with it; the history keeps it for 30 days."
    return "\(name) leaves your devices. \(share.owner) and the others keep it."
      + ((sync?.pending ?? 0) > 0 ? " " + unsent : "")
  }

  /// Asks before others lose a list, or this account does.
  mutating func openEndOfShare() -> [Effect] {
    guard let share = shareScreen?.share else { return [] }
    let name = appearance.glyphs.quoted(share.title)
    let question =
      share.isOwn
      ? ConfirmationScreen(
        title: "Stop sharing",
        text: "\(name) stays yours alone. The others lose their copies.",
        answer: .share(.unshare(share.id)))
      : ConfirmationScreen(
        title: "Leave",
        text: consequenceOfLeaving(share),
        answer: .share(.leave(share.id)))
    return open(question)
  }

  /// Lets the current participant write, or only read.
  func toggleWriting() -> [Effect] {
    guard let screen = shareScreen, let current = screen.current else { return [] }
    return [
      .share(
        .setPermission(
          screen.listID, account: current.id, current.permission == .write ? .read : .write))
    ]
  }

  func removeParticipant() -> [Effect] {
    guard let screen = shareScreen, let current = screen.current else { return [] }
    return [.share(.setPermission(screen.listID, account: current.id, .none))]
  }

  /// Lets anyone with the link read, then write, then neither.
  func changePublicPermission() -> [Effect] {
    guard let screen = shareScreen else { return [] }
    let all = ListShare.Permission.allCases
    let known = screen.share?.publicPermission ?? .none
    let next = all[((all.firstIndex(of: known) ?? 0) + 1) % all.count]
    return [
      .share(
        .share(
          screen.listID, title: screen.title, participants: [:], publicPermission: next))
    ]
  }

  mutating func copyLink() -> [Effect] {
    guard let link = shareScreen?.share?.link else { return [] }
    notify("Copied the link.")
    return [.copy(link)]
  }
}

extension ShareScreen {
  /// The lines above the participants.
  private static let factCount = 7
  private static let table = TextTable([
    .flexible("who", atLeast: 12), .fixed("may", 16), .fixed("state", 10),
  ])

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    let glyphs = state.appearance.glyphs
    let start = rect.origin.moved(columns: 1, rows: 1)
    let width = rect.size.columns - 2
    func write(_ runs: [StyledRun], row: Int) {
      surface.write(runs, at: start.moved(rows: row), width: width, ellipsis: glyphs.ellipsis)
    }
    write(
      [
        StyledRun(title, .heading), StyledRun("  "),
        StyledRun(share?.summary ?? "not shared", share == nil ? .dim : .text),
      ], row: 0)
    guard let share else {
      write([StyledRun("Nobody else sees this list and what is in it.", .dim)], row: 2)
      write(state.hintText([.invite, .changePublicPermission]), row: 4)
      return start
    }
    write([StyledRun("anyone with the link  ", .label), StyledRun(share.publicWords)], row: 1)
    write([StyledRun("link  ", .label), StyledRun(share.link ?? "", .dim)], row: 2)
    let warning = Self.warnings.first { $0.count <= rect.size.columns - 4 }
    write([StyledRun(warning ?? "", .dim)], row: 3)
    return drawPeople(share, on: &surface, in: rect.splitTop(Self.factCount - 1).rest, state)
  }

  /// What sharing between accounts of one Unix user is worth, in as many words as fit.
  private static let warnings = [
    "Accounts of the same system user are not protected from each other.",
    "The same system user is not kept out.",
  ]

  private func drawPeople(
    _ share: ListShare, on surface: inout Surface, in rect: Rect, _ state: AppState
  ) -> Point? {
    let glyphs = state.appearance.glyphs
    let width = rect.size.columns - 4
    Self.table.drawTitles(
      on: &surface, at: rect.origin.moved(columns: 3), width: width, glyphs: glyphs)
    let area = rect.splitTop(1).rest
    return list.draw(on: &surface, in: area, glyphs: glyphs) { surface, index, line in
      let participant = share.participants[index]
      Self.table.draw(
        [
          StyledRun(participant.account), StyledRun(participant.permission.words),
          StyledRun(
            participant.hasAccepted ? "accepted" : "invited",
            participant.hasAccepted ? .text : .dim),
        ], on: &surface, at: line.origin.moved(columns: 3), width: width, glyphs: glyphs)
    }
  }
}

extension ListShare {
  fileprivate var publicWords: String {
    publicPermission == .none ? "has no access" : "may " + publicPermission.words
  }
}

extension ListShare.Permission {
  /// What somebody may do.
  var words: String {
    switch self {
    case .none: "nothing"
    case .read: "read"
    case .write: "read and write"
    }
  }
}

extension Context {
  /// On the screen about whom a list is shared with.
  static let sharing = Context("People of a list")
}
