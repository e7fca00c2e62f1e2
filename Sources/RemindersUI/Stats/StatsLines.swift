import RemindersCore
import RemindersTerminal

/// The numbers of looking back as lines: in two columns where there is room.
struct StatsLines {
  private let stats: Stats
  private let time: LocalTime
  private let glyphs: GlyphSet

  /// From how many columns on there are two of them, and what lies between.
  private static let (roomForTwo, gap) = (90, 4)

  init(_ stats: Stats, in time: LocalTime, _ glyphs: GlyphSet) {
    self.stats = stats
    self.time = time
    self.glyphs = glyphs
  }

  func lines(columns: Int) -> [[StyledRun]] {
    guard columns >= Self.roomForTwo else {
      return sections([days, weeks, late, lists, tags], columns)
    }
    let half = (columns - Self.gap) / 2
    let (left, right) = (sections([days, weeks], half), sections([late, lists, tags], half))
    return (0..<max(left.count, right.count)).map { row in
      let first = row < left.count ? left[row] : []
      let used = first.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      let blank = StyledRun(String(repeating: " ", count: max(0, half + Self.gap - used)))
      return first + [blank] + (row < right.count ? right[row] : [])
    }
  }

  private func sections(_ parts: [(Int) -> [[StyledRun]]], _ columns: Int) -> [[StyledRun]] {
    Array(parts.map { $0(columns) }.filter { $0.count > 1 }.joined(separator: [[]]))
  }

  // MARK: - Sections

  private func days(_ columns: Int) -> [[StyledRun]] {
    [[StyledRun("DONE BY DAY", .heading)]]
      + bars(stats.days.map { (name(of: $0.first), $0.done) }, .success, columns)
  }

  private func weeks(_ columns: Int) -> [[StyledRun]] {
    let weeks = zip(stats.weekNames(in: time), stats.weeks).map { ($0, $1.done) }
    return [[StyledRun("DONE BY WEEK", .heading)]] + bars(weeks, .success, columns)
  }

  private func late(_ columns: Int) -> [[StyledRun]] {
    [[StyledRun("OVERDUE AT THE END OF THE DAY", .heading)]]
      + bars(stats.overdue.map { (name(of: $0.day), $0.count) }, .overdue, columns)
  }

  private func lists(_ columns: Int) -> [[StyledRun]] {
    groups("LIST", stats.lists.map { StyledRun($0.title) }, stats.lists, columns)
  }

  private func tags(_ columns: Int) -> [[StyledRun]] {
    groups("TAG", stats.tags.map { StyledRun("#" + $0.title, .tag) }, stats.tags, columns)
  }

  private func name(of day: CalendarDay) -> String {
    day == time.today ? "today" : time.localeFormat.text(of: day)
  }

  // MARK: - Lines

  private func bars(
    _ rows: [(name: String, number: Int)], _ role: Role, _ columns: Int
  ) -> [[StyledRun]] {
    let names = rows.map { TextWidth.columns(of: $0.name) }.max() ?? 0
    let most = rows.map(\.number).max() ?? 0
    let room = columns - names - 3 - "\(most)".count
    return rows.map { name, number in
      let cells = Stats.cells(number, of: most, in: room)
      let bar = String(repeating: glyphs.barFull, count: cells) + (cells > 0 ? " " : "")
      return [
        StyledRun(TextWidth.padded(name, to: names, alignment: .right) + "  ", .dim),
        StyledRun(bar, role), StyledRun("\(number)", number == 0 ? .dim : .text),
      ]
    }
  }

  private static let numberColumns = 9

  private func groups(
    _ title: String, _ names: [StyledRun], _ groups: [Stats.Group], _ columns: Int
  ) -> [[StyledRun]] {
    let room = max(8, columns - 3 * Self.numberColumns)
    func row(_ name: StyledRun, _ numbers: [StyledRun]) -> [StyledRun] {
      [
        StyledRun(TextWidth.padded(name.text, to: room, ellipsis: glyphs.ellipsis), name.style)
      ]
        + numbers.map {
          StyledRun(
            TextWidth.padded($0.text, to: Self.numberColumns, alignment: .right), $0.style)
        }
    }
    let titles = ["open", "overdue", "4 weeks"].map { StyledRun($0, .dim) }
    return [row(StyledRun(title, .heading), titles)]
      + zip(names, groups).map { name, group in
        row(
          name,
          [
            StyledRun("\(group.open)"),
            StyledRun("\(group.overdue)", group.overdue == 0 ? .dim : .overdue),
            StyledRun("\(group.done)", group.done == 0 ? .dim : .success),
          ])
      }
  }
}
