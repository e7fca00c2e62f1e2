import Foundation
import Glibc
import Testing

@testable import RemindersTerminal

/// The real device on a terminal of its own; ncurses has one screen, so the suite is the same.
extension NcursesScreenTests {
  /// A pair of descriptors: what the device takes for the terminal, and the terminal's other side.
  @MainActor private final class PseudoTerminal {
    let terminal: Int32
    private(set) var person: Int32

    init(_ size: Size, pixels: (width: Int, height: Int) = (0, 0)) throws {
      var person: Int32 = -1
      var terminal: Int32 = -1
      var measures = winsize()
      measures.ws_col = UInt16(size.columns)
      measures.ws_row = UInt16(size.rows)
      measures.ws_xpixel = UInt16(pixels.width)
      measures.ws_ypixel = UInt16(pixels.height)
      try #require(openpty(&person, &terminal, nil, nil, &measures) == 0)
      try #require(fcntl(person, F_SETFL, O_NONBLOCK) == 0)
      self.person = person
      self.terminal = terminal
    }

    func device(program: String = "") throws -> NcursesDevice {
      try NcursesDevice(
        input: terminal, output: terminal,
        environment: ["TERM": "xterm-256color", "TERM_PROGRAM": program], locale: "C.UTF-8")
    }

    func type(_ text: String) { _ = write(person, text, text.utf8.count) }

    func resize(to size: Size) {
      var measures = winsize()
      measures.ws_col = UInt16(size.columns)
      measures.ws_row = UInt16(size.rows)
      _ = ioctl(terminal, UInt(TIOCSWINSZ), &measures)
      // Not `raise`: Dispatch blocks signals on the threads that tests run on.
      kill(getpid(), SIGWINCH)
    }

