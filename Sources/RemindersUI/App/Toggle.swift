/// Something that is on or off: as the configuration has it, until a command chooses otherwise.
public enum Toggle: String, CaseIterable, Sendable {
  /// Whether each reminder takes one line, without notes and tags.
  case compact
  /// Whether the covers of lists are shown.
  case covers
  /// Whether the lists stay beside the reminders while those have the keys.
  case sidebar
  /// Whether synchronization runs.
  case sync

  /// As it is where nobody decided.
  var standard: Bool { self != .compact }

  /// How it stands, in the words of the configuration.
  func text(isOn: Bool) -> String {
    guard self == .compact else { return "\(rawValue.capitalized): \(isOn ? "on" : "off")." }
    return "Density: \(isOn ? "compact" : "normal")."
  }
}

extension AppState {
  /// Whether something is on.
  func isOn(_ toggle: Toggle) -> Bool {
    home.options.chosen[toggle] ?? configured[toggle] ?? toggle.standard
  }

  /// Chooses what is remembered from one run to the next, unless the configuration has it so.
  mutating func set(_ toggle: Toggle, _ isOn: Bool) {
    let usual = configured[toggle] ?? toggle.standard
    home.options.chosen[toggle] = isOn == usual ? nil : isOn
  }

  mutating func flip(_ toggle: Toggle) -> [Effect] {
    set(toggle, !isOn(toggle))
    notify(toggle.text(isOn: isOn(toggle)))
    return []
  }
}
