import Foundation
import Glibc
import Testing

@Suite struct CoverCommandTests {
  /// A list, and a picture that the program itself has drawn: a sample cover.
  private func programWithList() throws -> Program {
    let program = try Program()
    try program.run("lists", "add", "Walks")
    return program
  }

  private static let assets = URL(filePath: #filePath).appending(path: "../../../Assets")
    .standardized

  @Test func `a cover is set, described and cleared`() throws {
    let program = try programWithList()
    let lake = Self.assets.appending(path: "lake.png").path
    let none = try program.run("lists", "cover", "walks")
    #expect(none.status == 66 && none.errors.contains("has no cover"))
    let set = try program.run("lists", "cover", "walks", lake)
    #expect(set.status == 0, "\(set.errors)")
    #expect(set.output.hasPrefix("lake.png · PNG 960 × 480 · 27 kB · ann "))
    #expect(set.output.contains(" · ann "))
    let cover: [String: Any] = try program.json(["lists", "cover", "walks", "--json"])
    #expect(cover["width"] as? Int == 960 && cover["format"] as? String == "JPEG")
    #expect((cover["original"] as? [String: Any])?["name"] as? String == "lake.png")
    #expect(cover["setBy"] as? String == "ann")
    // The home is that of the environment, as for shells.
    try FileManager.default.copyItem(
      atPath: lake, toPath: program.directory.appending(path: "home.png").path)
    #expect(try program.run("lists", "cover", "walks", "~/home.png").status == 0)
    #expect(try program.run("lists", "cover", "walks", "--clear").status == 0)
    #expect(try program.run("lists", "cover", "walks").status == 66)
  }

  @Test func `bad files have their exit code and one clear message`() throws {
    let program = try programWithList()
    func path(_ name: String) -> String { program.directory.appending(path: name).path }
    let lake = try Data(contentsOf: Self.assets.appending(path: "lake.png"))
    try Data("text".utf8).write(to: URL(filePath: path("text.png")))
    try lake.prefix(lake.count / 2).write(to: URL(filePath: path("half.png")))
    var damaged = lake
    for place in stride(from: 200, to: lake.count - 20, by: 50) { damaged[place] ^= 0xFF }
    try damaged.write(to: URL(filePath: path("damaged.png")))
    try Data(bomb).write(to: URL(filePath: path("bomb.png")))
    try #require(mkfifo(path("pipe.png"), 0o600) == 0)
    #expect(FileManager.default.createFile(atPath: path("giga.png"), contents: nil))
    try #require(truncate(path("giga.png"), 1 << 30) == 0)
    let expected: [(String, Int32, String)] = [
      ("nothing.png", 66, "no such file"), ("text.png", 1, "not an image"),
      ("half.png", 1, "ends in the middle"), ("damaged.png", 1, "damaged"),
      ("bomb.png", 1, "30000 × 30000"), ("pipe.png", 1, "not an ordinary file"),
      ("giga.png", 1, "64 MB"), (".", 1, "directory"),
    ]
    for (name, status, reason) in expected {
      let result = try program.run("lists", "cover", "walks", path(name))
      #expect(result.status == status, "\(name): \(result.errors)")
      #expect(result.errors.contains(reason), "\(name): \(result.errors)")
      // The message and the hint; nothing of libgd, libpng or libjpeg.
      #expect(result.errors.split(separator: "\n").count <= 2, "\(name): \(result.errors)")
      #expect(result.output.isEmpty)
    }
    #expect(try program.run("lists", "cover", "walks").status == 66)
    #expect(try program.run("lists", "cover", "walks", path("text.png"), "--clear").status == 64)
    #expect(try program.run("lists", "cover", "nowhere", path("text.png")).status == 66)
  }

  @Test func `a file that may not be read is refused as not permitted`() throws {
    let program = try Program(isOrdinary: true)
    try program.run("lists", "add", "Walks")
    let file = try program.makeDirectory("pictures").appending(path: "secret.png")
    try Data("secret".utf8).write(to: file)
    try #require(chmod(file.path, 0) == 0)
    let result = try program.run("lists", "cover", "walks", file.path)
    #expect(result.status == 77 && result.errors.contains("may not be read"), "\(result.errors)")
  }

  @Test func `what libjpeg says of a damaged photograph is not on the screen`() throws {
    let program = try programWithList()
    let lake = Self.assets.appending(path: "lake.png").path
    try #require(program.run("lists", "cover", "walks", lake).status == 0)
    try #require(program.run("sync").status == 0)
    // What the cloud has beside the log is the JPEG that was made.
    let cloud = program.cloudDirectory
    let path = try #require(
      FileManager.default.subpathsOfDirectory(atPath: cloud.path)
        .first { $0.contains("/assets/") })
    let photograph = try Data(contentsOf: cloud.appending(path: path))
    let file = program.directory.appending(path: "damaged.jpg")
    for step in [37, 101, 911] {
      var damaged = photograph
      for place in stride(from: 1000, to: damaged.count - 2, by: step) { damaged[place] = 0x55 }
      try damaged.write(to: file)
      let result = try program.run("lists", "cover", "walks", file.path)
      #expect(result.errors.split(separator: "\n").count <= 2, "\(result.errors)")
      let words = result.errors.lowercased()
      #expect(
        !["corrupt", "gd-", "libjpeg", "warning"].contains { words.contains($0) }, "\(words)")
    }
  }

  /// The beginning of a PNG of 30000 × 30000.
  private let bomb: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    + Array("IHDR".utf8) + [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 1, 0, 0, 0, 0]
    + Array(repeating: 0, count: 40)
}
