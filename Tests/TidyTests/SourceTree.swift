import Foundation

/// The package's files, found from where this file was compiled.
struct SourceTree {
  let root: URL

  init() {
    root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The names at the top of the package.
  func topLevelNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.path)
  }

  /// The files of Swift and C below a directory.
  func files(under directory: String) throws -> [SourceFile] {
    try files(under: directory, endings: [".swift", ".c", ".h"])
  }

  /// The files below a directory whose names end so.
  func files(under directory: String, endings: [String]) throws -> [SourceFile] {
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: root.appending(path: directory).path)
    return try names.filter { name in endings.contains { name.hasSuffix($0) } }
      .sorted().map { name in
        let url = root.appending(path: directory).appending(path: name)
        return SourceFile(
          path: directory + "/" + name, text: try String(contentsOf: url, encoding: .utf8))
      }
  }
}

/// One file, and what its lines are without strings and comments.
struct SourceFile {
  /// From the package's root, such as `Sources/SQLiteSyncCloud/Commit.swift`.
  let path: String
  /// The lines as they stand in the file.
  let lines: [String]
  /// The same lines with the contents of strings and comments blanked.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var scanner = CodeScanner(text)
    code = scanner.code().split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// The target or test target that it belongs to.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Whether a word stands anywhere, in strings and comments too.
  func mentions(_ word: String) -> Bool {
    lines.contains { Self.words(of: $0).contains(Substring(word)) }
  }

  /// The words of a line: letters, digits and underscores.
  static func words(of line: String) -> [Substring] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
  }

  /// Whether a plain comment beside the line at `index`, or right above it, gives a reason.
  func hasReason(at index: Int) -> Bool {
    let isBeside = lines[index].dropFirst(code[index].trimmedCount).contains("//")
    guard !isBeside, index > 0 else { return isBeside }
    let above = lines[index - 1].drop { $0 == " " }
    return above.hasPrefix("//") && !above.hasPrefix("///")
  }
}

extension String {
  /// How many characters there are before the spaces at the end.
  fileprivate var trimmedCount: Int {
    count - reversed().prefix { $0 == " " }.count
  }
}

/// A breach of a rule, with its place.
struct Violation: CustomStringConvertible, Equatable {
  let path: String
  let line: Int
  let reason: String

  /// A breach in the line at `index`.
  init(_ file: SourceFile, at index: Int, _ reason: String) {
    path = file.path
    line = index + 1
    self.reason = reason
  }

  var description: String { "\(path):\(line): \(reason)" }
}