    /// What was written to the terminal since the last call.
    func output() -> String {
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let count = read(person, &piece, piece.count), count > 0 {
        bytes += piece.prefix(count)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a line is edited and shown by the kernel, as in a shell.
    var isInShellMode: Bool {
      var modes = termios()
      tcgetattr(terminal, &modes)
      return modes.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// Once: a number that is closed twice is a file of somebody else's by then.
    func hangUp() {
      guard person >= 0 else { return }
      Glibc.close(person)
      person = -1
    }

    func close() {
      hangUp()
      Glibc.close(terminal)
    }
  }

  private func withDevice(_ body: (NcursesDevice, PseudoTerminal) async throws -> Void) async throws
  {
    let pseudo = try PseudoTerminal(Size(columns: 40, rows: 10))
    defer { pseudo.close() }
    let device = try pseudo.device()
    defer { device.close() }
    try await body(device, pseudo)
  }

  private func frame(_ text: String, on device: NcursesDevice, mouse: Bool = false) -> Frame {
    var surface = Surface(size: device.size)
    surface.write(text, at: .zero)
    return Frame(surface: surface, theme: Theme(.mono), mouse: mouse, title: "tests")
  }

  @Test("a frame is one write, with its picture and modes, and an unchanged one is none")
  func oneWrite() async throws {
    let pseudo = try PseudoTerminal(Size(columns: 40, rows: 10))
    defer { pseudo.close() }
    // A socket that keeps what was written at once together.
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    defer { for end in ends { Glibc.close(end) } }
    try #require(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    func writes() -> [String] {
      var bytes = [UInt8](repeating: 0, count: 1 << 18)
      var texts: [String] = []
      while case let count = read(ends[1], &bytes, bytes.count), count > 0 {
        texts.append(String(decoding: bytes.prefix(count), as: UTF8.self))
      }
      return texts
    }
    let device = try NcursesDevice(
      input: pseudo.terminal, output: ends[0], environment: ["TERM": "xterm-256color"],
      locale: "C.UTF-8")
    defer { device.close() }
    for (round, isMouse) in [true, false, true].enumerated() {
      _ = writes()
      var surface = Surface(size: device.size)
      for row in 0..<device.size.rows {
        for column in 0..<device.size.columns {
          let color = UInt32((row * 97 + column * 7919 + round * 31_337) & 0xFF_FFFF)
          surface.write(
            "é", at: Point(column: column, row: row), style: Style(foreground: RGB(color)))
        }
      }
      let frame = Frame(
        surface: surface, theme: Theme(.dark), mouse: isMouse, title: "\(isMouse)")
      device.present(frame)
      let written = writes()
      #expect(written.count == 1)
      #expect(written.first.map { $0.contains("]2;\(isMouse)") && $0.utf8.count > 8000 } == true)
      device.present(frame)
      #expect(writes() == [])
    }
  }

  @Test("the device takes the terminal, shows a frame and its modes, and gives everything back")
  func deviceLife() async throws {
    let pseudo = try PseudoTerminal(Size(columns: 40, rows: 10))
    defer { pseudo.close() }
    #expect(pseudo.isInShellMode)
    let device = try pseudo.device()
    #expect(device.size == Size(columns: 40, rows: 10))
    #expect(!pseudo.isInShellMode)
    device.present(frame("hello 日本", on: device, mouse: true))
    let shown = pseudo.output()
    for part in ["\u{1B}[?1049h", "\u{1B}[?2004h", "hello 日本", "\u{1B}[?1006h", "]2;tests\u{7}"] {
      #expect(shown.contains(part), "\(part.debugDescription)")
    }
    device.close()
    device.close()
    let left = pseudo.output()
    for part in ["\u{1B}[?1006l", "\u{1B}[?2004l", "\u{1B}[23;0t", "\u{1B}[?1049l"] {
      #expect(left.contains(part), "\(part.debugDescription)")
    }
    #expect(pseudo.isInShellMode)
    device.present(frame("late", on: device))
    #expect(pseudo.output().isEmpty)
  }

  @Test("a terminal that shows pictures is asked, and gets them over their cells")
  func devicePictures() async throws {
    let pseudo = try PseudoTerminal(Size(columns: 40, rows: 10))
    defer { pseudo.close() }
    let device = try pseudo.device(program: "WezTerm")
    defer { device.close() }
    #expect(pseudo.output().contains("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"))
    let (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    device.onEvent = { continuation.yield($0) }
    var received = events.makeAsyncIterator()
    pseudo.type("\u{1B}_Gi=31;OK\u{1B}\\j")
    // What it can do otherwise, it says of itself after that.
    pseudo.type("\u{1B}[?62;4c")
    #expect(await received.next() == .key(.character("j")))
    #expect(await received.next() == .showsPictures(.png))

    var frame = frame("text", on: device)
    let png = Data((0..<5000).map { UInt8($0 % 251) })
    frame.picture = FramePicture(
      rect: Rect(column: 3, row: 1, columns: 20, rows: 4), data: png, format: .png)
    device.present(frame)
    let shown = pseudo.output()
    #expect(shown.contains("\u{1B}7\u{1B}[2;4H\u{1B}_Ga=T,f=100,i=1,c=20,r=4,C=1,q=2,m=1;"))
    let pieces = shown.matches(of: #/\x1b_G[^;]*;([A-Za-z0-9+\/=]*)\x1b\\/#).map { String($0.1) }
    #expect(pieces.count == 2 && pieces.allSatisfy { $0.count <= 4096 })
    #expect(Data(base64Encoded: pieces.joined()) == png)
    // It stays while it is the same, and goes with the frame or the screen.
    device.present(frame)
    #expect(!pseudo.output().contains("\u{1B}_G"))
    device.present(self.frame("text", on: device))
    #expect(pseudo.output().contains("\u{1B}_Ga=d,d=I,i=1,q=2\u{1B}\\"))
    device.present(frame)
    _ = pseudo.output()
    device.close()
    #expect(pseudo.output().contains("\u{1B}_Ga=d,d=I,i=1,q=2\u{1B}\\"))
  }

  @Test("a terminal that has sixels says how large they are, and gets them over their cells")
  func deviceSixels() async throws {
    let pseudo = try PseudoTerminal(Size(columns: 40, rows: 10), pixels: (405, 200))
    defer { pseudo.close() }
    let device = try pseudo.device()
    defer { device.close() }
    #expect(pseudo.output().contains("\u{1B}[c"))
    let (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    device.onEvent = { continuation.yield($0) }
    var received = events.makeAsyncIterator()
    pseudo.type("\u{1B}[?62;4cj")
    #expect(await received.next() == .key(.character("j")))
    #expect(pseudo.output().contains("\u{1B}[?1;1;0S\u{1B}[?2;1;0S\u{1B}[16t\u{1B}[c"))
    pseudo.type("\u{1B}[?62;4c")
    let limits = SixelLimits(cellWidth: 10, cellHeight: 20)
    #expect(await received.next() == .showsPictures(.sixels(limits)))

    let sixels = "\u{1B}P7;1q#0~\u{1B}\\"
    var frame = frame("text", on: device)
    frame.surface.write("▀▀▀▀", at: Point(column: 3, row: 1))
    frame.picture = FramePicture(
      rect: Rect(column: 3, row: 1, columns: 4, rows: 1), data: Data(sixels.utf8),
      format: .sixels(limits))
    device.present(frame)
    #expect(pseudo.output().contains("\u{1B}7\u{1B}[2;4H\(sixels)\u{1B}8"))
    // What changes elsewhere does not touch it; what lies below it is covered again.
    frame.surface.write("x", at: Point(column: 9, row: 3))
    device.present(frame)
    #expect(!pseudo.output().contains(sixels))
    frame.surface.write("▄", at: Point(column: 4, row: 1))
    device.present(frame)
    #expect(pseudo.output().contains(sixels))
    // When it goes, its cells come back, though they are the same as before.
    frame.picture = nil
    device.present(frame)
    let cells = pseudo.output()
    #expect(cells.contains("▀▄▀▀") && !cells.contains("text"))
  }

  @Test("other terminals are not asked for pictures")
  func noQuestion() async throws {
    try await withDevice { _, pseudo in #expect(!pseudo.output().contains("\u{1B}_G")) }
  }

  @Test("keys, pastes, an escape alone, new sizes and the end of the terminal are reported")
  func deviceEvents() async throws {
    try await withDevice { device, pseudo in
      let (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
      device.onEvent = { continuation.yield($0) }
      var received = events.makeAsyncIterator()
      pseudo.type("j\u{1B}[A\u{1B}[200~a\r\u{1B}[201~")
      #expect(await received.next() == .key(.character("j")))
      #expect(await received.next() == .key(.up))
      #expect(await received.next() == .paste("a\n"))
      pseudo.type("\u{1B}")
      #expect(await received.next() == .key(.escape))
      pseudo.resize(to: Size(columns: 20, rows: 5))
      #expect(await received.next() == .resize(Size(columns: 20, rows: 5)))
      #expect(device.size == Size(columns: 20, rows: 5))
      pseudo.hangUp()
      #expect(await received.next() == .hangup)
    }
  }

  @Test("another program gets the terminal in the shell's modes, and the latest frame comes back")
  func deviceExternal() async throws {
    try await withDevice { device, pseudo in
      device.present(frame("before", on: device))
      _ = pseudo.output()
      let status = try await device.runExternal {
        #expect(pseudo.isInShellMode)
        #expect(pseudo.output().contains("\u{1B}[?1049l"))
        device.present(frame("meanwhile", on: device))
        #expect(pseudo.output().isEmpty)
        return try await ForegroundProgram.run(["sh", "-c", "exit 7"])
      }
      #expect(status == 7)
      #expect(!pseudo.isInShellMode)
      #expect(pseudo.output().contains("meanwhile"))
    }
  }

  @Test("a program that cannot be started is an error with a hint")
  func missingProgram() async {
    await #expect(throws: TerminalError.self) {
      try await ForegroundProgram.run(["/no/such/program"])
    }
    await #expect(throws: TerminalError.self) { try await ForegroundProgram.run([]) }
  }
}
