import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

/// Shows whose reminders these are, where the cloud is, and on which devices.
struct AccountScreen: Screen {
  var contexts: [Context] { [.account, .anywhere, .always] }
  var hints: [Command.ID] { [.signIn, .signOut, .exportAll, .leaveAccount, .help] }
  var isFullPage: Bool { true }
  var place: String? { "Account" }
}

extension AppState {
  mutating func openAccount() -> [Effect] {
    screens.last is AccountScreen ? [] : open(AccountScreen())
  }

  /// Asks before the reminders leave this device.
  ///
  /// - Parameter reason: Why nobody can tell whether the cloud has them; nil as far as is known.
  mutating func openSignOut(unconfirmed reason: String? = nil) -> [Effect] {
    guard let sync, let account = sync.account else { return [] }
    let unsent = sync.pending
    let doubt = reason ?? sync.doubt
    let export = "\(keymap.keyName(of: .exportAll)) on the screen below exports everything first."
    var parts: [String] = []
    if let doubt { parts.append(doubt) }
    if unsent > 0 { parts.append("\(counted(unsent, "edit")) not in the cloud yet will be lost.") }
    let text =
      parts.isEmpty
      ? "The reminders of \(account) leave this device. Signing in again brings them back."
      : (parts + [export]).joined(separator: " ")
    return open(
      ConfirmationScreen(
        title: "Sign out", text: text,
        answer: .signOut(discarding: unsent, needingCloud: doubt == nil)))
  }
}

extension AccountScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    let area = rect.inset(columns: 1)
    let ellipsis = state.appearance.glyphs.ellipsis
    guard let sync = state.sync else {
      surface.write(
        "There is no cloud: start with --cloud DIRECTORY to share and synchronize.",
        at: area.origin.moved(rows: 1), width: area.size.columns, ellipsis: ellipsis)
      return area.origin.moved(rows: 1)
    }
    let facts = sync.accountFacts.map { label, value in
      [StyledRun(TextWidth.padded(label, to: 14), .label), StyledRun(value)]
    }
    let notes = sync.accountNotes.flatMap { text, role in
      TextWidth.wrapped(text, to: area.size.columns).map { [StyledRun($0, role)] } + [[]]
    }
    for (row, runs) in (facts + [[]] + notes).prefix(area.size.rows - 1).enumerated() {
      surface.write(
        runs, at: area.origin.moved(rows: row + 1), width: area.size.columns, ellipsis: ellipsis)
    }
    return area.origin.moved(rows: 1)
  }
}

extension SyncState {
  fileprivate var accountFacts: [(String, String)] {
    let last = known?.account.id.map { ", last \($0.displayName)" } ?? ""
    let others = known?.otherDevices.map(\.label) ?? []
    return [
      ("account", account ?? "signed out\(last)"), ("cloud", place),
      ("this device", known.map { $0.deviceName ?? $0.device.deviceLabel } ?? ""),
      ("other devices", others.isEmpty ? "none known" : others.joined(separator: ", ")),
      ("to send", "\(pending)"),
    ]
  }

  /// Why the reminders that are here may be the last copy; nil while the cloud answers.
  fileprivate var doubt: String? {
    switch status.phase {
    case .backingOff:
      "The cloud cannot be reached. What is on this device may be the last copy."
    case .accountChanged:
      "Another cloud is there now. What is on this device may be the last copy."
    case .stopped, .elsewhere, .starting, .idle, .fetching, .sending, .signedOut: nil
    }
  }

  fileprivate var accountNotes: [(String, Role)] {
    if status.phase == .accountChanged {
      return [(status.lastError ?? "", .error), (status.advice ?? "", .dim)]
    }
    guard let account else {
      return [
        (
          "Nobody is signed in. What is written now stays on this device, and goes to the account "
            + "that signs in next.", .warning
        )
      ]
    }
    return [
      (
        "Signing out takes the reminders of \(account) off this device. The cloud and the other "
          + "devices keep them; only what was deleted or overwritten before cannot be restored "
          + "here any more.", .dim
      )
    ]
  }
}

extension Context {
  /// On the account screen.
  static let account = Context("Account")
}
