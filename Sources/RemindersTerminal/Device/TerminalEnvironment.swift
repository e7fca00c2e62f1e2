/// Whether colours are used, as the person asked for.
public enum ColorPreference: String, CaseIterable, Hashable, Sendable {
  /// What the terminal can do, unless `NO_COLOR` says otherwise.
  case auto
  case always, never
}

/// What the environment says about the terminal, and what follows from it.
struct TerminalEnvironment {
  /// The process's variables.
  let variables: [String: String]

  private func value(_ name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The terminal types to try, the best first.
  ///
  /// `TERM=xterm` promises 8 colours. If `COLORTERM` promises millions, the type that has them is
  /// right, best with the terminal's own sixteen beside them; or else the one with 256.
  ///
  /// - Throws: `TerminalError` when the terminal cannot show a screen.
  func terminalTypes() throws -> [String] {
    guard let term = value("TERM") else {
      throw TerminalError(
        "TERM is not set.", hint: "Set it to your terminal's type, such as xterm.")
    }
    if term == "dumb" {
      throw TerminalError(
        "This terminal cannot show a screen (TERM=dumb).",
        hint: "The commands work without one: try reminders list.")
    }
    let promisesColors = ["truecolor", "24bit"].contains(value("COLORTERM") ?? "")
    guard promisesColors else { return [term] }
    let family = term.hasSuffix("-256color") ? String(term.dropLast("-256color".count)) : term
    let types = [family + "-direct16", family + "-direct", family + "-256color"]
    return types.contains(term) ? types : types + [term]
  }

  /// Whether to ask by kitty's protocol: others than these may show the question as text.
  var mayKnowKittyGraphics: Bool {
    let names = [value("TERM"), value("TERM_PROGRAM")].compactMap { $0?.lowercased() }
    let isKnown = ["kitty", "ghostty", "wezterm"].contains { known in
      names.contains { $0.contains(known) }
    }
    return isKnown || value("KITTY_WINDOW_ID") != nil
  }

  /// Whether the terminal takes what is copied, where its description says so.
  ///
  /// Terminals made of VTE call themselves xterm, and do not. Nor does tmux by default.
  func hasClipboard(byDescription isDescribed: Bool) -> Bool {
    value("TMUX") == nil && (isDescribed && value("VTE_VERSION") == nil || mayKnowKittyGraphics)
  }

  /// How many colours to use where terminfo promises `colors`.
  ///
  /// https://no-color.org: `NO_COLOR` counts when it is not empty.
  func colorDepth(terminfoColors colors: Int, preference: ColorPreference) -> ColorDepth {
    let isRefused = preference == .never || (preference == .auto && value("NO_COLOR") != nil)
    if isRefused { return .mono }
    return [.direct, .palette256, .ansi16, .ansi8].first { colors >= $0.rawValue } ?? .mono
  }
}
