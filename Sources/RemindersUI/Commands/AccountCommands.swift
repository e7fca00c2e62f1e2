extension Command {
  /// What can be done about the account.
  static let accountCommands: [Command] = [
    Command(
      .openAccount, .anywhere, ["@"], "Account", hint: "account",
      help: "Show who is signed in, where and on which devices.",
      perform: { $0.openAccount() }),
    Command(
      .signIn, .account, ["i"], "Sign in", hint: "sign in",
      help: "Sign in: send what is here, and get what the account has.",
      unless: { state in
        guard let sync = state.sync else { return needsCloud(state) }
        return sync.account.map {
          "\($0) is signed in: \(state.keymap.keyName(of: .signOut)) signs out first."
        }
      },
      perform: { $0.openSignIn() }),
    Command(
      .signOut, .account, ["o"], "Sign out", hint: "sign out",
      help: "Sign out: take the account's reminders off this device.",
      unless: needsAccount, perform: { $0.openSignOut() }),
    Command(
      .exportAll, .account, ["e"], "Export", hint: "export",
      help: "Export everything to a new file in your home directory.",
      perform: { _ in [.export] }),
    Command(
      .leaveAccount, .account, ["<esc>"], "Leave the account", hint: "back",
      help: "Leave the account screen.", perform: { $0.closeScreen() }),
  ]

  /// Why a command for which there must be a cloud is not possible.
  @Sendable static func needsCloud(_ state: AppState) -> String? {
    state.sync == nil ? "There is no cloud to synchronize with." : nil
  }

  /// Why a command for which somebody must be signed in is not possible.
  @Sendable static func needsAccount(_ state: AppState) -> String? {
    guard let sync = state.sync else { return needsCloud(state) }
    return sync.account == nil
      ? "Nobody is signed in: \(state.keymap.keyName(of: .openAccount)) shows the account." : nil
  }
}
