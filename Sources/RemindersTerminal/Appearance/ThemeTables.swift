/// The built-in looks. The terminal's own background is kept everywhere but under the selection.
extension Theme {
  /// What must be told apart without colour: this is all of `mono`, and the ground of the others.
  static let attributeLooks: [Role: Look] = [
    .dim: Look(nil, .dim),
    .heading: Look(nil, .bold),
    .titleBar: Look(nil, .reverse),
    .cursor: Look(nil, .reverse),
    .cursorElsewhere: Look(nil, .underline),
    .selected: Look(nil, .bold),
    .match: Look(nil, [.bold, .underline]),
    .rule: Look(nil, .dim),
    .done: Look(nil, .dim),
    .overdue: Look(nil, .bold),
    .error: Look(nil, .bold),
    .warning: Look(nil, .bold),
    .hintKey: Look(nil, .bold),
    .hintDisabled: Look(nil, .dim),
    .label: Look(nil, .bold),
    .fieldFocused: Look(nil, .underline),
    .placeholder: Look(nil, .dim),
  ]

  static func colorLooks(_ name: Name) -> [Role: Look] {
    switch name {
    case .auto: looks(autoColors)
    case .dark: looks(darkColors)
    case .light: looks(lightColors)
    case .highContrast, .mono: [:]
    }
  }

  /// The strongest attributes and no shades: bright text, reversed where one is, nothing faint.
  static let highContrastLooks: [Role: Look] = [
    .dim: Look(), .rule: Look(), .done: Look(), .placeholder: Look(nil, .italic),
    .hintDisabled: Look(nil, .italic),
    .overdue: Look(.ansi(9), .bold), .error: Look(.ansi(9), [.bold, .underline]),
    .warning: Look(.ansi(11), .bold), .success: Look(.ansi(10), .bold),
    .match: Look(.ansi(0), on: .ansi(11), [.bold, .underline]),
    .fieldFocused: Look(nil, [.bold, .underline]),
    .cursorElsewhere: Look(nil, [.bold, .underline]),
  ]

  /// The colours of one theme; `nil` is the terminal's own.
  private struct Colors {
    var accent, heading, alert, caution, good, tag, incoming: Color
    /// For what is less important; dim without one: bright black is unreadable in some schemes.
    var quiet: Color?
    /// Behind the title bar, the selection, and the current row of another pane.
    var titleBackground, cursorBackground, elsewhereBackground: Color?
  }

  private static let autoColors = Colors(
    accent: .ansi(6), heading: .ansi(4), alert: .ansi(1), caution: .ansi(3), good: .ansi(2),
    tag: .ansi(5), incoming: .ansi(6))

  private static let darkColors = Colors(
    accent: .palette(80, ansi: 6), heading: .palette(111, ansi: 12),
    alert: .palette(203, ansi: 9), caution: .palette(221, ansi: 11), good: .palette(114, ansi: 10),
    tag: .palette(176, ansi: 13), incoming: .palette(80, ansi: 14), quiet: .palette(245, ansi: 7),
    titleBackground: .palette(236, ansi: 0), cursorBackground: .palette(24, ansi: 4),
    elsewhereBackground: .palette(237, ansi: 0))

  private static let lightColors = Colors(
    accent: .palette(30, ansi: 6), heading: .palette(25, ansi: 4), alert: .palette(160, ansi: 1),
    caution: .palette(130, ansi: 3), good: .palette(28, ansi: 2), tag: .palette(90, ansi: 5),
    incoming: .palette(30, ansi: 6), quiet: .palette(242, ansi: 8),
    titleBackground: .palette(254, ansi: 7), cursorBackground: .palette(153, ansi: 7),
    elsewhereBackground: .palette(255, ansi: 7))

  private static func looks(_ colors: Colors) -> [Role: Look] {
    [
      .dim: Look(colors.quiet),
      .heading: Look(colors.heading),
      .titleBar: Look(nil, on: colors.titleBackground),
      .cursor: Look(nil, on: colors.cursorBackground),
      .cursorElsewhere: Look(nil, on: colors.elsewhereBackground),
      .selected: Look(colors.accent),
      .match: Look(colors.caution),
      .rule: Look(colors.quiet),
      .done: Look(colors.quiet),
      .overdue: Look(colors.alert),
      .flag: Look(colors.caution),
      .priority: Look(colors.alert),
      .tag: Look(colors.tag),
      .success: Look(colors.good),
      .warning: Look(colors.caution),
      .error: Look(colors.alert),
      .pendingSend: Look(colors.caution),
      .incoming: Look(colors.incoming),
      .hintKey: Look(colors.accent),
      .hintText: Look(colors.quiet),
      .hintDisabled: Look(colors.quiet),
      .label: Look(colors.heading),
      .placeholder: Look(colors.quiet),
    ]
  }
}
