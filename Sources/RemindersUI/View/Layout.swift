import Terminal

/// Where the parts of a screen are, by its extent.
struct Layout: Equatable, Sendable {
  /// The line at the top: where one is, and how synchronization stands.
  let header: Rect
  /// All between header and messages.
  let body: Rect
  /// The line for messages.
  let message: Rect
  /// The line of hints.
  let footer: Rect
  /// The pane with the lists; nil when there is room for only one pane, and it has not the focus.
  let lists: Rect?
  /// The pane with the reminders; nil for the same reason.
  let reminders: Rect?
  /// All about the current reminder; nil when there is no room for it.
  let strip: Rect?
  /// Whether the strip is at the right of the reminders and not below them.
  let isStripBeside: Bool
  /// Whether rows must do with few columns.
  let isNarrow: Bool

  /// The smallest terminal that anything can be shown in.
  static let minimum = Size(columns: 30, rows: 8)

  init(_ size: Size, focus: HomeState.Pane) {
    let bounds = Rect(size: size)
    let (rest, footer) = bounds.splitBottom(1)
    let (upper, message) = rest.splitBottom(1)
    let (header, body) = upper.splitTop(1)
    (self.header, self.body, self.message, self.footer) = (header, body, message, footer)
    isNarrow = size.columns < 60
    guard !isNarrow else {
      (lists, reminders) = focus == .lists ? (body, nil) : (nil, body)
      (strip, isStripBeside) = (nil, false)
      return
    }
    let (left, right) = body.splitLeft(size.columns >= 100 ? 26 : 22)
    lists = left
    // One column for the rule between the panes.
    let pane = right.splitLeft(1).rest
    isStripBeside = size.columns >= 150
    if isStripBeside {
      let (middle, strip) = pane.splitRight(pane.size.columns * 2 / 5)
      (reminders, self.strip) = (middle, strip)
    } else if size.columns >= 100, body.size.rows >= 18 {
      let (middle, strip) = pane.splitBottom(max(6, body.size.rows / 4))
      (reminders, self.strip) = (middle, strip)
    } else {
      (reminders, strip) = (pane, nil)
    }
  }

  /// How many lines of lists there is room for.
  var listsHeight: Int { (lists ?? body).size.rows }
  /// How many lines of reminders there is room for, below their heading.
  var remindersHeight: Int { max(0, (reminders ?? body).size.rows - 1) }
}

extension AppState {
  /// Where the parts of the screen are.
  var layout: Layout { Layout(size, focus: home.focus) }

  /// Brings the lists on all screens in step with what they show and the room they have.
  mutating func arrange() {
    home.arrange(layout, in: time)
    let statusHeight = sync?.statusLines(self).count ?? 0
    for index in screens.indices {
      screens[index].arrange(layout, statusHeight: statusHeight)
    }
  }
}
