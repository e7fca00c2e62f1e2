import GRDB

/// The merges of numbers: pure, and without an overflow.
enum NumberMerge {
  /// The cloud's number with what was added to the base here; nil when one is not a number.
  ///
  /// No base is 0.
  static func sum(
    base: DatabaseValue?, mine: DatabaseValue, theirs: DatabaseValue
  ) -> DatabaseValue? {
    switch (base?.storage ?? .int64(0), mine.storage, theirs.storage) {
    case (.int64(let base), .int64(let mine), .int64(let theirs)):
      return saturated(theirs, plus: mine, minus: base).databaseValue
    case (let base, let mine, let theirs):
      guard let base = real(base), let mine = real(mine), let theirs = real(theirs) else {
        return nil
      }
      let sum = theirs + (mine - base)
      return sum.isFinite ? sum.databaseValue : nil
    }
  }

  /// The greater of two numbers, or of two texts by their bytes; nil when they are of two kinds, or
  /// neither.
  static func greater(_ mine: DatabaseValue, _ theirs: DatabaseValue) -> DatabaseValue? {
    switch (mine.storage, theirs.storage) {
    case (.int64(let one), .int64(let other)): return one > other ? mine : theirs
    case (.string(let one), .string(let other)):
      return other.utf8.lexicographicallyPrecedes(one.utf8) ? mine : theirs
    case (let one, let other):
      guard let one = real(one), let other = real(other) else { return nil }
      return one > other ? mine : theirs
    }
  }

  private static func real(_ value: DatabaseValue.Storage) -> Double? {
    switch value {
    case .int64(let integer): Double(integer)
    case .double(let real): real
    case .null, .string, .blob: nil
    }
  }

  /// A sum of three numbers that may leave 64 bits on its way: by its halves, of which neither can.
  private static func saturated(_ one: Int64, plus two: Int64, minus three: Int64) -> Int64 {
    func low(_ number: Int64) -> Int64 { number & 0xFFFF_FFFF }
    let lower = low(one) + low(two) - low(three)
    let upper = (one >> 32) + (two >> 32) - (three >> 32) + (lower >> 32)
    guard let high = Int32(exactly: upper) else { return upper < 0 ? .min : .max }
    return Int64(high) << 32 | low(lower)
  }
}
