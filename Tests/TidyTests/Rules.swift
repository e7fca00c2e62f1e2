import Foundation

/// What a machine can check of Architecture.md, each rule a function from a file to its breaches.
enum Rules {
  // MARK: - Modules

  /// What each target may import: the arrows of Architecture.md, and besides the package what it
  /// needs.
  static let allowedImports = arrows.merging(outsideImports) { $0.union($1) }

  private static let outsideImports: [String: Set<String>] = [
    "SQLiteSyncHashing": ["CommonCrypto", "Foundation"],
    // Of the system what Foundation has on Linux and Darwin alike.
    "SQLiteSyncCloud": ["Darwin", "Dispatch", "Foundation", "Synchronization"],
    "SQLiteSyncCloudConformance": ["Dispatch", "Foundation", "Synchronization"],
    "SQLiteSync": [
      "Dispatch", "Foundation", "GRDB", "GRDBSQLite", "Logging", "Observation", "Synchronization",
    ],
    "RemindersFiles": ["Foundation", "Glibc"],
    "RemindersImages": ["Foundation", "Glibc", "Synchronization"],
    "RemindersCore": ["Dispatch", "Foundation", "GRDB", "Synchronization"],
    "RemindersTerminal": ["Dispatch", "Foundation", "Glibc"],
    "RemindersUI": ["Dispatch", "Foundation"],
    "RemindersCLI": ["ArgumentParser", "Dispatch", "Foundation", "Glibc", "Synchronization"],
    "CRemindersGd": [], "CRemindersNcurses": [], "CSQLiteSyncCurl": [], "CSQLiteSyncNettle": [],
    "CSQLiteSyncPQ": [], "CSQLiteSyncPosix": [], "CRemindersSQLite": [],
  ]

  /// The arrows between the modules, as the first block of Architecture.md lists them.
  ///
  /// Empty where it cannot be read: then nothing may be imported.
  private static let arrows: [String: Set<String>] = {
    let url = SourceTree().root.appending(path: "Sources/Architecture.md")
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let block = text.components(separatedBy: "```").dropFirst().first ?? ""
    return block.split(separator: "\n").reduce(into: [:]) { arrows, line in
      let sides = line.components(separatedBy: " → ")
      guard sides.count == 2, !sides[0].hasPrefix("Tests/") else { return }
      arrows[sides[0]] = Set(sides[1].components(separatedBy: ", "))
    }
  }()

  static func imports(_ file: SourceFile) -> [Violation] {
    guard let allowed = allowedImports[file.target] else {
      return [Violation(file, at: 0, "the target \(file.target) is not in the table of imports")]
    }
    return importedModules(in: file)
      .filter { !allowed.contains($0.name) }
      .map { Violation(file, at: $0.index, "\(file.target) may not import \($0.name)") }
  }

  /// The modules of the package that a target imports and does not declare in Package.swift.
  ///
  /// SwiftPM builds it all the same, but does not build it again when they change.
  static func undeclaredImports(
    _ file: SourceFile, _ declared: [String: Set<String>]
  ) -> [Violation] {
    guard let known = declared[file.target] else { return [] }
    return importedModules(in: file)
      .filter { $0.name != file.target && declared[$0.name] != nil && !known.contains($0.name) }
      .map { Violation(file, at: $0.index, "\(file.target) does not declare \($0.name)") }
  }

  /// What the targets of Swift of a manifest declare, which is all that it names in quotes of them.
  static func declaredDependencies(in manifest: String) -> [String: Set<String>] {
    manifest.components(separatedBy: "name: \"").dropFirst().reduce(into: [:]) { targets, text in
      let quoted = text.components(separatedBy: "\"")
      guard !quoted[0].hasPrefix("CSQLite"), !quoted[0].hasPrefix("CReminders") else { return }
      targets[quoted[0], default: []].formUnion(
        quoted.enumerated().filter { $0.offset > 0 && $0.offset.isMultiple(of: 2) }.map(\.element))
    }
  }

  // MARK: - Metadata

  /// The files that may speak of a metadata table, besides those that create all of them and the
  /// check that looks for entries without a record.
  static let metadataTables: [String: Set<String>] = [
    "sync_assets": ["Assets/KnownAssets.swift"],
    "sync_bases": ["Merge/MergeBases.swift"],
    "sync_columns": ["Schema/SchemaRegistry.swift"],
    "sync_device_names": ["Metadata/DeviceNames.swift"],
    "sync_devices": ["SyncDevice.swift"],
    "sync_edits": ["Capture/EditEntries.swift"],
    "sync_history": [
      "History/FormerRowImage.swift", "History/History.swift", "History/RowImage.swift",
      "History/SyncHistory.swift",
    ],
    "sync_history_days": ["History/History.swift"],
    "sync_log_days": ["Metadata/LogDays.swift"],
    "sync_names": ["Schema/CloudNames.swift"],
    "sync_leftovers": ["Zones/StaleCopies.swift"],
    "sync_parked": ["Metadata/Quarantine.swift"],
    "sync_pending": ["Metadata/Outbox.swift"],
    "sync_records": ["Metadata/MetadataStore.swift"],
    "sync_refusals": ["Capture/Refusals.swift"],
    "sync_shares": ["Metadata/Zones.swift"],
    "sync_state": ["Metadata/DeviceState.swift"],
    "sync_tables": ["Schema/SchemaRegistry.swift"],
    "sync_version": [],
    "sync_zones": ["Metadata/Zones.swift"],
  ]
  private static let metadataFiles: Set<String> = [
    "Metadata/MetadataSchema.swift", "Metadata/MetadataZones.swift",
    "Metadata/MetadataCheck.swift", "Metadata/StoredTypes.swift",
  ]

