import RemindersCore
import RemindersTerminal

/// Where the parts of a search are.
struct SearchParts {
  /// The words and what was made of them.
  let field: Rect
  /// What can be made of the word that is typed; nil when there is no room for it.
  let help: Rect?
  let rule: Rect
  /// How many hits there are, and in which order.
  let heading: Rect
  /// The hits.
  let lines: Rect
  /// All about the hit under the cursor; nil when there is no room for it.
  let details: Rect?

  init(_ layout: Layout) {
    let (field, belowField) = layout.body.splitTop(1)
    let hasRoom = layout.body.size.rows >= 18
    let (help, belowHelp) = belowField.splitTop(hasRoom ? 1 : 0)
    let (rule, found) = belowHelp.splitTop(1)
    let columns = layout.hasRoomForHit ? found.size.columns * 2 / 5 : 0
    let (results, details) = found.splitRight(columns)
    (self.field, self.rule) = (field, rule)
    self.help = hasRoom ? help : nil
    self.details = layout.hasRoomForHit ? details : nil
    (heading, lines) = results.splitTop(1)
  }
}

extension SearchScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let parts = SearchParts(state.layout)
    surface.fill(rect)
    let caret = drawField(on: &surface, in: parts.field, glyphs)
    if let help = parts.help, isTyping {
      surface.write(
        helpRuns(state), at: help.origin.moved(columns: 3), width: help.size.columns - 4,
        ellipsis: glyphs.ellipsis)
    }
    surface.horizontalRule(
      at: parts.rule.origin, columns: parts.rule.size.columns, glyphs: glyphs)
    if let details = parts.details {
      surface.write(
        glyphs.teeDown, at: Point(column: details.origin.column, row: parts.rule.origin.row))
      state.drawDetails(
        of: list.current, matches: matches(state.appearance), on: &surface, in: details)
    }
    surface.write(
      headingFacts(glyphs).map(\.text).joined(separator: state.headingSeparator),
      at: parts.heading.origin.moved(columns: 1), role: .dim,
      width: parts.heading.size.columns - 2, ellipsis: glyphs.ellipsis)
    let cursor = drawLines(on: &surface, in: parts.lines, state)
    return isTyping || list.current.flatMap(list.row) == nil ? caret : cursor
  }

  /// Draws the tokens and the field behind them.
  ///
  /// - Returns: Where its caret stands.
  private func drawField(on surface: inout Surface, in rect: Rect, _ glyphs: GlyphSet) -> Point {
    surface.write("/", at: rect.origin.moved(columns: 1), role: .label)
    let runs = tokens.runs(glyphs)
    surface.write(
      runs, at: rect.origin.moved(columns: 3), width: rect.size.columns - 6,
      ellipsis: glyphs.ellipsis)
    let room = rect.inset(columns: 3)
    let taken = min(
      runs.reduce(0) { $0 + TextWidth.columns(of: $1.text) }, max(0, room.size.columns - 12))
    return field.draw(
      on: &surface, in: room.splitLeft(taken).rest,
      style: Style(isTyping ? .fieldFocused : .field),
      placeholder: tokens.isEmpty ? "words in titles and notes, #tags" : "",
      ellipsis: glyphs.ellipsis)
  }

  /// The tags that begin as the word that is typed, or what can be made of words.
  private func helpRuns(_ state: AppState) -> [StyledRun] {
    let glyphs = state.appearance.glyphs
    let key = state.keymap.keyName(of: .makeToken)
    guard let tag = SearchTokens.tagBeingTyped(in: field.text) else {
      let near = "\(key) turns a word into a \(glyphs.quoted("near")) token"
      let last = tokens.isEmpty ? [] : ["Backspace removes the last"]
      let parts = ["# suggests tags", near] + last
      return [StyledRun(parts.joined(separator: " \(glyphs.separator) "), .dim)]
    }
    let suggested = SearchTokens.suggestions(for: tag, among: state.home.sidebar?.tags ?? [])
    guard let first = suggested.first else { return [StyledRun("No such tag.", .dim)] }
    func run(_ row: Sidebar.TagRow) -> [StyledRun] {
      [StyledRun("#" + row.title, .tag), StyledRun(" \(row.openCount)   ", .dim)]
    }
    let others = suggested.dropFirst().prefix(Self.mostSuggestions)
    return [StyledRun(key + " ", .hintKey)] + run(first) + others.flatMap(run)
  }

  /// More than any line has room for.
  private static let mostSuggestions = 30

  /// - Returns: Where the cursor stands.
  private func drawLines(
    on surface: inout Surface, in area: Rect, _ state: AppState
  ) -> Point {
    let glyphs = state.appearance.glyphs
    let columns = RowColumns(
      width: area.size.columns, glyphs, rowNeeds, showsList: !result.isByList)
    let lines = lines
    let cursor = list.draw(
      on: &surface, in: area, glyphs: glyphs, light: isTyping ? .cursorElsewhere : .cursor,
      lightsWholeItem: false
    ) { surface, index, line in
      draw(lines[index], on: &surface, in: line, columns, state)
    }
    if let seen = read.inView(of: list) {
      ScrollBar(seen: seen, of: read.total, rows: area.size.rows)?
        .draw(on: &surface, in: area, glyphs: glyphs)
    }
    return cursor
  }

  /// Where the words are in the reminder under the cursor.
  private func matches(_ appearance: Appearance) -> [[StyledRun]] {
    guard let hit = currentHit else { return [] }
    return ReminderField.all.compactMap { field in
      let texts =
        switch field {
        case .title: [hit.title]
        case .tags: hit.tags
        default: hit.texts[field].map { [$0] } ?? []
        }
      let role = field == .tags ? Role.tag : .text
      let found = texts.filter(\.hasMatch).map { $0.runs(appearance, role: role) }
      guard !found.isEmpty else { return nil }
      let label = field.word + String(repeating: " ", count: max(0, 5 - field.word.count))
      return [StyledRun("  \(label)  ", .label)] + found.joined(separator: [StyledRun(" ")])
    }
  }

  func command(at point: Point, in state: AppState) -> Command.ID? {
    let heading = SearchParts(state.layout).heading
    guard heading.contains(point) else { return nil }
    return state.command(
      atColumn: point.column - heading.origin.column - 1,
      of: headingFacts(state.appearance.glyphs))
  }

  /// `4 open · 2 completed hidden · by due date ▾`.
  func headingFacts(_ glyphs: GlyphSet) -> [ClickableText] {
    guard !isEmpty else { return [ClickableText("Type what you remember of it.")] }
    let hidden = result.showsCompleted ? "completed" : "completed hidden"
    let completed = result.completedCount
    if result.openCount + completed == 0, let problem = result.problem {
      return [ClickableText(glyphs.adapted(problem))]
    }
    return (selection.isEmpty ? [] : [ClickableText("\(selection.count) selected", .leaveSearch)])
      + [ClickableText("\(result.openCount) open")]
      + (completed == 0 ? [] : [ClickableText("\(completed) \(hidden)", .showCompletedHits)])
      + [ClickableText("\(options.sort.title) \(glyphs.menu)", .orderHits)]
  }

  private func draw(
    _ line: SearchLine, on surface: inout Surface, in rect: Rect, _ columns: RowColumns,
    _ state: AppState
  ) {
    switch line {
    case .heading(let label):
      surface.write(
        label.runs(state.appearance.glyphs, .heading), at: rect.origin.moved(columns: 1),
        width: rect.size.columns - 2, ellipsis: state.appearance.glyphs.ellipsis)
      guard let badge = state.share(of: label.id)?.badge else { return }
      let width = min(TextWidth.columns(of: badge), rect.size.columns / 3)
      surface.write(
        badge, at: rect.origin.moved(columns: rect.size.columns - width - 2), role: .dim,
        width: width, ellipsis: state.appearance.glyphs.ellipsis)
    case .title(let hit):
      let isSelected = selection.contains(hit.id)
      let title = hit.title.runs(state.appearance, role: isSelected ? .selected : .text)
      columns.drawTitle(
        hit.row, title: title, on: &surface, in: rect, state, isSelected: isSelected)
    case .details(let hit):
      let texts = ReminderField.all.compactMap { hit.texts[$0]?.runs(state.appearance) }
      let tags = hit.tags.map { $0.runs(state.appearance, role: .tag) }
      surface.write(
        Array((texts + tags).joined(separator: [StyledRun("  ")])),
        at: rect.origin.moved(columns: columns.title),
        width: rect.size.columns - columns.title - 1, ellipsis: state.appearance.glyphs.ellipsis)
    }
  }
}

extension MatchedText {
  /// The text with what was found marked: by its look, and by brackets where looks are too alike.
  func runs(_ appearance: Appearance, role: Role = .text) -> [StyledRun] {
    parts.map { part in
      guard part.isMatch else { return StyledRun(part.text, role) }
      return StyledRun(appearance.hasColors ? part.text : "[\(part.text)]", .match)
    }
  }
}

extension RemindersList {
  /// A swatch in the list's colour, and its title.
  func runs(_ glyphs: GlyphSet, _ role: Role = .dim) -> [StyledRun] {
    [StyledRun(glyphs.swatch, swatchStyle), StyledRun(" " + title, role)]
  }
}
