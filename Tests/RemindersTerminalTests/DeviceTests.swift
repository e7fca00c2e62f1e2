import Testing

@testable import RemindersTerminal

@MainActor @Suite struct MemoryDeviceTests {
  private func frame(_ text: String) -> Frame {
    Frame(surface: .drawing(text, columns: 10), theme: Theme(.mono))
  }

  @Test("keys, pastes and sizes arrive in order, also what came before anyone listened")
  func events() throws {
    let device = MemoryDevice()
    var received: [TerminalEvent] = []
    try device.press("j")
    device.onEvent = { received.append($0) }
    try device.press("<c-s>")
    device.send(.paste("a"))
    device.resize(to: Size(columns: 40, rows: 10))
    #expect(
      received == [
        .key(.character("j")), .key(.control("s")), .paste("a"),
        .resize(Size(columns: 40, rows: 10)),
      ])
    #expect(device.size.columns == 40)
  }

  @Test("names that spell no keys are refused")
  func badNames() {
    let device = MemoryDevice()
    var received: [TerminalEvent] = []
    device.onEvent = { received.append($0) }
    #expect(throws: TerminalError.self) { try device.press("j<oops>") }
    #expect(received.isEmpty)
  }

  @Test("while another program has the screen nothing is shown; the latest frame is shown after it")
  func external() async {
    let device = MemoryDevice()
    device.present(frame("before"))
    let lines = await device.runExternal {
      device.present(frame("first"))
      device.present(frame("second"))
      return device.lines
    }
    #expect(lines == ["before"])
    #expect(device.lines == ["second"])
  }

  @Test("suspending, copying and closing are seen")
  func rest() {
    let device = MemoryDevice()
    var received: [TerminalEvent] = []
    device.onEvent = { received.append($0) }
    device.suspend()
    device.copy("text")
    device.present(frame("last"))
    device.close()
    device.present(frame("late"))
    #expect(received == [.resumed])
    #expect(device.copied == ["text"])
    #expect(device.isClosed && device.lines == ["last"])
  }
}

@Suite struct TerminalEnvironmentTests {
  private func environment(_ variables: [String: String]) -> TerminalEnvironment {
    TerminalEnvironment(variables: variables)
  }

  @Test("a terminal without a type, or a dumb one, is refused with a hint")
  func refusals() {
    for variables in [[:], ["TERM": ""], ["TERM": "dumb"]] {
      #expect(throws: TerminalError.self) { try environment(variables).terminalTypes() }
    }
  }

  @Test("a promise of many colours chooses the type that has them")
  func types() throws {
    #expect(try environment(["TERM": "xterm"]).terminalTypes() == ["xterm"])
    #expect(
      try environment(["TERM": "xterm", "COLORTERM": "truecolor"]).terminalTypes()
        == ["xterm-direct16", "xterm-direct", "xterm-256color", "xterm"])
    #expect(
      try environment(["TERM": "tmux-256color", "COLORTERM": "24bit"]).terminalTypes()
        == ["tmux-direct16", "tmux-direct", "tmux-256color"])
  }

  @Test(
    "colours follow terminfo, NO_COLOR when it is not empty, and before all what was asked for",
    arguments: [
      (0x100_0000, ColorPreference.auto, "", ColorDepth.direct),
      (256, ColorPreference.auto, "", ColorDepth.palette256), (88, .auto, "", .ansi16),
      (16, .auto, "", .ansi16), (8, .auto, "", .ansi8), (1, .auto, "", .mono),
      (256, .auto, "1", .mono), (256, .always, "1", .palette256), (256, .never, "", .mono),
    ])
  func colors(count: Int, preference: ColorPreference, noColor: String, depth: ColorDepth) {
    let environment = environment(["NO_COLOR": noColor])
    #expect(environment.colorDepth(terminfoColors: count, preference: preference) == depth)
  }
}

@Suite struct ControlSequenceTests {
  @Test("a title cannot end its sequence or begin another")
  func title() {
    #expect(ControlSequence.title("a\u{7}b\u{1B}]c\u{9C}d\u{202E}") == "\u{1B}]2;ab]cd\u{7}")
  }

  @Test("the clipboard gets the text's bytes in base 64")
  func copy() {
    #expect(ControlSequence.copy("Zoë") == "\u{1B}]52;c;Wm/Dqw==\u{7}")
  }

  @Test("delays are taken out of terminfo's strings")
  func delays() {
    #expect(ControlSequence.withoutDelays("\u{1B}[m$<2>\u{F}$<10*/>") == "\u{1B}[m\u{F}")
  }
}
