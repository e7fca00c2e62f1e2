import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Former versions of rows, which are read from the cloud again where they are needed: each file
/// once, however many rows are in it.
struct FormerVersionTests {
  /// What they are needed for.
  enum Need: CaseIterable, Sendable {
    /// To tell what was edited on both sides.
    case conflicts
    /// The same, when the version that both have seen is in the checkpoint alone.
    case conflictsOverFoldedRows
    /// To take back deletions of what somebody else's new rows hang on.
    case deletedParents
    /// To take back edits after the permission to write was lowered.
    case readOnlyEdits
    /// The same, when the versions to go back to are in the checkpoint alone.
    case foldedReadOnlyEdits
  }

  private let store: FaultyStore
  private let files = ReadFiles()
  private let fleet: Fleet
  /// Its way to the cloud is watched.
  private let ann: Device
  private let ben: Device

  private static let annID = AccountID(userID: 1_000)
  private static let benID = AccountID(userID: 1_001)

  init() throws {
    fleet = try Fleet(schema: .family)
    store = FaultyStore(fleet.store)
    ann = try fleet.device(store: store, account: Self.annID)
    ben = try fleet.device(account: Self.annID)
  }

  /// Lets a device make rows, in one commit.
  private func fill(_ device: Device, _ count: Int) throws {
    try device.write { db in
      try db.execute(sql: "INSERT INTO lists VALUES ('home', 'Home')")
      for number in 1...count {
        try db.execute(sql: "INSERT INTO reminders VALUES ('\(number)', 'Milk', 'home')")
      }
    }
    try fleet.settle()
  }

  /// The files of commits and checkpoints that ann's device reads meanwhile.
  private func filesRead(_ body: () throws -> Void) throws -> [String] {
    let files = files
    files.forget()
    store.plan { call in
      if call.kind == .read { files.add(call.path) }
      return nil
    }
    try body()
    store.plan { _ in nil }
    return files.all.filter { $0.contains("/log/") || $0.contains("/cp/") }
  }

  /// Makes so many former versions needed, and returns what is read then.
  private func filesRead(for need: Need, rows count: Int) throws -> [String] {
    switch need {
    case .conflicts, .conflictsOverFoldedRows:
      try fill(ben, count)
      if need == .conflictsOverFoldedRows { try fleet.compact(after: ben) }
      try ben.execute("UPDATE reminders SET title = 'Oat milk'")
      try ann.execute("UPDATE reminders SET title = 'Soy milk'")
    case .deletedParents:
      try fill(ben, count)
      try ann.execute("DELETE FROM reminders")
      try ben.execute("INSERT INTO subtasks SELECT id, '3.5 %', id FROM reminders")
    case .readOnlyEdits, .foldedReadOnlyEdits:
      let ben = try fleet.device(account: Self.benID)
      try fill(ben, count)
      let link = try share(by: ben, .write)
      try ann.synchronizer.accept(link)
      try fleet.settle()
      try ann.execute("UPDATE reminders SET title = 'Soy milk'")
      _ = try share(by: ben, .read)
      guard need == .foldedReadOnlyEdits else { break }
      for _ in 0..<2 { _ = try ben.container.zone(link.zone).maintain(.eager) }
    }
    try ben.sync()
    return try filesRead(ann.sync)
  }

  /// Expects that the versions were found.
  private func expectFound(_ need: Need, rows count: Int) throws {
    let title = [.conflicts, .conflictsOverFoldedRows].contains(need) ? "Soy milk" : "Milk"
    #expect(
      try ann.rows("SELECT title, count(*) FROM reminders GROUP BY 1") == ["\(title)|\(count)"])
    guard title == "Soy milk" else { return }
    #expect(
      try ann.rows("SELECT value, count(*) FROM sync_history WHERE isConflict GROUP BY 1")
        == ["Oat milk|\(count)"])
  }

  private func share(by device: Device, _ permission: Share.Permission) throws -> ShareLink {
    let link = try device.synchronizer.share(
      table: "lists", key: "home", title: "Home", participants: [Self.annID: permission],
      publicPermission: .none)
    try device.sync()
    return link
  }

  @Test(arguments: Need.allCases)
  func theyAreReadByTheFileAndNotByTheRow(need: Need) throws {
    let few = try filesRead(for: need, rows: 2)
    try expectFound(need, rows: 2)
    let other = try Self()
    let many = try other.filesRead(for: need, rows: 40)
    try other.expectFound(need, rows: 40)
    #expect(many.count == few.count)
  }

  /// What overwrote the versions is in the checkpoint, so they are not.
  @Test func whoWasAwayForLongReadsTheCheckpointOnce() throws {
    try fill(ben, 40)
    try ann.execute("UPDATE reminders SET title = 'Soy milk'")
    try ben.execute("UPDATE reminders SET title = 'Oat milk'")
    try fleet.compact(after: ben)
    let parts = try filesRead(ann.fetch).filter { $0.contains("/cp/") }
    #expect(!parts.isEmpty && Set(parts).count == parts.count)
  }
}

/// The files that were read, in their order.
private final class ReadFiles: Sendable {
  private let paths = Mutex<[String]>([])

  var all: [String] { paths.withLock { $0 } }

  func add(_ path: String) { paths.withLock { $0.append(path) } }

  func forget() { paths.withLock { $0 = [] } }
}
