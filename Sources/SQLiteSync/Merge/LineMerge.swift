import GRDB

/// The three-way merge of texts by their lines, as `diff3` does it: pure, and bounded.
///
/// Lines of the base that a side has, too, keep the texts in step (Khanna, Kunal and Pierce, "A
/// Formal Investigation of Diff3", 2007). What is between them is a change of that side. Unlike
/// `diff3`, it takes changes of lines that stand side by side for two: no change is lost by that.
enum LineMerge {
  /// Lines of one text times lines of another, without those that they begin and end with alike.
  ///
  /// Comparing more takes too long for a transaction, and more than 4 MiB.
  static let comparisons = 1 << 20

  /// The text with the changes of both sides; nil when one is not text, or they are too long.
  ///
  /// Of lines that both changed the cloud's come first, then those of here. No base has no lines.
  static func merge(
    base: DatabaseValue?, mine: DatabaseValue, theirs: DatabaseValue
  ) -> DatabaseValue? {
    guard case .string(let here) = mine.storage, case .string(let there) = theirs.storage else {
      return nil
    }
    var lines = Lines()
    var before: [Int] = []
    if let base {
      guard case .string(let text) = base.storage else { return nil }
      before = lines.numbers(of: text)
    }
    return merge(before, lines.numbers(of: here), lines.numbers(of: there))
      .map { lines.text(of: $0).databaseValue }
  }

  /// The merged lines; nil when there are too many to compare.
  static func merge(_ base: [Int], _ mine: [Int], _ theirs: [Int]) -> [Int]? {
    guard let inMine = matches(of: base, in: mine), let inTheirs = matches(of: base, in: theirs)
    else { return nil }
    var here = Changes(base, inMine, mine)
    var there = Changes(base, inTheirs, theirs)
    var merged: [Int] = []
    var done = 0
    while let first = Changes.first(of: here, there) {
      // Changes of the same lines go together; of lines side by side each stands for itself.
      var lines = first
      while here.extend(&lines) || there.extend(&lines) {}
      merged += base[done..<lines.lowerBound]
      switch (here.take(lines), there.take(lines)) {
      case (let mine?, let theirs?): merged += mine == theirs ? mine : theirs + mine
      case (let one?, nil), (nil, let one?): merged += one
      case (nil, nil): break
      }
      done = lines.upperBound
    }
    return merged + base[done...]
  }

  /// What one side made of the base: which lines of it became which, in their order.
  private struct Changes {
    /// A run of lines of the base, which is empty where lines were inserted, and what it became.
    private struct Change {
      let base: Range<Int>
      let side: Range<Int>
    }

    private let side: [Int]
    private var changes: ArraySlice<Change> = []
    /// How many lines more the side has than the base, before the next change.
    private var surplus = 0

    /// - Parameter matches: Where the lines of the base are in the side.
    init(_ base: [Int], _ matches: [Int?], _ side: [Int]) {
      self.side = side
      var next = (base: 0, side: 0)
      for index in 0...base.count {
        let end = index < base.count ? matches[index] : side.count
        guard let end else { continue }
        if next.base < index || next.side < end {
          changes.append(Change(base: next.base..<index, side: next.side..<end))
        }
        next = (index + 1, end + 1)
      }
    }

    /// The lines of the change that comes first; what is inserted comes before what is changed.
    static func first(of one: Changes, _ other: Changes) -> Range<Int>? {
      [one, other].compactMap { $0.changes.first?.base }
        .min { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    }

    /// Adds the lines of the changes that share some with these, or are inserted at the same place;
    /// false when there are no more.
    func extend(_ lines: inout Range<Int>) -> Bool {
      let known = lines
      for change in changes {
        guard change.base.lowerBound < lines.upperBound || change.base == lines else { break }
        lines = lines.lowerBound..<max(lines.upperBound, change.base.upperBound)
      }
      return lines != known
    }

    /// What became of these lines, if anything did; goes on behind them.
    mutating func take(_ lines: Range<Int>) -> [Int]? {
      let start = lines.lowerBound + surplus
      var isChanged = false
      while let change = changes.first,
        change.base.lowerBound < lines.upperBound || change.base == lines
      {
        isChanged = true
        surplus += change.side.count - change.base.count
        changes.removeFirst()
      }
      return isChanged ? Array(side[start..<(lines.upperBound + surplus)]) : nil
    }
  }

  /// Where the lines of one text are in another, by a longest common subsequence; nil when there
  /// are too many to compare.
  private static func matches(of lines: [Int], in other: [Int]) -> [Int?]? {
    var found = [Int?](repeating: nil, count: lines.count)
    let common = min(lines.count, other.count)
    let start = (0..<common).first { lines[$0] != other[$0] } ?? common
    let end =
      (0..<(common - start)).first {
        lines[lines.count - 1 - $0] != other[other.count - 1 - $0]
      } ?? common - start
    for index in 0..<start { found[index] = index }
    for index in 0..<end { found[lines.count - 1 - index] = other.count - 1 - index }
    let (rows, columns) = (lines.count - end - start, other.count - end - start)
    guard rows > 0, columns > 0 else { return found }
    guard rows.multipliedReportingOverflow(by: columns).partialValue <= comparisons,
      rows <= comparisons, columns <= comparisons
    else { return nil }
    let width = columns + 1
    // The length of the longest common subsequence from a line of each on.
    var lengths = [Int32](repeating: 0, count: (rows + 1) * width)
    for row in (0..<rows).reversed() {
      for column in (0..<columns).reversed() {
        let place = row * width + column
        lengths[place] =
          lines[start + row] == other[start + column]
          ? lengths[place + width + 1] + 1
          : max(lengths[place + width], lengths[place + 1])
      }
    }
    var (row, column) = (0, 0)
    while row < rows, column < columns {
      let place = row * width + column
      if lines[start + row] == other[start + column] {
        found[start + row] = start + column
        (row, column) = (row + 1, column + 1)
      } else if lengths[place + width] >= lengths[place + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return found
  }

  /// Lines by number: the same number for the same bytes.
  private struct Lines {
    private var numbers: [[UInt8]: Int] = [:]
    private var lines: [[UInt8]] = []

    mutating func numbers(of text: String) -> [Int] {
      text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        let line = Array($0)
        if let known = numbers[line] { return known }
        numbers[line] = lines.count
        lines.append(line)
        return lines.count - 1
      }
    }

    func text(of numbers: [Int]) -> String {
      var bytes: [UInt8] = []
      for (index, number) in numbers.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: "\n")) }
        bytes += lines[number]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
