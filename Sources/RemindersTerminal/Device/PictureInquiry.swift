/// Finds out whether and how a terminal shows real pixels, by asking it.
///
/// Every terminal says what it can do (DA1), and answers in the order in which it is asked: when
/// that answer is there, those to the questions before it are, too, or never come.
struct PictureInquiry {
  /// What follows from an answer.
  enum Step: Equatable {
    case wait
    case ask(String)
    case found(PictureFormat?)
  }

  private enum Stage { case kind, sixels }

  /// Whether to ask by kitty's protocol: others than its friends may show the question as text.
  private let mayKnowPNG: Bool
  private var stage = Stage.kind
  private var showsPNG = false
  private var cell: (width: Int, height: Int)?
  private var colors: Int?
  private var maximum: (width: Int, height: Int)?
  /// What was found out last.
  private(set) var format: PictureFormat?

  init(mayKnowPNG: Bool) {
    self.mayKnowPNG = mayKnowPNG
  }

  /// What to ask first, also when another terminal may have attached meanwhile.
  mutating func begin() -> String {
    self = PictureInquiry(mayKnowPNG: mayKnowPNG)
    return (mayKnowPNG ? KittyGraphics.query : "") + ControlSequence.attributesQuery
  }

  /// What to ask when the terminal has another size, as its cells may, too; nil for nothing.
  mutating func beginAgain() -> String? {
    guard case .sixels = format else { return nil }
    (stage, cell, colors, maximum) = (.sixels, nil, nil, nil)
    return SixelGraphics.questions + ControlSequence.attributesQuery
  }

  /// Takes an answer.
  ///
  /// - Parameter measuredCell: A cell in pixels as the kernel knows it, for terminals that do not
  ///   say themselves.
  mutating func receive(
    _ answer: TerminalAnswer, measuredCell: (width: Int, height: Int)?
  ) -> Step {
    switch answer {
    case .showsPNG: showsPNG = true
    case .cell(let width, let height): cell = (width, height)
    case .colors(let count): colors = count
    case .maximum(let width, let height): maximum = (width, height)
    case .attributes(let attributes): return conclude(attributes, measuredCell)
    }
    return .wait
  }

  private mutating func conclude(
    _ attributes: [Int], _ measuredCell: (width: Int, height: Int)?
  ) -> Step {
    switch stage {
    case .kind where showsPNG: format = .png
    case .kind where attributes.dropFirst().contains(4):
      stage = .sixels
      return .ask(SixelGraphics.questions + ControlSequence.attributesQuery)
    case .kind: format = nil
    case .sixels: format = sixels(cell ?? measuredCell)
    }
    return .found(format)
  }

  /// Nothing where the size of a cell is not known: a picture would lie over something else.
  private func sixels(_ cell: (width: Int, height: Int)?) -> PictureFormat? {
    guard let cell, (1...1000).contains(cell.width), (1...1000).contains(cell.height)
    else { return nil }
    return .sixels(
      SixelLimits(
        cellWidth: cell.width, cellHeight: cell.height, colors: min(256, max(2, colors ?? 256)),
        maximumWidth: maximum?.width, maximumHeight: maximum?.height))
  }
}
