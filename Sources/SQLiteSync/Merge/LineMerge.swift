import GRDB

/// The three-way merge of texts by their lines, as `diff3` does it: pure, and bounded.
///
/// Lines that are the same in all three keep the texts in step (Khanna, Kunal and Pierce, "A Formal
/// Investigation of Diff3", 2007). What is between them was changed here, in the cloud, or by both.
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
    guard let here = matches(of: base, in: mine), let there = matches(of: base, in: theirs) else {
      return nil
    }
    var merged: [Int] = []
    var next = (base: 0, mine: 0, theirs: 0)
    for (index, line) in base.enumerated() {
      guard let inMine = here[index], let inTheirs = there[index] else { continue }
      merged += changes(
        of: base[next.base..<index], mine[next.mine..<inMine], theirs[next.theirs..<inTheirs])
      merged.append(line)
      next = (index + 1, inMine + 1, inTheirs + 1)
    }
    return merged + changes(of: base[next.base...], mine[next.mine...], theirs[next.theirs...])
  }

  /// What becomes of lines between two that all have.
  private static func changes(
    of base: ArraySlice<Int>, _ mine: ArraySlice<Int>, _ theirs: ArraySlice<Int>
  ) -> ArraySlice<Int> {
    if mine == base || mine == theirs { return theirs }
    return theirs == base ? mine : theirs + mine
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
