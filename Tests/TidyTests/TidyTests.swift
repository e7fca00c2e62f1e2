import Foundation
import Testing

/// The rules of Architecture.md that a machine can check, on this tree.
@Suite struct TidyTests {
  private static let tree = SourceTree()
  /// Read once, for all rules.
  private static let files = Result {
    try ["Sources", "Tests"].flatMap(tree.files)
  }

  private func violations(
    under directories: [String], _ rule: (SourceFile) -> [Violation]
  ) throws -> String {
    try TidyTests.files.get()
      .filter { file in directories.contains { file.path.hasPrefix($0 + "/") } }
      .flatMap(rule).map { "\n" + $0.description }.joined()
  }

  @Test("targets import what the arrows allow")
  func imports() throws {
    let found = try violations(under: ["Sources"]) { $0.isSwift ? Rules.imports($0) : [] }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("targets declare what they import")
  func declarations() throws {
    let manifest = try String(
      contentsOf: SourceTree().root.appending(path: "Package.swift"), encoding: .utf8)
    // Before them are products of other packages.
    let targets = try #require(manifest.components(separatedBy: "  targets: [").last)
    let declared = Rules.declaredDependencies(in: targets)
    #expect(declared["RemindersUI"]?.contains("SQLiteSync") == true)
    let found = try violations(under: ["Sources", "Tests"]) {
      $0.isSwift ? Rules.undeclaredImports($0, declared) : []
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("each metadata table is spoken of in one place")
  func metadata() throws {
    let found = try violations(under: ["Sources/SQLiteSync"], Rules.metadata)
    #expect(found.isEmpty, "\(found)")
    let all = try TidyTests.files.get().filter { $0.path.hasPrefix("Sources/SQLiteSync/") }
    for (table, files) in Rules.metadataTables {
      for name in files {
        #expect(all.contains { $0.path.hasSuffix(name) && $0.mentions(table) }, "\(name)")
      }
    }
  }

  @Test("files have at most 400 lines")
  func fileLength() throws {
    let found = try violations(under: ["Sources", "Tests"], Rules.fileLength)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("lines have at most 100 columns")
  func width() throws {
    let found = try violations(under: ["Sources", "Tests"], Rules.width)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("functions have at most 60 lines")
  func functionLength() throws {
    let found = try violations(under: ["Sources", "Tests"]) {
      $0.isSwift ? FunctionLength.rule($0) : []
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("what can trap, swallow an error or hide a race has a reason beside it")
  func reasons() throws {
    let found = try violations(under: ["Sources"]) { $0.isSwift ? Rules.reasons($0) : [] }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("only the command line prints")
  func printing() throws {
    let found = try violations(under: ["Sources"]) { $0.isSwift ? Rules.printing($0) : [] }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("nothing sleeps, and no test waits for a time")
  func sleeping() throws {
    let found = try violations(under: ["Sources", "Tests"], Rules.sleeping)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("the library speaks of its own calls, and not of the app's commands")
  func appCommands() throws {
    let files = try TidyTests.files.get()
    let commands = Set(
      files.filter { $0.path.hasPrefix("Sources/RemindersCLI/") }.flatMap(Rules.commands))
    #expect(commands.isSuperset(of: ["cloud", "init", "check"]))
    let articles = try TidyTests.tree.files(under: "Sources", endings: [".md"])
    let found = (files + articles).filter { $0.path.hasPrefix("Sources/SQLiteSync") }
      .flatMap { Rules.appCommands($0, commands) }.map { "\n" + $0.description }.joined()
    #expect(found.isEmpty, "\(found)")
  }

  @Test("every public declaration has a comment")
  func documentation() throws {
    let found = try violations(under: ["Sources"]) { $0.isSwift ? Documentation.rule($0) : [] }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("the top level holds what it should and nothing else")
  func topLevel() throws {
    #expect(try Rules.strangers(among: TidyTests.tree.topLevelNames()) == [])
  }

  @Test("every test that the table of behaviours names is there")
  func behaviours() throws {
    let table = try String(
      contentsOf: TidyTests.tree.root.appending(path: "Tests/Behaviours.md"), encoding: .utf8)
    let named = table.matches(of: #/`([\w.]+)`/#).flatMap { $0.1.split(separator: ".") }
    // Made once: to compile an expression takes longer than to look for it in a line.
    let declaration = #/\b(?:func|struct) (\w+)/#
    let declared = try TidyTests.files.get().filter { $0.path.hasPrefix("Tests/") }
      .flatMap(\.code).flatMap { $0.matches(of: declaration).map(\.1) }
    #expect(named.count > 100)
    #expect(Set(named).subtracting(declared).subtracting(["TidyTests"]) == [])
  }

  @Test("exceptions for long tables are still needed")
  func longTables() throws {
    let long = try TidyTests.files.get().flatMap { file in
      FunctionLength.functions(in: file.code)
        .filter { $0.lineCount > FunctionLength.maximumLines }.map { "\(file.path):\($0.name)" }
    }
    #expect(Set(FunctionLength.longTables.keys).subtracting(long).isEmpty)
  }
}
