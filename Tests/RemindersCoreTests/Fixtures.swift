import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import Synchronization
import Testing

@testable import RemindersCore

/// A database in a directory of its own, which goes when the fixture does.
final class Fixture: Sendable {
  let directory: URL
  let database: AppDatabase
  let clock: ManualClock
  private let place: Place

  /// The zone of whoever writes.
  var timeZone: TimeZone {
    get { place.timeZone.withLock { $0 } }
    set { place.timeZone.withLock { $0 = newValue } }
  }

  init(timeZone: TimeZone = .current) throws {
    let (clock, place) = (ManualClock(), Place(timeZone))
    (self.clock, self.place) = (clock, place)
    directory = FileManager.default.temporaryDirectory
      .appending(path: "reminders-tests-\(UUID().uuidString)")
    let ids = Mutex(0)
    database = try AppDatabase.migrated(
      in: directory,
      makeID: {
        let number = ids.withLock { count in
          count += 1
          return count
        }
        return "00000000-0000-4000-8000-" + number.padded(to: 12)
      }, now: { clock.now }, timeZone: { place.timeZone.withLock { $0 } })
  }

  deinit {
    // A test that cannot tidy up after itself has nothing to say about the app.
    try? FileManager.default.removeItem(at: directory)
  }

  /// Titles of the reminders that a query shows, in order.
  func titles(
    _ kind: ReminderListQuery.Kind, sort: ReminderListQuery.Sort = .due, completed: Bool = false
  ) throws -> [String] {
    try detail(kind, sort: sort, completed: completed).rows.map(\.title)
  }

  func detail(
    _ kind: ReminderListQuery.Kind, sort: ReminderListQuery.Sort = .due, completed: Bool = false,
    window: RowWindow? = nil
  ) throws -> ReminderListQuery.Value {
    try database.fetch(
      ReminderListQuery(
        kind, sort: sort, showsCompleted: completed, time: berlin(clock.now), window: window))
  }

  /// Titles of all reminders that meet a filter, one after the other as they are read.
  func titles(
    _ filter: String, in kinds: [ReminderListQuery.Kind] = [], sort: ReminderListQuery.Sort = .due,
    completed: Bool = false
  ) throws -> [String] {
    let time = berlin(clock.now)
    let query = FilterQuery(
      kinds, filter: try Filter(filter, in: time), sort: sort, showsCompleted: completed,
      time: time)
    var titles: [String] = []
    try database.forEach(query) { titles.append($0.title) }
    return titles
  }

  func details(_ id: Reminder.ID) throws -> ReminderRow {
    try #require(try database.fetch(ReminderQuery(id)))
  }

  @discardableResult
  func add(_ title: String, due: DueDate? = nil, tags: [String] = []) async throws -> Reminder.ID {
    try await database.addReminder(ReminderDraft(title: title, due: due, tags: tags)).id
  }

  /// Has the full-text index take in what waits for it.
  func indexTexts() throws {
    try database.writer.write { try SearchIndex.indexWaiting($0) }
  }

  func execute(_ sql: String) throws {
    try database.writer.write { db in try db.execute(sql: sql) }
  }

  /// Everything in the synchronized tables, as text, to compare two moments.
  func contents() throws -> [String] {
    try database.writer.read { db in
      try AppTable.allCases.flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table.name) ORDER BY \(table.key)").map { row in
          let columns = row.filter { $0.0 != "updatedAt" }.map { "\($0.0)=\($0.1)" }
          return "\(table): " + columns.joined(separator: ", ")
        }
      }
    }
  }
}

/// Where a person is.
private final class Place: Sendable {
  let timeZone: Mutex<TimeZone>

  init(_ timeZone: TimeZone) { self.timeZone = Mutex(timeZone) }
}

/// A clock that stands still until it is moved.
final class ManualClock: Sendable {
  private let moment = Mutex(saturday)

  var now: Date {
    get { moment.withLock { $0 } }
    set { moment.withLock { $0 = newValue } }
  }

  func advance(by seconds: Double) {
    moment.withLock { $0.addTimeInterval(seconds) }
  }
}

/// Saturday 21 November 2026, 14:32 in Berlin.
let saturday = Date(timeIntervalSince1970: 1_795_267_920)

func berlin(_ now: Date = saturday) -> LocalTime {
  LocalTime(now: now, timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
}

func zone(_ identifier: String) throws -> TimeZone {
  try #require(TimeZone(identifier: identifier))
}

func day(_ text: String) throws -> CalendarDay {
  try #require(CalendarDay(text))
}

/// What a JSON document says.
func text(_ body: (inout JSONDocument) throws -> Void) throws -> String {
  let bytes = Mutex<[UInt8]>([])
  var document = JSONDocument(to: OutputBuffer { piece in bytes.withLock { $0 += piece } })
  try body(&document)
  try document.end()
  return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
}

extension SyncEngine {
  /// Fetches, sends and settles; then sends what was settled, if anything was.
  ///
  /// Returns whether there was anything to do.
  func syncAndSettle(_ database: AppDatabase) async throws -> Bool {
    let isQuiet = try await syncChanges() == SyncResult()
    guard try await database.rollOver() > 0 else { return !isQuiet }
    try await syncChanges()
    return true
  }
}

/// Lets all synchronize by turns until nobody has anything to do: one more round would be like the
/// last one.
func untilQuiet<Device>(
  _ devices: [Device], _ sync: (Device) async throws -> Bool
) async throws {
  for _ in 1...3 {
    var isQuiet = true
    for device in devices where try await sync(device) { isQuiet = false }
    if isQuiet { return }
  }
}
