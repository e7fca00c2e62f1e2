/// A directory of the cloud as it was listed once: what belongs there, and what does not.
struct CheckedFolder {
  let prefix: StorePrefix
  let store: any ObjectStore
  let policy: MaintenancePolicy
  let now: Int64
  private(set) var entries: [StoreEntry] = []
  /// What belongs there.
  private(set) var expected: [StoreEntry] = []
  /// Files that a writer left behind when it died.
  private(set) var leftovers: [StoreEntry] = []
  /// What is none of the cloud's.
  private(set) var foreign: [StoreEntry] = []

  /// How many of those are named; there may be thousands.
  private static let namedStrangers = 20

  init(_ prefix: StorePrefix, store: any ObjectStore, policy: MaintenancePolicy, now: Int64) {
    self.prefix = prefix
    self.store = store
    self.policy = policy
    self.now = now
  }

  /// Lists the directory; one that is absent is empty.
  mutating func list() throws {
    entries = try store.list(prefix, after: nil, limit: .max)
  }

  func contains(_ name: String) -> Bool {
    entries.contains { $0.name == name }
  }

  /// Says what belongs there.
  mutating func expect(_ isExpected: (StoreEntry) -> Bool) {
    for entry in entries {
      if isExpected(entry) {
        expected.append(entry)
      } else if entry.isRegular, Self.isStaged(entry.name) {
        leftovers.append(entry)
      } else {
        foreign.append(entry)
      }
    }
  }

  /// Says of everything that does not belong there, and of who may write to what does.
  func report(to notes: CheckNotes) {
    for entry in foreign.prefix(Self.namedStrangers) { reportForeign(entry, notes) }
    if foreign.count > Self.namedStrangers {
      notes.add(
        .note, prefix, "\(foreign.count - Self.namedStrangers) more are not the cloud's.",
        "Nobody reads them; move them away if nobody knows them.")
    }
    for entry in leftovers where now - entry.modified >= policy.leftoverAge {
      notes.add(
        .note, path(of: entry), "A writer that died has left it behind.",
        "It can be removed; nobody reads it.",
        repair: .remove(StoreKey(prefix, listed: entry)))
    }
    for entry in expected {
      if entry.kind == .link || entry.kind == .other { reportForeign(entry, notes) }
      reportAccess(entry, notes)
    }
  }

  /// The path of an entry below the cloud's directory.
  func path(of entry: StoreEntry) -> String {
    StoreKey(prefix, listed: entry).description
  }

  private func reportForeign(_ entry: StoreEntry, _ notes: CheckNotes) {
    switch entry.kind {
    case .file, .directory:
      notes.add(
        .note, path(of: entry), "It is not the cloud's.",
        "Nobody reads it; move it away if nobody knows it.")
    case .link, .other:
      notes.add(
        .warning, path(of: entry),
        entry.kind == .link ? "It is a symbolic link." : "It is neither a file nor a directory.",
        "It is never followed or opened; ask whoever made it, and remove it.")
    }
  }

  /// What others could do to it; nothing depends on that, so it only warns.
  private func reportAccess(_ entry: StoreEntry, _ notes: CheckNotes) {
    if entry.permissionIssues.contains(.writableByAll) {
      notes.add(
        .warning, path(of: entry), "Everybody on this machine may write to it.",
        "Unless that is meant: chmod o-w.")
    }
    if entry.permissionIssues.contains(.special) {
      notes.add(
        .warning, path(of: entry), "It has special permissions that no file of a cloud has.",
        "chmod 0444.")
    }
  }

  /// The name of a file that is being written: a UUID in lower case, and beside its final name with
  /// a dot before it.
  private static func isStaged(_ name: String) -> Bool {
    let parts = name.drop { $0 == "." }.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy(\.isLowercaseHexadecimal)
  }
}
