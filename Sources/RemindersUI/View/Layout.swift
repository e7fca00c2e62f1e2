import RemindersTerminal

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
  /// The pane with the lists; nil when it has not the focus, and is hidden or there is no room.
  let lists: Rect?
  /// The pane with the reminders; nil for the same reason.
  let reminders: Rect?
  /// All about the current reminder; nil when there is no room for it.
  let detailPane: Rect?
  /// The picture of the list's cover; nil when there is none, or no room for it.
  let picture: Rect?
  /// The line about the cover.
  let coverLine: Rect?
  /// The lines of reminders, below heading and cover.
  let lines: Rect
  /// Whether the detail pane is at the right of the reminders and not below them.
  let isDetailPaneBeside: Bool
  /// Whether rows must do with few columns.
  let isNarrow: Bool

  /// What there is to show of a cover.
  enum CoverRoom: Equatable, Sendable {
    case none
    /// What can be said in a line.
    case line
    case picture
  }

  /// How wide a table grows: in a wider one the eye loses the line between its columns.
  static let widestTable = 116

  /// The smallest terminal that anything can be shown in.
  static let minimum = Size(columns: 30, rows: 8)

  init(
    _ size: Size, focus: HomeState.Pane, cover: CoverRoom = .none, showsSidebar: Bool = true
  ) {
    let bounds = Rect(size: size)
    let (rest, footer) = bounds.splitBottom(1)
    let (upper, message) = rest.splitBottom(1)
    let (header, body) = upper.splitTop(1)
    (self.header, self.body, self.message, self.footer) = (header, body, message, footer)
    isNarrow = size.columns < 60
    guard !isNarrow else {
      (lists, reminders) = focus == .lists ? (body, nil) : (nil, body)
      (detailPane, isDetailPaneBeside) = (nil, false)
      (picture, coverLine, lines) = (nil, nil, (reminders ?? body).splitTop(1).rest)
      return
    }
    let pane: Rect
    if showsSidebar || focus == .lists {
      let (left, right) = body.splitLeft(size.columns >= 100 ? 26 : 22)
      lists = left
      // One column for the rule between the panes.
      pane = right.splitLeft(1).rest
    } else {
      (lists, pane) = (nil, body)
    }
    isDetailPaneBeside = size.columns >= 150
    let middle: Rect
    if isDetailPaneBeside {
      (middle, detailPane) = pane.splitRight(pane.size.columns * 2 / 5)
    } else if size.columns >= 100, body.size.rows >= 18 {
      (middle, detailPane) = pane.splitBottom(max(6, body.size.rows / 4))
    } else {
      (middle, detailPane) = (pane, nil)
    }
    reminders = middle
    (picture, coverLine, lines) = Self.divide(middle.splitTop(1).rest, cover)
  }

  /// Divides what is below the heading: the reminders need most of it.
  private static func divide(
    _ rect: Rect, _ cover: CoverRoom
  ) -> (picture: Rect?, line: Rect?, lines: Rect) {
    guard cover != .none, rect.size.rows >= 10 else { return (nil, nil, rect) }
    let hasPicture = cover == .picture && rect.size.rows >= 16
    let (picture, below) = rect.splitTop(hasPicture ? min(12, rect.size.rows * 3 / 10) : 0)
    let (line, lines) = below.splitTop(1)
    return (hasPicture ? picture.inset(columns: 1) : nil, line.inset(columns: 1), lines)
  }

  /// Whether there is room for all about a reminder beside the results of a search.
  var hasRoomForHit: Bool { body.size.columns >= 100 }

  /// How many lines of lists there is room for.
  var listsHeight: Int { (lists ?? body).size.rows }
  /// How many lines of reminders there is room for.
  var remindersHeight: Int { lines.size.rows }
}

extension AppState {
  /// Where the parts of the screen are.
  var layout: Layout { layout(cover: coverRoom) }

  /// Where they would be with so much room for a cover.
  func layout(cover: Layout.CoverRoom) -> Layout {
    Layout(size, focus: home.focus, cover: cover, showsSidebar: isOn(.sidebar))
  }

  /// Brings the lists on all screens in step with what they show and the room they have.
  mutating func arrange() {
    home.arrange(layout, isCompact: isOn(.compact), in: time)
    let state = self
    for index in screens.indices { screens[index].arrange(in: state) }
  }

  /// What is on the sync screen below the status and the names of the panes.
  var syncArea: Rect {
    layout.body.splitTop((sync?.statusLines(self).count ?? 0) + 1).rest
  }
}
