import CRemindersNcurses
import Dispatch
import Glibc

/// The terminal that the program runs in.
///
/// Everything happens on the main queue, by events: keys, signals, and one short timer after an
/// escape. An idle program is never woken.
public final class NcursesDevice: TerminalDevice {
  /// Who has the terminal.
  private enum Holder {
    case screen, shell, externalProgram, nobody
  }

  /// Its extent now.
  public private(set) var size: Size
  /// Whom to tell about events.
  public var onEvent: ((TerminalEvent) -> Void)? {
    didSet { deliver() }
  }

  private let screen: NcursesScreen
  private let terminalGuard: TerminalGuard
  private let input: Int32
  private let output: Int32
  private var holder = Holder.shell
  private var frame: Frame?
  private var modes = Modes()
  /// How often the bell has rung.
  private var rungBells = 0
  private var pictures = PictureLayer()
  private var inquiry: PictureInquiry
  private var hasToldOfPictures = false
  private var decoder = KeyDecoder()
  private var queue: [TerminalEvent] = []
  /// Runs only while the screen has the terminal; nil when the terminal is gone.
  private var keys: (any DispatchSourceRead)?
  private var signals: (any DispatchSourceRead)?
  /// The signal that asked the program to end.
  private var endingSignal: Int32?

  /// The modes of the terminal that follow the frame.
  private struct Modes: Equatable {
    var mouse = false
    var title = ""
  }

  /// Takes the terminal.
  ///
  /// - Parameters:
  ///   - environment: the process's variables: `TERM`, `COLORTERM`, `NO_COLOR`.
  ///   - preference: whether colours are used.
  ///   - errorLog: a file for what is written to stderr while the screen is up.
  /// - Throws: `TerminalError` when there is no terminal, or none that can show a screen.
  public convenience init(
    environment: [String: String], preference: ColorPreference = .auto, errorLog: String? = nil
  ) throws {
    guard isatty(STDOUT_FILENO) == 1 else {
      throw TerminalError(
        "The output is not a terminal.", hint: "The commands work without one: reminders list.")
    }
    try self.init(
      input: try NcursesDevice.openKeyboard(), output: STDOUT_FILENO, environment: environment,
      preference: preference, errorLog: errorLog)
  }

  /// Takes the terminal at two descriptors.
  init(
    input: Int32, output: Int32, environment: [String: String],
    preference: ColorPreference = .auto, errorLog: String? = nil, locale: String = ""
  ) throws {
    self.input = input
    self.output = output
    let variables = TerminalEnvironment(variables: environment)
    inquiry = PictureInquiry(mayKnowPNG: variables.mayKnowKittyGraphics)
    terminalGuard = try TerminalGuard(terminal: input, errorLog: errorLog)
    do {
      screen = try NcursesScreen(
        input: input, output: output, environment: variables, preference: preference, locale: locale
      )
    } catch {
      terminalGuard.remove()
      throw error
    }
    size = NcursesDevice.measure(output)
    keys = watch(input) { $0.readKeys() }
    signals = watch(terminalGuard.signalDescriptor) { $0.readSignals() }
    signals?.resume()
    enter()
  }

  /// What the terminal can do.
  public var capabilities: TerminalCapabilities { screen.capabilities }

  /// Shows `frame`, or keeps it until the screen is back.
  public func present(_ frame: Frame) {
    self.frame = frame
    guard holder == .screen else { return }
    let change = pictures.change(to: frame, format: inquiry.format)
    if let rows = change.repainted { screen.repaint(rows) }
    let wanted = Modes(mouse: frame.mouse, title: frame.title)
    var sequence = ""
    if wanted.mouse != modes.mouse { sequence += ControlSequence.mouse(wanted.mouse) }
    if wanted.title != modes.title, hasTitle { sequence += ControlSequence.title(wanted.title) }
    modes = wanted
    if frame.bells > rungBells { sequence += ControlSequence.bell }
    rungBells = max(rungBells, frame.bells)
    // All at once, so that no terminal shows half a frame.
    write(change.before.utf8 + screen.paint(frame) + (sequence + change.after).utf8)
  }

  /// Stops the program as Ctrl-Z does.
  public func suspend() {
    guard holder == .screen else { return }
    leave(to: .shell)
    terminalGuard.stop(by: SIGTSTP)
    resumeUnlessStopped(checks: 4)
  }

