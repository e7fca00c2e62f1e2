import RemindersCore
import RemindersTerminal

/// The columns of a reminder's row, by the room and the signs there are.
struct RowColumns: Equatable, Sendable {
  let glyphs: GlyphSet
  let width: Int
  let isNarrow: Bool
  let selection = 1
  /// Where the sign is that says whether it is done.
  let status: Range<Int>
  let priority: Int
  /// Where titles begin, and what stands below them.
  let title: Int
  /// Where the list is named; empty where it goes without saying.
  let list: Range<Int>
  let due: Int
  /// Whether what is late says at what time it was due: titles would not be cut for it.
  let showsLateTimes: Bool
  let flag: Int
  let outgoing: Int

  /// From how many columns on a date may be told with its time.
  private static let roomForDates = 52

  /// How wide the name of a list is at most, with its swatch, and what part of the row it takes.
  private static let (widestList, listShare) = (16, 5)
  /// How a date says that it is late.
  static let lateSuffix = " late"

  /// - Parameter showsList: Whether the rows are of several lists.
  init(width: Int, _ glyphs: GlyphSet, _ needs: RowNeeds, showsList: Bool) {
    func columns(_ texts: String...) -> Int { texts.map { TextWidth.columns(of: $0) }.max() ?? 0 }
    self.glyphs = glyphs
    self.width = width
    isNarrow = width < Self.roomForDates
    status = 3..<3 + columns(glyphs.open, glyphs.partial, glyphs.done)
    priority = status.upperBound + 1
    title = priority + 4
    outgoing = width - columns(glyphs.outgoing) - 1
    flag = outgoing - columns(glyphs.flag) - 1
    let alert = columns(glyphs.alert)
    let (isNarrow, flag) = (isNarrow, flag)
    func due(_ late: RowNeeds.Dates) -> Int {
      let lateColumns = isNarrow ? late.short : alert > 1 ? late.wordless : late.full
      let dateColumns = max(
        isNarrow ? needs.dates.short : needs.dates.full,
        lateColumns == 0 ? 0 : alert + 1 + lateColumns)
      return dateColumns == 0 ? flag : flag - dateColumns - 1
    }
    let swatch = columns(glyphs.swatch)
    let named = min(Self.widestList, swatch + 1 + needs.list, width / Self.listShare)
    let listColumns = !showsList ? 0 : isNarrow ? swatch + 1 : named + 1
    let room = due(needs.lateTimes) - listColumns - title - 1
    showsLateTimes = !isNarrow && room >= needs.title
    self.due = due(showsLateTimes ? needs.lateTimes : needs.lateDates)
    list = self.due - listColumns..<self.due
  }

  /// Where the title ends.
  var titleEnd: Int { list.isEmpty ? due : list.lowerBound }
}
