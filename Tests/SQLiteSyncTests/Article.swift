import Foundation
import Testing

/// An article of the documentation.
struct Article {
  /// Its blocks of code, each to the end of its last line.
  let blocks: [String]

  /// The package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Reads an article by its file's name in `SQLiteSync.docc`.
  init(_ name: String) throws {
    let text = try String(
      contentsOf: Self.root.appending(path: "Sources/SQLiteSync/SQLiteSync.docc/\(name)"),
      encoding: .utf8)
    blocks = text.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
  }
}

/// Makes sure that an article of the documentation shows code that a test file compiles.
///
/// - Parameters:
///   - name: The article's file in `SQLiteSync.docc`.
///   - count: How many blocks of code it has.
///   - others: The numbers of those that are compiled elsewhere.
///   - file: The test's file, which must hold every other block.
func expectArticle(
  _ name: String, blocks count: Int, besides others: Set<Int> = [], areIn file: String = #filePath
) throws {
  let blocks = try Article(name).blocks
  let source = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
  #expect(blocks.count == count)
  for (number, block) in blocks.enumerated() where !others.contains(number) {
    #expect(source.contains(block), "not in the test: \(block)")
  }
}
