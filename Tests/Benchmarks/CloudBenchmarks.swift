import Cloud
import Foundation

/// The commit log alone, in a directory, everything durable.
struct CloudBenchmarks {
  let rounds: Int
  private let count = 100_000
  private let batch = 400

  func run(into report: inout Report) throws {
    var (uploads, downloads, idle): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      let place = try Place()
      let writer = try zone(in: place)
      if try !writer.exists() { try writer.create() }
      var token: ChangeToken?
      uploads.append(
        try Stopwatch.wall {
          for start in stride(from: 0, to: count, by: batch) {
            let changes = (start..<min(start + batch, count)).map(change)
            token = try writer.modify(changes, after: token, view: Self.nothing, atomically: true)
              .changes.token
          }
        })
      let reader = try zone(in: place)
      var found = 0
      var position: ChangeToken?
      downloads.append(
        try Stopwatch.wall {
          while true {
            let changes = try reader.changes(after: position, view: Self.nothing)
            found += changes.copies.count
            position = changes.token
            if !changes.moreComing { break }
          }
        })
      guard found == count else {
        throw CloudError(.internalError, "\(found) of \(count) records were found.")
      }
      idle.append(
        try Stopwatch.wall {
          _ = try reader.changes(after: position, view: Self.nothing)
        })
    }
    let reference = "the engine's 100,000 records above"
    report.add(
      "cloud alone: 100,000 records, upload in commits of 400",
      Measurement(rounds: uploads).asTime, against: reference)
    report.add(
      "cloud alone: 100,000 records, download", Measurement(rounds: downloads).asTime,
      against: reference)
    report.add(
      "cloud alone: nothing new", Measurement(rounds: idle).asTime, against: "ours must ≤ 1 ms")
  }

  private static var nothing: ServerView {
    ServerView(record: { _ in nil }, children: { _ in [] })
  }

  private func zone(in place: Place) throws -> ZoneLog {
    let container = CloudContainer(
      directory: place.url, account: AccountID(userID: getuid()), device: UUID(), app: "bench")
    try container.open()
    return container.zone(ZoneID(name: "bench", owner: container.account))
  }

  private func change(_ number: Int) -> CloudChange {
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
