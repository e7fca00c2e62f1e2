/// A terminal without a terminal, for tests: keys are fed to it and the last frame is read from it.
public final class MemoryDevice: TerminalDevice {
  /// Its extent now.
  public private(set) var size: Size
  /// What it can do.
  public let capabilities: TerminalCapabilities

  /// What the screen shows.
  public private(set) var frame: Frame?
  /// What was copied, oldest first.
  public private(set) var copied: [String] = []
  /// How often the program suspended itself.
  public private(set) var suspensions = 0
  /// Whether another program has the screen.
  public private(set) var isExternalRunning = false
  /// Whether the terminal was given back.
  public private(set) var isClosed = false

  /// Whom to tell about events.
  public var onEvent: ((TerminalEvent) -> Void)? {
    didSet { deliver() }
  }

  private var queue: [TerminalEvent] = []
  private var hiddenFrame: Frame?

  /// A terminal of a size.
  public init(
    size: Size = Size(columns: 100, rows: 30),
    capabilities: TerminalCapabilities = TerminalCapabilities(colorDepth: .palette256, isUTF8: true)
  ) {
    self.size = size
    self.capabilities = capabilities
  }

  /// The rows of the screen as plain text, without the blanks at their ends.
  public var lines: [String] { frame?.surface.lines ?? [] }

  /// The program receives `event`.
  public func send(_ event: TerminalEvent) {
    queue.append(event)
    deliver()
  }

  /// The program receives the keys that `names` spells (`jj<space>`).
  ///
  /// - Throws: `TerminalError` when a name has no meaning; then no key is sent.
  public func press(_ names: String) throws {
    guard let keys = Key.sequence(names) else {
      throw TerminalError("“\(names)” does not spell keys.", hint: "Write <lt> for the < key.")
    }
    for key in keys { send(.key(key)) }
  }

  /// The terminal gets another size and says so.
  public func resize(to size: Size) {
    self.size = size
    send(.resize(size))
  }

  /// Shows `frame`, or keeps it while another program has the screen.
  public func present(_ frame: Frame) {
    if isClosed { return }
    if isExternalRunning { hiddenFrame = frame } else { self.frame = frame }
  }

  /// Counts the suspension; the program is continued at once.
  public func suspend() {
    suspensions += 1
    send(.resumed)
  }

  /// Leaves the screen while `body` runs.
  public func runExternal<Value: Sendable>(
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    isExternalRunning = true
    defer {
      isExternalRunning = false
      frame = hiddenFrame ?? frame
      hiddenFrame = nil
    }
    return try await body()
  }

  /// Adds to `copied`.
  public func copy(_ text: String) {
    copied.append(text)
  }

  /// Shows nothing from now on.
  public func close() {
    isClosed = true
  }

  private func deliver() {
    while let onEvent, !queue.isEmpty { onEvent(queue.removeFirst()) }
  }
}
