import Testing

/// Each rule finds what it is there to find, and nothing beside it.
@Suite struct RulesTests {
  private func file(_ text: String, path: String = "Sources/RemindersCore/File.swift") -> SourceFile
  {
    SourceFile(path: path, text: text)
  }

  private func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }

  @Test("an import that is not declared is found")
  func undeclared() {
    let declared = Rules.declaredDependencies(
      in: """
        .target(name: "Hashing"), .target(name: "Cloud", dependencies: ["Hashing", curl]),
        .target(name: "Engine", dependencies: ["Cloud"], path: "Sources/Engine")
        """)
    #expect(declared["Cloud"] == ["Hashing"] && declared["Engine"]?.contains("Cloud") == true)
    let text = "import Cloud\nimport Hashing\nimport Foundation"
    #expect(
      lines(Rules.undeclaredImports(file(text, path: "Sources/Engine/A.swift"), declared)) == [2])
    #expect(Rules.undeclaredImports(file(text, path: "Sources/Cloud/A.swift"), declared).isEmpty)
  }

  @Test("an import against the arrows is found, however it is written")
  func imports() {
    let text = """
      import Foundation
      import RemindersTerminal
      @preconcurrency import CRemindersNcurses
      public import struct RemindersUI.Screen
      @_spi(x) import GRDB
      // import SQLiteSyncCloud
      """
    #expect(lines(Rules.imports(file(text))) == [2, 3, 4])
    #expect(lines(Rules.imports(file("import GRDB", path: "Sources/RemindersUI/A.swift"))) == [1])
    #expect(lines(Rules.imports(file("", path: "Sources/New/A.swift"))) == [1])
  }

  @Test("long files and wide lines are found")
  func sizes() {
    let line = "let a = 1\n"
    #expect(Rules.fileLength(file(String(repeating: line, count: 400))).isEmpty)
    #expect(lines(Rules.fileLength(file(String(repeating: line, count: 401)))) == [401])
    let wide = String(repeating: "日", count: 101)
    #expect(lines(Rules.width(file("\(wide.dropLast())\n\(wide)"))) == [2])
  }

  @Test(
    "what needs a reason is found without one",
    arguments: [
      "let a = try! f()", "let a = try? f()", "fatalError(\"no\")", "let a = b!", "b![0] = 1",
      "f(b!)", "a[0]!.c()", "let a = b as! C", "var a: Int!",
      "final class A: @unchecked Sendable {}",
      "nonisolated(unsafe) var a = 1", "let a = \"\\(b!)\"", "let url = \"https://x\" + b!",
      "/// A reason in the documentation does not count.\nlet a = b!", "let s = \"// not\"; f(b!)",
    ])
  func reasons(text: String) {
    #expect(Rules.reasons(file(text)).count == 1)
  }

  @Test(
    "a reason beside or above is enough, and what only looks alike is not found",
    arguments: [
      "let a = try! f()  // the pattern is a literal", "// the list is never empty\nlet a = b!",
      "let a = \"try! fatalError( b!\"", "if a != b {}", "if !a {}",
      "// a comment about try! and b!",
      "let a = \"\"\"\n  wow!\n  \"\"\"", "let a = b !== c", "/* fatalError( */",
      "let a = #\"b!\"#", "let a = entry?.b",
    ])
  func noReasons(text: String) {
    #expect(Rules.reasons(file(text)).isEmpty)
  }

  @Test("printing is found outside the command line")
  func printing() {
    let text = "print(1)\n  debugPrint(a)\nblueprint(a)\na.print(b)\n\"print(\""
    #expect(lines(Rules.printing(file(text))) == [1, 2])
    #expect(Rules.printing(file(text, path: "Sources/RemindersCLI/A.swift")).isEmpty)
  }

  @Test("sleeping is found; tasks may wait in sources, but not in tests")
  func sleeping() {
    let text = "sleep(1)\nusleep(2)\nThread.sleep(forTimeInterval: 1)\ntry await Task.sleep(for: a)"
    #expect(lines(Rules.sleeping(file(text))) == [1, 2, 3])
    #expect(lines(Rules.sleeping(file(text, path: "Tests/A/B.swift"))) == [1, 2, 3, 4])
    #expect(Rules.sleeping(file("fallAsleep(1)\n// sleep(1)")).isEmpty)
  }

  @Test("commands of the app are found in the library's text")
  func appCommands() {
    let commands = Rules.commands(file("commandName: \"cloud\",\n  command: \"init\", a"))
    let text = """
      hint: "Run reminders cloud change."
      /// An administrator runs `cloud init` first.
      reminders are rows; `init` and `cloud` are words, and so is the cloud init of others
      """
    #expect(lines(Rules.appCommands(file(text), Set(commands))) == [1, 2])
  }

  @Test("public declarations without a comment are found, and no others")
  func documentation() {
    let text = """
      /// A type.
      public struct A: Sendable {
        public let b = 1
        /// Documented.
        @inlinable
        public private(set) var c: Int { 1 }
        let d = 2
        public init() { let public = 1 }
        struct Hidden { public var e = 1 }
      }
      public enum B {
        case f
        func g() { switch h { case .i: break } }
      }
      extension A { }
      extension A {
        public static func == (a: A, b: A) -> Bool { true }
        private func j() {}
      }
      /// A protocol.
      public protocol C {
        func k()
      }
      struct D {
        public func l() {}
      }
      public extension D {
        func m() {}
      }
      @frozen public indirect enum E {}
      """
    let library = file(text, path: "Sources/SQLiteSync/File.swift")
    #expect(lines(Documentation.rule(library)) == [3, 8, 11, 12, 17, 22, 28, 30])
    #expect(lines(Documentation.rule(file(text))) == [3, 8, 11, 17, 22, 28, 30])
  }

  @Test("strangers at the top level are found")
  func topLevel() {
    #expect(Rules.strangers(among: ["Sources", ".git", "notes.txt", "Makefile"]) == ["notes.txt"])
  }

  @Test("functions are measured from their declaration to their end")
  func functions() {
    let text = """
      struct A {
        let a = { 1 }
        init?(
          b: Int
        ) {
          if b > 0 { return nil }
        }
        var c: Int {
          "} { \\(b.map { $0 })".count
        }
        func d() -> Int { Foo.init { 1 } }
        func e() where T: Sequence {
          func inner() {
          }
        }
      }
      """
    let found = FunctionLength.functions(in: file(text).code)
    #expect(
      found == [
        .init(name: "init", start: 2, lineCount: 5), .init(name: "c", start: 7, lineCount: 3),
        .init(name: "d", start: 10, lineCount: 1), .init(name: "inner", start: 12, lineCount: 2),
        .init(name: "e", start: 11, lineCount: 4),
      ])
  }

  @Test("a function of 60 lines is allowed and one of 61 is not")
  func functionLength() {
    func function(_ lines: Int) -> SourceFile {
      file("func f() {\n" + String(repeating: "  g()\n", count: lines - 2) + "}\n")
    }
    #expect(FunctionLength.rule(function(60)).isEmpty)
    #expect(lines(FunctionLength.rule(function(61))) == [1])
  }

  @Test("only the contents of strings and comments are blanked")
  func scanning() {
    func code(_ text: String) -> String {
      var scanner = CodeScanner(text)
      return scanner.code()
    }
    #expect(code("a /* b /* c */ d */ e") == "a" + String(repeating: " ", count: 19) + "e")
    #expect(code("a(\"b\\\"c\", d) // e") == "a(\"    \", d)     ")
    #expect(code("#\"a\"b\"# c") == "#\"   \"# c")
    #expect(code("\"a \\(b(\"c\")) d\"") == "\"   (b(\" \"))  \"")
    #expect(code("\"\"\"\na \" b\n\"\"\" c") == "\"\"\"\n     \n\"\"\" c")
    #expect(code("#/a\"b/# c") == "#/   /# c")
    #expect(code("\"open\nb") == "\"    \nb")
  }
}
