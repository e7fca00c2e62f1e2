import Foundation
import Testing

/// Makes sure that an article of the documentation shows code that a test file compiles.
///
/// - Parameters:
///   - name: The article's file in `SQLiteSync.docc`.
///   - count: How many blocks of code it has.
///   - file: The test's file, which must hold every block.
func expectArticle(_ name: String, blocks count: Int, areIn file: String = #filePath) throws {
  let here = URL(fileURLWithPath: file)
  let root = here.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let article = try String(
    contentsOf: root.appending(path: "Sources/SQLiteSync/SQLiteSync.docc/\(name)"),
    encoding: .utf8)
  let source = try String(contentsOf: here, encoding: .utf8)
  let blocks = article.components(separatedBy: "```swift\n").dropFirst()
    .compactMap { $0.components(separatedBy: "```").first }
  #expect(blocks.count == count)
  for block in blocks {
    #expect(source.contains(block), "not in the test: \(block)")
  }
}
