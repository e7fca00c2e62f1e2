import Foundation
import Testing

extension EndToEnd {
  /// Two devices of one person, each in a terminal of its own, with one cloud between them.
  @Suite struct TwoTerminalsTests {
    @Test func anEditCrossesWhileBothLookOn() async throws {
      let (desk, laptop) = try await devices()
      try await desk.add("Haircut")
      try await laptop.shows("○     Haircut")
      try await laptop.press("f")
      try await desk.shows("⚑")
      try await laptop.press("Space")
      try await desk.shows("◐     Haircut")
    }

    @Test func differentFieldsEditedWhileStoppedSurviveInBoth() async throws {
      let (desk, laptop) = try await devices()
      try await desk.add("Haircut")
      try await laptop.shows("Haircut")
      try await stopBoth(desk, laptop)
      try await desk.retitle("Barber")
      try await laptop.setDue("2099-12-25")
      try await startBoth(desk, laptop)
      for device in [desk, laptop] {
        try await device.shows("both edits") { lines in
          lines.contains { $0.contains("Barber") && $0.contains("25 Dec") }
        }
      }
    }

    @Test func ofOneFieldEditedTwiceTheLaterEditWinsInBoth() async throws {
      let (desk, laptop) = try await devices()
      try await desk.add("Haircut")
      try await laptop.shows("Haircut")
      try await stopBoth(desk, laptop)
      try await laptop.retitle("Earlier")
      try await desk.retitle("Later")
      // Who sends first does not matter.
      try await startBoth(laptop, desk)
      for device in [desk, laptop] {
        try await device.shows("○     Later")
        try await device.showsNoMore("○     Earlier")
      }
    }

    @Test func whatIsDeletedHereAndEditedThereLaterIsBackInBoth() async throws {
      let (desk, laptop) = try await devices()
      try await desk.add("Haircut")
      try await laptop.shows("Haircut")
      try await stopBoth(desk, laptop)
      try await desk.press("d")
      try await desk.showsNoMore("○     Haircut")
      try await laptop.retitle("Barber")
      try await startBoth(desk, laptop)
      try await desk.shows("○     Barber")
      try await laptop.shows("✓ in sync")
      try await laptop.shows("○     Barber")
    }

    @Test func theSyncScreenShowsTheLogOfWhatCrosses() async throws {
      let (desk, laptop) = try await devices()
      try await laptop.press("S")
      try await laptop.shows("1 Log ──")
      try await desk.add("Haircut")
      try await laptop.shows("fetched   reminder   Haircut")
      try await laptop.shows(":reminders")
      try await laptop.press("Escape")
      try await laptop.shows("○     Haircut")
    }

    @Test func theCursorStaysOnItsReminderWhenOthersArrive() async throws {
      let (desk, laptop) = try await devices()
      try await desk.add("Haircut")
      try await laptop.shows("▸ ○     Haircut")
      try await desk.add("Aardvark today")
      try await laptop.shows("○     Aardvark")
      try await laptop.shows("▸ ○     Haircut")
    }

    @Test func whatTheCommandLineDoesIsSeenAlsoWhileSyncIsStopped() async throws {
      let program = try Program()
      try program.run("add", "Haircut")
      let terminal = try await Tmux(program)
      try await terminal.open()
      try await terminal.press("s")
      try await terminal.shows("sync stopped")
      try program.run("lists", "edit", "Personal", "--title", "Home")
      try await terminal.shows("■ Home")
      try program.run("add", "Shave")
      try await terminal.shows("○     Shave")
    }

    private func devices() async throws -> (Tmux, Tmux) {
      let desk = try Program()
      let laptop = Program(beside: desk, device: "laptop")
      let terminals = (try await Tmux(desk), try await Tmux(laptop))
      for terminal in [terminals.0, terminals.1] {
        try await terminal.open()
        try await terminal.shows("✓ in sync")
      }
      return terminals
    }

    private func stopBoth(_ terminals: Tmux...) async throws {
      for terminal in terminals {
        try await terminal.shows("✓ in sync")
        try await terminal.press("s")
        try await terminal.shows("sync stopped")
      }
    }

    private func startBoth(_ terminals: Tmux...) async throws {
      for terminal in terminals {
        try await terminal.shows("to send")
        try await terminal.press("s")
      }
    }
  }
}

extension Tmux {
  /// Adds a reminder as a person does and waits until it is in the list.
  func add(_ line: String) throws {
    try press("a")
    try shows("Enter add")
    try type(line)
    try press("Enter")
    try showsNoMore("Enter add")
    try shows("Added")
  }

  /// Gives the reminder under the cursor another title.
  func retitle(_ title: String) throws {
    try press("e")
    try shows("Edit reminder")
    try press("C-u")
    try type(title)
    try press("C-s")
    try showsNoMore("Edit reminder")
    try shows("○     \(title)")
  }

  /// Gives the reminder under the cursor a due date.
  func setDue(_ text: String) throws {
    try press("D")
    try shows("Enter")
    try press("C-u")
    try type(text)
    try press("Enter")
    try shows("LATER")
  }
}
