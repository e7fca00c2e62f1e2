import Foundation
import GRDB
import SQLiteSync

/// What it costs that every edit is captured: the same statements with and without an engine.
struct CaptureBenchmarks {
  let rounds: Int
  private let rows = 0..<100_000

  func run(into report: inout Report) throws {
    var bare: [String: [Double]] = [:]
    var captured: [String: [Double]] = [:]
    var sizes: [Double] = []
    for _ in 0..<rounds {
      // Side by side, so that both meet the same machine.
      let place = try Place()
      let database = try Site.database(in: place)
      let site = try Site(cloud: Place())
      for (name, edit) in edits {
        bare[name, default: []].append(
          try Stopwatch.processor { try database.write { try edit($0) } })
        captured[name, default: []].append(
          try Stopwatch.processor { try site.database.write { try edit($0) } })
        guard name == "insert" else { continue }
        try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        sizes.append(Double(try site.byteCount()) / Double(try place.byteCount()))
      }
    }
    let references = [
      "insert": "cr-sqlite 17 ×, sqlite-sync 26 ×; ours must ≤ 1.5 ×",
      "update": "cr-sqlite 3.9 ×, sqlite-sync 5.6 ×; ours must ≤ 2.3 ×",
      "delete": "cr-sqlite 2.6 ×, sqlite-sync 3.8 ×; ours must ≤ 1.7 ×",
    ]
    for (name, _) in edits {
      let base = Measurement(rounds: bare[name] ?? [])
      let ours = Measurement(rounds: captured[name] ?? [])
      report.add(
        "capture: \(name) of 100,000 rows in one transaction (processor time)",
        ours, as: "\(ours.text), \(ours.ratio(to: base).text)",
        against: "bare SQLite in this run \(base.text); \(references[name] ?? "")")
    }
    report.add(
      "capture: database after the insert, not folded yet",
      Measurement(rounds: sizes, unit: .ratio), against: "bare SQLite in this run")
  }

  private var edits: [(String, (Database) throws -> Void)] {
    [
      ("insert", { try Workload.insert(rows, in: $0) }),
      ("update", { try Workload.update(rows, in: $0) }),
      ("delete", { try Workload.delete(rows, in: $0) }),
    ]
  }
}
