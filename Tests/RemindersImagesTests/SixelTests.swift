import Foundation
import RemindersTestSupport
import Testing

@testable import RemindersImages

struct SixelTests {
  /// What a terminal shows of sixels: the colours of its pixels, nil where none was drawn.
  ///
  /// Written from the manual of the VT330, and not from the writer.
  private struct Screen {
    /// A colour was used before it was defined.
    struct Unreadable: Error {}

    private(set) var pixels: [[UInt32?]] = []
    private(set) var declaredSize: PixelSize?
    private(set) var colorCount = 0
    private var palette: [Int: UInt32] = [:]
    private var (column, band, color) = (0, 0, 0)
    private var text: Substring

    init(_ data: Data) throws {
      let all = String(decoding: data, as: UTF8.self)
      let introducer = try #require(all.firstMatch(of: #/^\u{1B}P[0-9;]*q/#))
      try #require(all.hasSuffix("\u{1B}\\"))
      text = all[introducer.range.upperBound...].dropLast(2)
      while let character = text.popFirst() { try perform(character) }
    }

    private mutating func perform(_ character: Character) throws {
      switch character {
      case "\"":
        let numbers = takeNumbers()
        try #require(numbers.count == 4 && numbers[0] == numbers[1])
        declaredSize = PixelSize(width: numbers[2], height: numbers[3])
      case "#":
        let numbers = takeNumbers()
        color = try #require(numbers.first)
        if numbers.count > 1 { define(numbers) }
      case "!":
        let count = try #require(takeNumbers().first)
        let sixel = text.popFirst()
        for _ in 0..<count { try draw(try #require(sixel)) }
      case "$": column = 0
      case "-": (column, band) = (0, band + 1)
      default: try draw(character)
      }
    }

    private mutating func takeNumbers() -> [Int] {
      let run = text.prefix { $0.isNumber || $0 == ";" }
      text.removeFirst(run.count)
      return run.split(separator: ";").compactMap { Int($0) }
    }

    private mutating func define(_ numbers: [Int]) {
      colorCount += 1
      palette[numbers[0]] = numbers[2...].reduce(0) { $0 << 8 | UInt32(($1 * 255 + 50) / 100) }
    }

    private mutating func draw(_ sixel: Character) throws {
      let bits = Int(try #require(sixel.asciiValue)) - 0x3F
      try #require((0..<64).contains(bits))
      for row in 0..<6 where bits >> row & 1 == 1 {
        let y = 6 * band + row
        while pixels.count <= y { pixels.append([]) }
        while pixels[y].count <= column { pixels[y].append(nil) }
        guard let drawn = palette[color] else { throw Unreadable() }
        pixels[y][column] = drawn
      }
      column += 1
    }
  }

  /// Percents are what sixels say of colours.
  private func isNear(_ one: UInt32?, _ other: UInt32, within difference: Int = 2) -> Bool {
    guard let one else { return false }
    return [16, 8, 0].allSatisfy {
      abs(Int(one >> $0 & 0xFF) - Int(other >> $0 & 0xFF)) <= difference
    }
  }

  @Test(arguments: [(64, 32), (50, 17), (7, 6), (1, 1), (300, 5)])
  func everyPixelIsDrawnInItsColour(width: Int, height: Int) throws {
    let size = PixelSize(width: width, height: height)
    let palette: [UInt32] = [0, 0xFF_FFFF, 0xFF_0000, 0x33_6699, 0x01_FE80]
    let indices = (0..<width * height).map { UInt8(($0 * $0 / 7 + $0 / 40) % palette.count) }
    let screen = try Screen(
      IndexedPicture(size: size, palette: palette, indices: indices).sixels)
    #expect(screen.declaredSize == size)
    #expect(screen.pixels.count == height)
    for (row, line) in screen.pixels.enumerated() {
      #expect(line.count == width)
      for (column, pixel) in line.enumerated() {
        #expect(isNear(pixel, palette[Int(indices[row * width + column])]))
      }
    }
  }

  @Test func anImageIsScaledAndKeepsItsColours() throws {
    let file = ImageMaker.quarters(64, 32, as: .png)
    let space = PixelSize(width: 80, height: 40)
    let screen = try Screen(Picture.encoded(file, in: space, .filling, as: .sixels(colors: 256)))
    #expect(screen.declaredSize == space)
    let corners = [(5, 5), (75, 5), (5, 35), (75, 35)].map { screen.pixels[$0.1][$0.0] }
    for (corner, color) in zip(
      corners, [ImageMaker.red, ImageMaker.green, ImageMaker.blue, ImageMaker.yellow])
    {
      // Where libgd chooses colours, it looks at five or six bits of each part.
      #expect(isNear(corner, color, within: 8))
    }
  }

  @Test(arguments: [2, 16, 256])
  func thereAreNoMoreColoursThanTheTerminalHas(colors: Int) throws {
    let space = PixelSize(width: 240, height: 120)
    let lake = try SampleScene.lake.png()
    let screen = try Screen(Picture.encoded(lake, in: space, .filling, as: .sixels(colors: colors)))
    #expect((2...colors).contains(screen.colorCount))
    // The whole comes near to the picture: on average, for few colours are mixed of dots.
    let whole = try Picture(of: lake, in: space, .filling)
    let difference = zip(screen.pixels.joined(), whole.pixels).reduce(0) { sum, pair in
      sum + (pair.0.map { Int($0 >> 8 & 0xFF) } ?? 999) - Int(pair.1 >> 8 & 0xFF)
    }
    #expect(abs(difference) / whole.pixels.count < (colors == 2 ? 40 : 8))
  }

  @Test func runsAreCountedAndBlanksAtTheEndLeftOut() {
    let indices = [UInt8](repeating: 0, count: 20) + [1] + [UInt8](repeating: 0, count: 19)
    let picture = IndexedPicture(
      size: PixelSize(width: 20, height: 2), palette: [0, 0xFF_FFFF], indices: indices)
    let text = String(decoding: picture.sixels, as: UTF8.self)
    #expect(text.hasSuffix("#1;2;100;100;100#0@!19B$#1A\u{1B}\\"), "\(text.debugDescription)")
  }

  // MARK: - In the cache

  @Test(arguments: [Picture.Encoding.png, .sixels(colors: 16)])
  func whatIsKeptIsTakenAgainOnlyWhenItIsWhole(encoding: Picture.Encoding) throws {
    let directory = try TemporaryDirectory()
    let cache = PictureCache(directory: directory.url)
    let file = ImageMaker.quarters(64, 32, as: .jpeg)
    let space = PixelSize(width: 40, height: 20)
    func encoded() throws -> Data { try cache.encoded(file, in: space, .filling, as: encoding) }
    let first = try encoded()
    #expect(try first == Picture.encoded(file, in: space, .filling, as: encoding))
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    let kept = directory.url.appending(path: try #require(names.first))
    #expect(names.count == 1)
    #expect(try Data(contentsOf: kept) == first)
    // Half a control sequence, or one that steers the terminal, would be shown as it is.
    var steering = first
    steering.insert(contentsOf: Array("\u{1B}\\\u{1B}[2J".utf8), at: first.count / 2)
    for damaged in [Data(), first.dropLast(2), first.prefix(30), Data("text".utf8)] {
      try damaged.write(to: kept)
      #expect(try encoded() == first)
    }
    if case .sixels = encoding {
      try steering.write(to: kept)
      #expect(try encoded() == first)
    }
  }
}
