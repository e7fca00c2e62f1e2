/// How many pixels the codes of a picture in a GIF stand for, without decoding them.
///
/// libgd fills what is missing with the first colour, so they are counted here. The codes are those
/// of LZW: https://www.w3.org/Graphics/GIF/spec-gif89a.txt, appendix F.
struct GIFPixels {
  private let reader: ByteReader
  /// Where the next byte is, and how many of its block are left.
  private var offset: Int
  private var blockRest = 0
  /// Bits that were read and belong to no code yet, the least significant one first.
  private var bits = 0
  private var bitCount = 0

  /// More clear codes than this make no picture: each costs the decoder a table, and files of
  /// nothing else kept it busy for minutes.
  ///
  /// Without compression a picture as large as is read has fewer.
  private static let maximumClears = 1 << 18

  /// Begins at the byte about the codes.
  init(_ reader: ByteReader, at offset: Int) {
    self.reader = reader
    self.offset = offset
  }

  /// Counts them up to a number: more are no more use.
  mutating func count(upTo enough: Int) -> Int {
    guard let size = nextByte(), (1...11).contains(size) else { return 0 }
    let clear = 1 << size
    /// How many pixels each code stands for; there are at most 4096.
    var lengths: [Int] = []
    var width = 0
    var previous: Int?
    func begin() {
      // The last two are the clear code and the end, which stand for none.
      lengths = Array(repeating: 1, count: clear) + [0, 0]
      (width, previous) = (size + 1, nil)
    }
    begin()
    var count = 0
    var clears = 0
    while count < enough, let code = nextCode(width) {
      if code == clear {
        clears += 1
        guard clears <= Self.maximumClears else { break }
        begin()
        continue
      }
      if code == clear + 1 { break }
      if let previous, lengths.count < 4096 { lengths.append(lengths[previous] + 1) }
      guard code < lengths.count else { break }
      count += lengths[code]
      previous = code
      if lengths.count == 1 << width, width < 12 { width += 1 }
    }
    return count
  }

  private mutating func nextByte() -> Int? {
    defer { offset += 1 }
    return reader.byte(at: offset)
  }

  private mutating func nextCode(_ width: Int) -> Int? {
    while bitCount < width {
      if blockRest == 0 {
        guard let length = nextByte(), length > 0 else { return nil }
        blockRest = length
      }
      guard let byte = nextByte() else { return nil }
      blockRest -= 1
      bits |= byte << bitCount
      bitCount += 8
    }
    defer {
      bits >>= width
      bitCount -= width
    }
    return bits & (1 << width - 1)
  }
}