  /// Leaves the screen to another program while `body` runs.
  public func runExternal<Value: Sendable>(
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    guard holder == .screen else { return try await body() }
    leave(to: .externalProgram)
    terminalGuard.letStop()
    defer { if holder == .externalProgram { enter() } }
    return try await body()
  }

  /// Puts `text` on the clipboard.
  public func copy(_ text: String) {
    if holder == .screen { write(ControlSequence.copy(text)) }
  }

  /// Ends the process by the signal that asked it to, if one did, so that its parent sees which.
  ///
  /// Call it when everything is saved. A second signal does not wait for that.
  public func dieIfAsked() {
    if let endingSignal { terminalGuard.die(by: endingSignal) }
  }

  /// Gives the terminal back.
  public func close() {
    if holder == .nobody { return }
    if holder == .screen {
      discardInput()
      leave(to: .nobody)
    }
    holder = .nobody
    keys?.cancel()
    // A suspended source must not be released.
    keys?.resume()
    signals?.cancel()
    terminalGuard.remove()
    screen.close()
  }
}

extension NcursesDevice {
  // MARK: - The screen

  private var hasTitle: Bool { cn_terminal_has_title() }

  private func enter() {
    let isBack = holder != .screen
    holder = .screen
    terminalGuard.arm(restoringBy: restoreSequence)
    screen.enter()
    if isBack {
      if hasTitle { write(ControlSequence.saveTitle) }
      keys?.resume()
    }
    write(ControlSequence.bracketedPaste(true))
    modes = Modes()
    // Asked each time: another terminal may have attached meanwhile.
    write(inquiry.begin())
    remeasure()
    if let frame { present(frame) }
  }

  private func leave(to holder: Holder) {
    self.holder = holder
    keys?.suspend()
    write(pictures.leave())
    write(modeReset)
    screen.leave()
    terminalGuard.disarm()
  }

