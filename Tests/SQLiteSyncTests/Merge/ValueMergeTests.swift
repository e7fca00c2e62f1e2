import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// The pure merges of two values.
struct ValueMergeTests {
  private func merge(
    _ policy: MergePolicy, _ base: (any DatabaseValueConvertible)?,
    _ mine: any DatabaseValueConvertible, _ theirs: any DatabaseValueConvertible
  ) -> DatabaseValue? {
    policy.merge(
      base: base?.databaseValue, mine: mine.databaseValue, theirs: theirs.databaseValue)
  }

  @Test func whatBothCountedIsAdded() {
    #expect(merge(.counter, 5, 7, 15) == 17.databaseValue)
    #expect(merge(.counter, nil, 2, 3) == 5.databaseValue)
    #expect(merge(.counter, 5, 3, -4) == (-6).databaseValue)
    #expect(merge(.counter, 1.5, 2, 4) == 4.5.databaseValue)
    #expect(merge(.counter, 5, "7", 15) == nil)
    #expect(merge(.counter, 5, 7, DatabaseValue.null) == nil)
    #expect(
      merge(.counter, 0, Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude) == nil)
  }

  @Test func aSumBeyondAllNumbersIsTheLastOne() {
    let (least, greatest) = (Int64.min, Int64.max)
    #expect(merge(.counter, 0, greatest, 1) == greatest.databaseValue)
    #expect(merge(.counter, 0, greatest, greatest) == greatest.databaseValue)
    #expect(merge(.counter, 0, least, -1) == least.databaseValue)
    #expect(merge(.counter, greatest, least, least) == least.databaseValue)
    // On the way it leaves 64 bits, and comes back.
    #expect(merge(.counter, greatest, greatest, 7) == 7.databaseValue)
    #expect(merge(.counter, least, least, -7) == (-7).databaseValue)
    #expect(merge(.counter, least, 0, least) == 0.databaseValue)
    #expect(merge(.counter, least, -1, least) == (-1).databaseValue)
  }

  @Test func sumsAreThoseOfWiderNumbers() {
    var random = SplitMix64(seed: 1)
    let edges: [Int64] = [
      .min, .min + 1, -1, 0, 1, .max - 1, .max, 1 << 32, -(1 << 32), 0xFFFF_FFFF,
    ]
    for _ in 0..<5_000 {
      let numbers = (0..<3).map { _ in
        Bool.random(using: &random)
          ? edges.randomElement(using: &random) ?? 0 : Int64(bitPattern: random.next())
      }
      let wide = Int128(numbers[2]) + Int128(numbers[1]) - Int128(numbers[0])
      let expected = Int64(clamping: wide)
      #expect(merge(.counter, numbers[0], numbers[1], numbers[2]) == expected.databaseValue)
    }
  }

  @Test func theGreaterOneStays() {
    #expect(merge(.max, 1, 7, 5) == 7.databaseValue)
    #expect(merge(.max, nil, 3, 5.5) == 5.5.databaseValue)
    #expect(merge(.max, 1, "2026-01-02", "2026-01-10") == "2026-01-10".databaseValue)
    #expect(merge(.max, 1, "z", 5) == nil)
    #expect(merge(.max, 1, DatabaseValue.null, 5) == nil)
  }

  @Test func arraysAreSetsOfWhatBothLeft() {
    #expect(merge(.union, "[1,2,3]", "[1,3,4]", "[0,1,2,3]") == "[0,1,3,4]".databaseValue)
    #expect(merge(.union, nil, "[1]", "[2, 1]") == "[2, 1]".databaseValue)
    #expect(
      merge(.union, "[]", #"[{"a": [1, "]"]}, "x,\" y"]"#, #"["b"]"#)
        == #"["b",{"a":[1,"]"]},"x,\" y"]"#.databaseValue)
    // Both removed it; one removed it, and the other added it again as another spelling.
    #expect(merge(.union, "[1,2]", "[2]", "[]") == "[]".databaseValue)
    #expect(merge(.union, "[1]", "[]", "[1,1.0]") == "[1.0]".databaseValue)
  }

  @Test(arguments: ["{}", "", "[1", "[1]]", "[,]", "null", "[a]", "\u{FEFF}[1]", "1"])
  func whatIsNoArrayIsNotMerged(text: String) {
    #expect(merge(.union, "[]", text, "[1]") == nil)
    #expect(merge(.union, "[]", "[1]", text) == nil)
    #expect(merge(.union, text, "[1]", "[2]") == nil)
  }

  @Test func aDeepArrayIsNoDanger() {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(merge(.union, "[]", deep, "[1]") == nil)
  }

  @Test func changesOfDifferentLinesAreBothMade() {
    #expect(merge(.text, "a\nb\nc", "a\nB\nc", "a\nb\nc\nd") == "a\nB\nc\nd".databaseValue)
    #expect(merge(.text, "a\nb\nc", "b\nc", "a\nb") == "b".databaseValue)
    #expect(
      merge(.text, "a\r\nb", "a\r\nb\r\nc", "0\r\na\r\nb") == "0\r\na\r\nb\r\nc".databaseValue)
  }

  @Test(arguments: [
    ("a\nb", "A\nb", "a\nB", "A\nB"),
    ("a\nb", "a\nB", "A\nb", "A\nB"),
    ("a\nb\nc", "A\nb\nc", "a\nc", "A\nc"),
    ("a\nb", "a\nmine\nb", "a\nB", "a\nmine\nB"),
    ("a\nb", "A\nb", "a\ntheirs\nb", "A\ntheirs\nb"),
    ("a\nb", "a\nmine\nb", "a\ntheirs\nb", "a\ntheirs\nmine\nb"),
    ("a\nb\nc", "x\ny\nc", "a\ntheirs\nb\nc", "a\ntheirs\nb\nx\ny\nc"),
  ])
  func changesOfLinesSideBySideAreTwo(base: String, mine: String, theirs: String, both: String) {
    #expect(merge(.text, base.databaseValue, mine, theirs) == both.databaseValue)
  }

  @Test func ofLinesThatBothChangedBothAreKept() {
    #expect(
      merge(.text, "a\nb\nc", "a\nmine\nc", "a\ntheirs\nc") == "a\ntheirs\nmine\nc".databaseValue)
    #expect(merge(.text, nil, "mine", "theirs") == "theirs\nmine".databaseValue)
    #expect(merge(.text, "a", "x", "x") == "x".databaseValue)
    // Two spellings of "é" are two lines.
    #expect(merge(.text, "", "\u{E9}", "e\u{301}") == "e\u{301}\n\u{E9}".databaseValue)
    #expect(merge(.text, "a", 1, "b") == nil)
    #expect(merge(.text, 1, "a", "b") == nil)
  }

  @Test func textsOfManyOtherLinesAreNotCompared() {
    func text(_ prefix: String) -> String {
      (0..<2_000).map { "\(prefix)\($0)" }.joined(separator: "\n")
    }
    #expect(merge(.text, text("a"), text("b"), text("a") + "\nend") == nil)
    let begun = merge(.text, text("a"), "begin\n" + text("a"), text("a") + "\nend")
    #expect(begun == ("begin\n" + text("a") + "\nend").databaseValue)
  }

  /// What both texts have is there in its order, what one added is there, what one removed is not.
  @Test func linesAreNeitherLostNorInvented() throws {
    var random = SplitMix64(seed: 7)
    for round in 0..<3_000 {
      let base = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        Int.random(in: 0...4, using: &random)
      }
      func edited(_ new: ClosedRange<Int>) -> [Int] {
        var lines = base
        for line in new.prefix(Int.random(in: 0...3, using: &random)) {
          if !lines.isEmpty, Bool.random(using: &random) {
            lines.remove(at: Int.random(in: 0..<lines.count, using: &random))
          }
          lines.insert(line, at: Int.random(in: 0...lines.count, using: &random))
        }
        return lines
      }
      let (mine, theirs) = (edited(100...102), edited(200...202))
      let merged = try #require(LineMerge.merge(base, mine, theirs))
      #expect(LineMerge.merge(base, mine, base) == mine, "\(round)")
      #expect(LineMerge.merge(base, base, theirs) == theirs, "\(round)")
      #expect(LineMerge.merge(base, mine, mine) == mine, "\(round)")
      #expect(Set(merged).isSubset(of: Set(mine).union(theirs)), "\(round)")
      for added in [mine, theirs].flatMap({ $0.filter { $0 >= 100 } }) {
        #expect(merged.count { $0 == added } == 1, "\(round)")
      }
      #expect(merged.filter { $0 / 100 == 1 } == mine.filter { $0 >= 100 }, "\(round)")
      #expect(merged.filter { $0 / 100 == 2 } == theirs.filter { $0 >= 100 }, "\(round)")
    }
  }

  @Test(arguments: ["", "a b", "counter", "lastEdit", "é", String(repeating: "a", count: 65)])
  func aNameThatAPolicyCannotHave(name: String) {
    #expect(MergePolicy.custom(name) { _, _, _ in nil }.isMisnamed)
  }

  @Test func aNameThatAPolicyCanHave() {
    #expect(!MergePolicy.custom("com.example.median_2-b") { _, _, _ in nil }.isMisnamed)
    #expect(!MergePolicy.counter.isMisnamed)
  }
}
