import RemindersCore
import RemindersTerminal
import SQLiteSync

/// The log on the sync screen: which of its lines are shown, and where the cursor is.
struct SyncLogPane: Equatable, Sendable {
  /// Which kind of lines is shown.
  var filter = SyncLogFilter.all
  /// Words that must be in the lines.
  var field = TextField()
  /// Whether the keys go to the words.
  var isTyping = false
  /// What is shown of the log.
  private(set) var lines: [SyncState.LogLine] = []
  private(set) var list = ListState<Int>()
  /// Whether the cursor stays at the newest line.
  private(set) var isFollowing = true
  /// What the lines were chosen by: many events change none of it.
  private var arranged: Arrangement?
  /// What the records are called, as far as they were looked up.
  private var titles: [SyncEvent.Record: String] = [:]
  /// Those that are called otherwise than when the lines were chosen.
  private var renamed: Set<SyncEvent.Record> = []

  /// Whether something of the log is not shown.
  var isFiltered: Bool { filter != .all || !field.text.isEmpty }

  /// Shows the whole log.
  mutating func showAll() {
    (filter, field, isTyping) = (.all, TextField(), false)
  }

  mutating func move(_ move: CursorMove) {
    list.move(move)
    isFollowing = list.current == lines.last?.number
  }

  mutating func scroll(by step: Int) {
    list.scroll(by: step)
    isFollowing = list.visibleLines.upperBound == lines.count
  }

  mutating func click(row: Int) -> Bool? {
    defer { isFollowing = list.current == lines.last?.number }
    return list.click(row: row)
  }

  /// Goes to the newest line, and stays there.
  mutating func follow() {
    list.move(.last)
    isFollowing = true
  }

  mutating func receive(_ found: [SyncEvent.Record: String]) {
    renamed.formUnion(found.filter { titles[$0.key] != $0.value }.keys)
    renamed.formUnion(titles.keys.filter { found[$0] == nil })
    titles = found
  }

  private struct Arrangement: Equatable, Sendable {
    var first, last: Int?
    var filter: SyncLogFilter
    var words: String
    var height: Int
  }

  /// Takes over what the log is now.
  ///
  /// - Returns: How many of its lines were put into words for that: the work that it was.
  @discardableResult
  mutating func arrange(_ log: [SyncState.LogLine], height: Int) -> Int {
    let wanted = Arrangement(
      first: log.first?.number, last: log.last?.number, filter: filter, words: field.text,
      height: height)
    guard wanted != arranged || !renamed.isEmpty else { return 0 }
    // What was looked through before is as it was: only what is new, or is called otherwise, is put
    // into words.
    let isSame = (arranged?.filter, arranged?.words) == (wanted.filter, wanted.words)
    let known = isSame ? arranged?.last ?? .min : .min
    let (chosen, words) = (Set(lines.map(\.number)), field.text.split(separator: " "))
    var count = 0
    lines = log.filter { line in
      let isKnown = line.number <= known && line.fact.record.map(renamed.contains) != true
      guard !isKnown else { return chosen.contains(line.number) }
      guard filter.admits(line.fact), !words.isEmpty else { return filter.admits(line.fact) }
      count += 1
      let text = text(of: line.fact)
      return words.allSatisfy { text.localizedStandardContains($0) }
    }
    (arranged, renamed) = (wanted, [])
    list.update(lines: lines.map(\.number), height: height)
    if isFollowing { list.move(.last) }
    return count
  }

  /// The line under the cursor.
  var current: SyncState.LogLine? {
    lines.first { $0.number == list.current }
  }

  /// How many lines are below those that are shown.
  var distance: Int { lines.count - list.visibleLines.upperBound }

  // MARK: - What records are called

  /// The records whose titles are needed: those that can be seen, and some around them.
  ///
  /// In whole blocks, so that not every step asks anew; all of them when they are looked through.
  func recordsToName(in log: [SyncState.LogLine]) -> Set<SyncEvent.Record> {
    let isSearched = !field.text.isEmpty
    let seen = list.visibleLines.clamped(to: lines.indices)
    let start = seen.lowerBound / Self.block * Self.block
    let end = min(lines.count, (seen.upperBound / Self.block + 1) * Self.block)
    return Set((isSearched ? log[...] : lines[start..<end]).compactMap(\.fact.record))
  }

  private static let block = 128

  /// What a record is called; the beginning of its key until that was looked up.
  func title(of record: SyncEvent.Record) -> String {
    titles[record] ?? String(record.primaryKey.prefix(8))
  }

  /// What words are looked for in.
  private func text(of fact: SyncFact) -> String {
    let words = fact.words(.unicode)
    let record = fact.record.map { [title(of: $0), FieldName.word(forRowOf: $0.type), $0.name] }
    return ([words.what, words.outcome] + (record ?? [])).joined(separator: " ")
  }
}