  /// Comes back to the screen when the kernel did not stop the program: it does not stop a job
  /// without a shell that could continue it, and then no SIGCONT comes.
  ///
  /// A stop takes up one check at most, and by the next one its SIGCONT has been read.
  private func resumeUnlessStopped(checks: Int) {
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.holder == .shell else { return }
        if checks > 1 { self.resumeUnlessStopped(checks: checks - 1) } else { self.resume() }
      }
    }
  }

  private func resume() {
    guard holder == .shell || holder == .screen else { return }
    guard isInForeground else { return stayStopped() }
    enter()
    emit(.resumed)
  }

  /// Whether the shell has given the terminal to this job; a terminal that does not control jobs
  /// is never taken away.
  private var isInForeground: Bool {
    let group = tcgetpgrp(input)
    return group < 0 || group == getpgrp()
  }

  /// The shell has the terminal and continues this job beside it (`bg`): a screen can only wait.
  ///
  /// The kernel would stop it at the first change of the terminal's modes, but not where it writes.
  private func stayStopped() {
    if holder == .screen {
      // It was stopped from outside: nothing may be written to undo what was.
      holder = .shell
      keys?.suspend()
      terminalGuard.disarm()
    }
    // A job that is continued to be ended, as by a shell that goes, must not stop again before:
    // signals are reported by several threads, in any order.
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.holder == .shell else { return }
        if self.isInForeground { self.resume() } else { self.terminalGuard.stop(by: SIGTTOU) }
      }
    }
  }

  /// Undoes what was written past ncurses.
  private var modeReset: String {
    ControlSequence.mouse(false) + ControlSequence.bracketedPaste(false)
      + (hasTitle ? ControlSequence.restoreTitle : "")
  }

  /// Leaves the screen without ncurses, in a crash: keypad off, plain text, cursor, other screen.
  private var restoreSequence: String {
    let names = ["rmkx", "sgr0", "cnorm", "rmcup"]
    let strings = names.compactMap { cn_terminal_string($0).map { String(cString: $0) } }
    return modeReset + strings.map(ControlSequence.withoutDelays).joined()
  }

  private func write(_ sequence: String) { write(Array(sequence.utf8)) }

  private func write(_ bytes: [UInt8]) {
    // A terminal that is gone reports that on its input; there is no one to tell here.
    _ = bytes.withUnsafeBytes { bytes in
      cn_write(output, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }

  private static func measure(_ output: Int32) -> Size {
    var columns: Int32 = 80
    var rows: Int32 = 24
    _ = cn_terminal_size(output, &columns, &rows)
    return Size(columns: Int(columns), rows: Int(rows))
  }

  // MARK: - Events

  /// The terminal that keys come from: stdin, or the controlling terminal when stdin is a pipe.
  private static func openKeyboard() throws -> Int32 {
    if isatty(STDIN_FILENO) == 1 { return STDIN_FILENO }
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TerminalError(
        "Keys cannot be read: stdin is not a terminal, and there is no other.",
        hint: "Start reminders in a terminal, or use its commands: reminders help.")
    }
    return descriptor
  }

  private func watch(
    _ descriptor: Int32, _ handler: @escaping @MainActor (NcursesDevice) -> Void
  ) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { if let self { handler(self) } }
    }
    return source
  }

  private func readKeys() {
    guard holder == .screen, isReadable(input) else { return }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(input, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      keys?.cancel()
      keys = nil
      return emit(.hangup)
    }
    decoder.feed(bytes.prefix(count)).forEach(receive)
    if decoder.isUndecided { awaitRestOfSequence() }
  }

  private func receive(_ input: TerminalInput) {
    switch input {
    case .event(let event): emit(event)
    case .answer(let answer):
      switch inquiry.receive(answer, measuredCell: measuredCell) {
      case .wait: break
      case .ask(let question): write(question)
      case .found(let format): tell(format)
      }
    }
  }

  /// Says it also again: it may be needed to show a picture that the screen has lost.
  private func tell(_ format: PictureFormat?) {
    guard format != nil || hasToldOfPictures else { return }
    hasToldOfPictures = format != nil
    emit(.showsPictures(format))
  }

  /// A cell in pixels, as the kernel knows it.
  private var measuredCell: (width: Int, height: Int)? {
    var (width, height): (Int32, Int32) = (0, 0)
    return cn_terminal_cell(output, &width, &height) ? (Int(width), Int(height)) : nil
  }

  /// An escape that nothing follows within 25 ms is the key; a sequence arrives at once.
  ///
  /// Bytes that come meanwhile are not for this timer to flush: an escape among them may be the
  /// beginning of a sequence. Text that was not typed ends later: its rest must not become keys.
  private func awaitRestOfSequence() {
    let count = decoder.feedCount
    let wait = decoder.isPasting ? 100 : 25
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(wait)) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, !self.isReadable(self.input) else { return }
        self.decoder.flush(unlessFedSince: count).forEach(self.receive)
      }
    }
  }

  /// Throws away what was typed for this program, and what a paste still sends: none of it must
  /// run in the shell.
  private func discardInput() {
    let end = ContinuousClock.now + .seconds(1)
    repeat { tcflush(input, TCIFLUSH) } while isReadable(input, within: 20) && .now < end
  }

  private func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, milliseconds) > 0
  }

  private func readSignals() {
    for signal in terminalGuard.pendingSignals() { handle(signal) }
  }

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGWINCH: remeasure()
    case SIGCONT: resume()
    case SIGTSTP: suspend()
    case SIGUSR1: emit(.reload)
    case SIGINT, SIGQUIT:
      // They come from the keyboard while another program has it, and are meant for that one.
      if holder != .externalProgram { end(by: signal) }
    default: end(by: signal)
    }
  }

  private func remeasure() {
    guard holder == .screen else { return }
    let measured = NcursesDevice.measure(output)
    screen.resize(to: measured)
    // Every cell is painted anew, and may have another extent.
    write(pictures.leave())
    if let question = inquiry.beginAgain() { write(question) }
    if measured == size { return }
    size = measured
    emit(.resize(size))
  }

  private func end(by signal: Int32) {
    close()
    endingSignal = signal
    if onEvent == nil { dieIfAsked() } else { emit(.hangup) }
  }

  private func emit(_ event: TerminalEvent) {
    queue.append(event)
    deliver()
  }

  private func deliver() {
    while let onEvent, !queue.isEmpty { onEvent(queue.removeFirst()) }
  }
}
