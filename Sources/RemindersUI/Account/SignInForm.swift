import RemindersCore
import RemindersTerminal

/// Asks whose account it is.
struct SignInForm: LinePrompt {
  var line: TextField
  /// Records that were made while nobody was signed in.
  let count: Int
  let acceptHint = "sign in"

  init(last: String?, count: Int) {
    line = TextField(last ?? "")
    self.count = count
  }

  func accept(in state: inout AppState) -> [Effect] {
    guard !line.text.isEmpty else { return [] }
    return state.closeScreen() + [.signIn(line.text)]
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    LineSurroundings(
      columns: 56, title: "Sign in", placeholder: "ann",
      explanation: [
        count == 0
          ? StyledRun("What the account has comes to this device.", .dim)
          : StyledRun("\(counted(count, "record")) made here will go to this account.", .warning)
      ])
  }
}

extension AppState {
  mutating func openSignIn() -> [Effect] {
    let last = sync?.known?.account.id?.displayName
    return open(SignInForm(last: last, count: sync?.pending ?? 0))
  }
}
