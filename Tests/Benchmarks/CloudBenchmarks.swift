import Foundation
import SQLiteSyncCloud

/// The commit log alone, in a directory, everything durable.
struct CloudBenchmarks {
  let rounds: Int
  private let count = 100_000
  private let batch = 400

  func run(into report: inout Report) throws {
    var (uploads, downloads, idle): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      let place = try Place()
      uploads.append(try upload(to: zone(in: place)))
      let reader = try zone(in: place)
      let (seconds, position) = try download(from: reader)
      downloads.append(seconds)
      idle.append(try look(reader, after: position))
    }
    let reference = "the engine's 100,000 records above"
    report.add(
      "cloud alone: 100,000 records, upload in commits of 400",
      Measurement(rounds: uploads), against: reference)
    report.add(
      "cloud alone: 100,000 records, download", Measurement(rounds: downloads),
      against: reference)
    report.add(
      "cloud alone: nothing new", Measurement(rounds: idle), against: "ours must ≤ 1 ms")
    try besideForeignFiles(into: &report)
  }

  /// Somebody has put a million files into the log's directory.
  private func besideForeignFiles(into report: inout Report) throws {
    let place = try Place()
    let zone = try zone(in: place)
    try zone.create()
    let token = try zone.modify([change(0)], after: nil, view: Self.nothing, atomically: true)
      .changes.token
    let files = FileManager.default
    guard
      let log = try files.subpathsOfDirectory(atPath: place.url.path)
        .first(where: { $0.hasSuffix("/log") })
    else { throw CloudError(.internalError, "There is no log.") }
    for number in 0..<1_000_000 {
      close(open(place.url.appending(path: "\(log)/junk-\(number)").path, O_CREAT, 0o444))
    }
    report.add(
      "cloud alone: nothing new, beside 1,000,000 foreign files",
      Measurement(rounds: try (0..<rounds).map { _ in try look(zone, after: token) }),
      against: "ours must ≤ 1 ms")
    report.add(
      "cloud alone: looking after the log beside 1,000,000 foreign files",
      Measurement(rounds: [
        try Stopwatch.wall { _ = try zone.maintain(forgettingDeletionsUpTo: nil) }
      ]),
      against: "at most once an hour")
  }

  /// Seconds that the records take to be there.
  func upload(to zone: ZoneLog) throws -> Double {
    if try !zone.exists() { try zone.create() }
    var token: ChangeToken?
    return try Stopwatch.wall {
      for start in stride(from: 0, to: count, by: batch) {
        let changes = (start..<min(start + batch, count)).map(change)
        token = try zone.modify(changes, after: token, view: Self.nothing, atomically: true)
          .changes.token
      }
    }
  }

  /// Seconds that a device takes that knows nothing, and where it stands then.
  func download(from zone: ZoneLog) throws -> (Double, ChangeToken?) {
    var found = 0
    var position: ChangeToken?
    let seconds = try Stopwatch.wall {
      while true {
        let changes = try zone.changes(after: position, view: Self.nothing)
        found += changes.copies.count
        position = changes.token
        if !changes.moreComing { break }
      }
    }
    guard found == count else {
      throw CloudError(.internalError, "\(found) of \(count) records were found.")
    }
    return (seconds, position)
  }

  /// Seconds that a look takes that finds nothing new.
  private func look(_ zone: ZoneLog, after position: ChangeToken?) throws -> Double {
    try Stopwatch.wall { _ = try zone.changes(after: position, view: Self.nothing) }
  }

  static var nothing: ServerView {
    ServerView(record: { _ in nil }, children: { _ in [] })
  }

  private func zone(in place: Place) throws -> ZoneLog {
    let container = CloudContainer(
      directory: place.url, account: AccountID(userID: getuid()), device: UUID(), app: "bench")
    try container.open()
    return container.zone(ZoneID(name: "bench", owner: container.account))
  }

  func change(_ number: Int) -> CloudChange {
    let clock = FieldClock(milliseconds: 1_795_000_000_000 + Int64(number), device: 1)
    let values: [String: CloudValue] = [
      "title": .text("Buy \(number) litres of milk"),
      "notes": .text("From the shop at the corner of the street."),
      "dueDate": .text("2026-11-21T09:30:00Z"), "isFlagged": .integer(0), "priority": .null,
      "status": .integer(0), "position": .real(Double(number)), "url": .null,
      "listID": .text("l"),
    ]
    let record = CloudRecord(
      name: "\(Workload.key(number)):reminders", type: "reminders", life: clock,
      fields: values.mapValues { CloudField($0, clock) })
    return .save(record, base: nil)
  }
}
