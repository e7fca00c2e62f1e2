/// Turns the bytes that a terminal sends into events and answers.
///
/// It knows the sequences of xterm and its relatives (tmux, screen, the Linux console, kitty's and
/// xterm's forms with modifiers). Those are the same in every terminal of today, so terminfo is not
/// asked, and keys are decoded the same way in tests.
struct KeyDecoder {
  private var bytes: ArraySlice<UInt8> = []
  /// What was pasted so far, while a paste goes on.
  private var pasted: [UInt8]?
  /// What came so far of a paste without marks: text that comes faster than anybody types.
  private var burst = ""
  /// How many times bytes have come.
  private(set) var feedCount = 0

  /// Whether bytes are kept that may be the beginning of something, or may be all there is.
  ///
  /// After a short time, call `flush(unlessFedSince:)`.
  var isUndecided: Bool { pasted == nil && (!bytes.isEmpty || isPasting) }

  /// Whether a paste without marks goes on: what sends it may pause longer than in a sequence.
  var isPasting: Bool { !burst.isEmpty }

  /// Adds bytes and takes out what they complete.
  mutating func feed(_ new: some Collection<UInt8>) -> [TerminalInput] {
    feedCount += 1
    bytes += new
    return joinBurst(drain(isComplete: false))
  }

  /// Takes out what is left, unless bytes have come since `feedCount` was this: they have a time of
  /// their own to wait.
  mutating func flush(unlessFedSince count: Int) -> [TerminalInput] {
    count == feedCount ? flush() : []
  }

  /// Takes out what is left: an escape that nothing followed is the Escape key.
  mutating func flush() -> [TerminalInput] {
    pasted == nil ? joinBurst(drain(isComplete: true)) + endBurst() : []
  }

  private mutating func drain(isComplete: Bool) -> [TerminalInput] {
    var inputs: [TerminalInput] = []
    while !bytes.isEmpty {
      if pasted != nil {
        guard let text = takePaste() else { break }
        inputs.append(.event(.paste(text)))
        continue
      }
      switch KeySequence.first(in: bytes, isComplete: isComplete) {
      case .incomplete: return inputs
      case .pasteStart(let length):
        bytes.removeFirst(length)
        pasted = []
      case .found(let event, let length):
        bytes.removeFirst(length)
        if let event { inputs.append(.event(event)) }
      case .answered(let answer, let length):
        bytes.removeFirst(length)
        inputs.append(.answer(answer))
      }
    }
    return inputs
  }

  /// As many keys at once are no typing, also where the line was slow, unless they are few: a key
  /// that is held repeats while the app is busy.
  private static func isBurst(_ characters: ArraySlice<Character?>) -> Bool {
    characters.count >= 100 && Set(characters).count >= 8
  }

  /// Makes one paste of the keys that a terminal without marks for pastes, or tmux's
  /// `paste-buffer`, sends: as commands they would do thousands of things that nobody wants.
  private mutating func joinBurst(_ inputs: [TerminalInput]) -> [TerminalInput] {
    let characters = inputs.map(\.pastedCharacter)
    guard isPasting || characters.split(separator: nil).contains(where: Self.isBurst) else {
      return inputs
    }
    var others: [TerminalInput] = []
    for (input, character) in zip(inputs, characters) {
      if let character {
        burst.append(character)
      } else {
        others += endBurst() + [input]
      }
    }
    return others
  }

  private mutating func endBurst() -> [TerminalInput] {
    guard isPasting else { return [] }
    defer { burst = "" }
    return [.event(.paste(burst))]
  }

  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  /// Moves bytes to the paste; at its end, returns it.
  private mutating func takePaste() -> String? {
    let all = (pasted ?? []) + bytes
    // The end may have begun in the bytes before.
    let searched = max(0, all.count - bytes.count - KeyDecoder.pasteEnd.count)
    pasted = all
    bytes = []
    guard let end = all[searched...].firstRange(of: KeyDecoder.pasteEnd) else { return nil }
    pasted = nil
    bytes = all[end.upperBound...]
    let text = String(decoding: all[..<end.lowerBound], as: UTF8.self)
    return String(text.map { $0.isNewline ? "\n" : $0 })
  }
}

extension TerminalInput {
  /// What stands for it in a pasted text, if it is a key that text is made of.
  fileprivate var pastedCharacter: Character? {
    guard case .event(.key(let key)) = self else { return nil }
    return switch key {
    case .enter: "\n"
    case .tab: "\t"
    default: key.typed
    }
  }
}
