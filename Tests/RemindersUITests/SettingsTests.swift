import RemindersTerminal
import Testing

@testable import RemindersUI

@MainActor
struct SettingsTests {
  @MainActor
  @Test func theConfigurationIsReadAgainOnRequest() async throws {
    let driver = try await Driver(later: Settings("set ascii yes\nbind n addReminder\nnonsense"))
    try await driver.press(":reload<enter>")
    #expect(driver.shows("! config line 3:"))
    #expect(try driver.line(with: "Dentist").contains("> [ ]"))
    try await driver.press("n")
    #expect(driver.shows("Enter add"))
  }

  @MainActor
  @Test func aSignalReadsTheConfigurationAgain() async throws {
    let driver = try await Driver(later: Settings("set ascii yes"))
    await driver.send(.reload)
    #expect(driver.shows("Configuration reloaded."))
    #expect(try driver.line(with: "Dentist").contains("> [ ]"))
  }

  @Test func keysAreBoundAndShown() async throws {
    let driver = try await Driver(settings: Settings("bind n addReminder\nbind gg goToday"))
    #expect(driver.lines.last?.hasPrefix(" n add") == true)
    try await driver.press("nBread<enter>")
    #expect(driver.current == "Bread")
    try await driver.press("gg")
    #expect(driver.titles.contains("Renew the domain"))
  }

  @Test func aBoundKeyIsTakenFromItsCommand() {
    let settings = Settings("bind d toggleFlag")
    #expect(
      settings.keymap.meaning(of: [.character("d")], in: [.reminders]) == .command(.toggleFlag))
    #expect(settings.keymap.keyNames(of: .deleteReminder) == ["Del"])
  }

  @Test(arguments: [
    ("set theme purple", "There is no theme “purple”."),
    ("\nset mouse perhaps", "config line 2: “perhaps” is neither yes nor no."),
    ("set", "set needs a name and a value."),
    ("bind <nokey> quit", "“<nokey>” is not a key."),
    ("bind z fly", "There is no command “fly”."),
    ("color sky blue", "There is no role “sky”."),
    ("color tag mauve", "“mauve” is not a colour."),
    ("color tag red default shiny", "“shiny” is not an attribute."),
    ("paint it black", "“paint” is not known."),
    (
      String(repeating: "x", count: 100_000),
      "“\(String(repeating: "x", count: 60))…” is not known."
    ),
  ])
  func aLineThatIsNotUnderstoodIsAWarning(text: String, warning: String) {
    let settings = Settings(text)
    #expect(settings.warnings.count == 1)
    #expect(settings.warnings.first?.contains(warning) == true)
  }

  @Test func formerNamesOfCommandsAndRolesAreUnderstood() {
    let settings = Settings("bind z mark\ncolor selection default blue\ncolor marked green")
    #expect(settings.warnings.isEmpty)
    #expect(settings.keymap.keyNames(of: .select).first == "z")
    #expect(settings.theme.look(of: Role.cursor) == Look(nil, on: .ansi(4)))
  }

  @Test func linesMayEndAsOnWindows() {
    let settings = Settings(
      "set ascii yes\r\n\r\n# set ascii no\r\nset mouse no\r\nset mouse maybe\r\n")
    #expect(settings.usesASCII && !settings.usesMouse)
    #expect(settings.warnings.map { $0.hasPrefix("config line 5:") } == [true])
  }

  @Test func aWarningIsShownAndTheAppStarts() async throws {
    let driver = try await Driver(settings: Settings("set colour blue"))
    #expect(driver.shows("✗ config line 1: There is no setting “colour”."))
    #expect(driver.shows("Dentist"))
  }

  @Test func theDefaultsAreUnderstood() {
    let lines = Settings.defaults.split(separator: "\n").map { line in
      let isSetting = ["# set ", "# bind ", "# color "].contains { line.hasPrefix($0) }
      return isSetting ? String(line.dropFirst(2)) : String(line)
    }
    let settings = Settings(lines.joined(separator: "\n"))
    #expect(settings.warnings == [])
  }

  @Test func coloursAndAttributesAreRead() {
    let settings = Settings("color overdue bright-red #102030 bold underline")
    let look = settings.theme.look(of: .overdue)
    #expect(look == Look(.ansi(9), on: .rgb(RGB(0x10_2030)), [.bold, .underline]))
  }

  @Test func asciiAndTheMouseAreSwitched() async throws {
    let driver = try await Driver(settings: Settings("set ascii yes\nset mouse no"))
    #expect(driver.shows("FLAG") && !driver.shows("⚑"))
    #expect(driver.device.frame?.mouse == false)
  }

  /// A theme for a dark screen tells selections by colours that there are none of.
  @Test func withoutColoursAThemeIsTheOneThatNeedsNone() async throws {
    let driver = try await Driver(
      settings: Settings("set theme dark"), colorDepth: .mono)
    #expect(driver.app.state.appearance.theme.name == .mono)
    try await driver.press("/dent")
    #expect(driver.shows("[Dent]ist"))
  }
}