  static func metadata(_ file: SourceFile) -> [Violation] {
    let name = String(file.path.dropFirst("Sources/SQLiteSync/".count))
    guard !metadataFiles.contains(name) else { return [] }
    return file.lines.indices.flatMap { index in
      metadataTables.keys.sorted().compactMap { table in
        guard metadataTables[table]?.contains(name) != true,
          SourceFile.words(of: file.lines[index]).contains(Substring(table))
        else { return nil }
        return Violation(file, at: index, "\(table) is spoken of by its own type only")
      }
    }
  }

  // MARK: - Sizes

  static let maximumFileLines = 400
  static let maximumColumns = 100

  static func fileLength(_ file: SourceFile) -> [Violation] {
    // The text after the last line end is no line.
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    if count <= maximumFileLines { return [] }
    return [Violation(file, at: maximumFileLines, "the file has \(count) lines")]
  }

  static func width(_ file: SourceFile) -> [Violation] {
    file.lines.indices.filter { file.lines[$0].count > maximumColumns }
      .map { Violation(file, at: $0, "the line has \(file.lines[$0].count) columns") }
  }

  // MARK: - Calls

  /// What needs a reason in a comment beside it or above it.
  private static let needsReason = [
    " as!", "fatalError(", "@unchecked Sendable", "nonisolated(unsafe)",
  ]

  static func reasons(_ file: SourceFile) -> [Violation] {
    file.code.indices.compactMap { index in
      let line = file.code[index]
      // A word of its own: a type `Entry?` is no failed attempt.
      let attempt =
        line.contains("try") ? line.firstMatch(of: #/\btry[!?]/#).map { String($0.output) } : nil
      let named = attempt ?? needsReason.first(where: line.contains)
      guard let found = named ?? (forcesUnwrap(line) ? "a forced unwrap" : nil),
        !file.hasReason(at: index)
      else { return nil }
      return Violation(file, at: index, "\(found) without a reason in a comment")
    }
  }

  private static func forcesUnwrap(_ line: String) -> Bool {
    line.contains("!") && line.contains(#/[\w)\]]!(?![=\w])/#)
  }

  static func printing(_ file: SourceFile) -> [Violation] {
    if file.target == "RemindersCLI" { return [] }
    return lines(of: file, containing: #/(?:^|[^\w.])(?:debugPrint|print)\(/#, "rint")
      .map { Violation(file, at: $0, "only RemindersCLI prints") }
  }

  static func sleeping(_ file: SourceFile) -> [Violation] {
    let inSources = #/(?:^|[^\w.])u?sleep\(|\bThread\.sleep\b/#
    let anywhere = #/(?:^|[^\w.])u?sleep\(|\b(?:Thread|Task|clock)\.sleep\b/#
    let isTest = file.path.hasPrefix("Tests/")
    return lines(of: file, containing: isTest ? anywhere : inSources, "sleep")
      .map { Violation(file, at: $0, isTest ? "a test waits for a time" : "a thread sleeps") }
  }

  // MARK: - Words of the app

  /// The names of the commands that a file of the app declares.
  static func commands(_ file: SourceFile) -> [String] {
    let declaration = #/\bcommand(?:Name)?: "([\w-]+)"/#
    return file.lines.compactMap { $0.firstMatch(of: declaration).map { String($0.1) } }
  }

  /// Where the library names a command of the app, which nobody has who builds on it.
  static func appCommands(_ file: SourceFile, _ commands: Set<String>) -> [Violation] {
    let words = #/(\breminders |`)([a-z-]+)(?: ([a-z-]+))?/#
    return file.lines.indices.compactMap { index in
      let named = file.lines[index].matches(of: words).first { match in
        let isOfApp = match.1 != "`" || commands.contains(String(match.3 ?? ""))
        return isOfApp && commands.contains(String(match.2))
      }
      return named.map { Violation(file, at: index, "“\($0.output.0)” is a command of the app") }
    }
  }

  // MARK: - Top level

  static let topLevelNames: Set<String> = [
    "Assets", "Makefile", "Package.resolved", "Package.swift", "README.md", "Sources", "Tests",
  ]

  /// The names at the top of the package that do not belong there.
  static func strangers(among names: [String]) -> [String] {
    names.filter { !$0.hasPrefix(".") && !topLevelNames.contains($0) }.sorted()
  }

  // MARK: - Finding

  /// The lines with a pattern, which are among those with a text: that is quicker to look for.
  private static func lines(
    of file: SourceFile, containing pattern: Regex<Substring>, _ text: String
  ) -> [Int] {
    file.code.indices.filter { file.code[$0].contains(text) && file.code[$0].contains(pattern) }
  }

  /// The modules that a file imports, with the lines that say so.
  private static func importedModules(in file: SourceFile) -> [(index: Int, name: String)] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let"]
    return file.code.enumerated().compactMap { index, line in
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      guard let place = words.firstIndex(of: "import") else { return nil }
      let name = words[(place + 1)...].first { !kinds.contains($0) }
      return name.map { (index, String($0)) }
    }
  }
}
