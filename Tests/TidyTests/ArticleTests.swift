import Foundation
import Testing

/// The articles of the library's documentation, and the programs that they are.
///
/// All code of an article, from its first line to its last, is one program of `Tests/Library`.
///
/// `make test-library` compiles and runs each, and compares what it prints with the end of the
/// article. Here the programs are compared with the articles; `UPDATE_ARTICLES=1` writes them.
@Suite struct ArticleTests {
  private static let root = SourceTree().root
  private static let catalog = "Sources/SQLiteSync/SQLiteSync.docc"

  private static func articles() throws -> [Article] {
    let folder = root.appending(path: catalog)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".md") }.sorted()
      .map { name in
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return Article(name: String(name.dropLast(3)), text: text)
      }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("the code of each article is a program of Tests/Library")
  func programs() throws {
    for article in try Self.articles() {
      guard let program = article.program else { continue }
      let path = "Tests/Library/Sources/\(article.name)/main.swift"
      if ProcessInfo.processInfo.environment["UPDATE_ARTICLES"] != nil {
        let file = Self.root.appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(program.utf8).write(to: file)
      }
      let found = try? Self.text(path)
      #expect(found == program, "UPDATE_ARTICLES=1 writes \(path).")
      #expect(
        try Self.text("Tests/Library/Package.swift").contains("\"\(article.name)\""),
        "Tests/Library/Package.swift has no target \(article.name).")
    }
  }

  @Test("each article with a program says what it prints, and no other block holds code")
  func blocks() throws {
    for article in try Self.articles() {
      let languages = Set(article.blocks.map(\.language))
      #expect(languages.isSubset(of: ["swift", "console"]), "\(article.name): \(languages)")
      let command = "$ swift run \(article.name)\n"
      let outputs = article.blocks.filter { $0.language == "console" && $0.text.hasPrefix(command) }
      #expect(outputs.count == (article.program == nil ? 0 : 1), "\(article.name)")
    }
  }

  @Test("the manifest that the first article shows is that of Tests/Library")
  func manifest() throws {
    let shown = try #require(Self.articles().first { $0.name == "GettingStarted" }?.manifest)
    let own = try Self.text("Tests/Library/Package.swift")
      .replacing("path: \"../..\"", with: "path: \"../reminders\"")
    let lines = shown.split(separator: "\n")
      .filter { $0.contains(".package(") || $0.contains(".product(") || $0.hasPrefix("//") }
      .map { $0.trimmingCharacters(in: [" ", ",", "]", ")"]) }
    #expect(lines.count == 5)
    for line in lines { #expect(own.contains(line), "\(line)") }
    // An article on something that needs a trait shows that line with it.
    let library = try #require(lines.first { $0.hasSuffix("traits: [") })
    let traits = try Self.text("Package.swift").matches(of: #/\.trait\(name: "(\w+)"/#).map(\.1)
    let allowed = traits.map { library + "\"\($0)\"]),\n" }
    let others = try Self.articles().flatMap(\.packageLines)
    #expect(others.allSatisfy(allowed.contains), "\(others)")
  }

  @Test("code that needs the trait SwiftLog is compiled in its tests")
  func codeOfATrait() throws {
    let compiled = Set(
      try Self.text("Tests/SQLiteSyncTests/Engine/SwiftLogTests.swift").split(separator: "\n")
        .map { $0.trimmingCharacters(in: [" "]) })
    let lines = try Self.articles().flatMap(\.codeOfSwiftLog).flatMap { $0.split(separator: "\n") }
    #expect(!lines.isEmpty)
    for line in lines { #expect(compiled.contains(String(line)), "\(line)") }
  }

  @Test("the program has the version of the changelog's first section")
  func version() throws {
    let changelog = try Self.text("\(Self.catalog)/Changelog.md")
    let section = try #require(changelog.firstMatch(of: #/\n## ([\d.]+)(, not released)?\n/#))
    let version = String(section.1) + (section.2 == nil ? "" : "-dev")
    let program = try Self.text("Sources/RemindersCLI/Reminders.swift")
    #expect(program.contains("version: \"\(version)\","), "\(version)")
  }

  @Test("the landing page leads to every article")
  func landingPage() throws {
    let articles = try Self.articles()
    let landing = try #require(articles.first { $0.name == "SQLiteSync" }?.text)
    for article in articles where article.name != "SQLiteSync" {
      #expect(landing.contains("- <doc:\(article.name)>"), "\(article.name)")
    }
  }

  @Test("blocks are found, and a manifest is no part of the program")
  func finding() {
    let article = Article(
      name: "A",
      text: """
        # A
        ```swift
        // swift-tools-version: 6.1
        ```
        ```swift
        let a = 1
        ```
        ```swift
        import Logging
        ```
        ```swift
        .package(name: "A", path: "a"),
        ```
        ```swift
        print(a)
        ```
        ```console
        $ swift run A
        1
        ```

        """)
    #expect(article.blocks.map(\.language) == Array(repeating: "swift", count: 5) + ["console"])
    #expect(article.program == "let a = 1\n\nprint(a)\n")
    #expect(article.manifest == "// swift-tools-version: 6.1\n")
    #expect(article.packageLines == [".package(name: \"A\", path: \"a\"),\n"])
    #expect(article.codeOfSwiftLog == ["import Logging\n"])
    #expect(Article(name: "B", text: "```\nx\n```\n").blocks.first?.language == "")
  }
}

/// An article and its blocks of code.
private struct Article {
  let name: String
  let text: String

  /// What stands between two lines of three backticks, and the word behind the first.
  var blocks: [(language: String, text: String)] {
    let parts = ("\n" + text).components(separatedBy: "\n```")
    return stride(from: 1, to: parts.count, by: 2).map { index in
      let lines = parts[index].split(
        separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(lines[0]), lines.count > 1 ? lines[1] + "\n" : "")
    }
  }

  private var code: [String] { blocks.filter { $0.language == "swift" }.map(\.text) }

  private func code(beginningWith text: String) -> [String] {
    code.filter { $0.hasPrefix(text) }
  }

  var manifest: String? { code(beginningWith: "// swift-tools-version").first }
  /// Lines of a manifest by themselves.
  var packageLines: [String] { code(beginningWith: ".package(") }
  /// What programs that switch no trait on cannot have.
  var codeOfSwiftLog: [String] { code(beginningWith: "import Logging\n") }

  /// The program that its blocks are; nil for an article without code.
  var program: String? {
    let others = packageLines + codeOfSwiftLog + (manifest.map { [$0] } ?? [])
    let blocks = code.filter { !others.contains($0) }
    return blocks.isEmpty ? nil : blocks.joined(separator: "\n")
  }
}
