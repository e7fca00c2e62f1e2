import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncCloud

/// Whole devices over a cloud in a directory, all of it durable: first syncs, later ones, idleness.
struct SyncBenchmarks {
  let rounds: Int
  /// Edits in a round, each sent and fetched by itself.
  private static let edits = 20

  /// What peers take, as PEERS.md has it.
  private struct Peers {
    let upload: String
    let download: String
    let edit: String
    let idle: String
  }

  func run(into report: inout Report) async throws {
    try await syncs(
      of: 1_000, rounds: rounds,
      Peers(
        upload: "TaskChampion 0.07 s, unison 0.13 s, vdirsyncer 1.2 s",
        download: "TaskChampion 0.27 s, unison 0.13 s, vdirsyncer 1.1 s",
        edit: "ours must: the same at every size", idle: "ours must ≤ 1 ms"), into: &report)
    try await syncs(
      of: 100_000, rounds: max(1, rounds / 2),
      Peers(
        upload: "TaskChampion 7.7 s", download: "TaskChampion 35.9 s",
        edit: "TaskChampion 2.6 / 2.5 s", idle: "TaskChampion 2.5 s; ours must ≤ 1 ms"),
      into: &report)
    try await latency(into: &report)
  }

  private func syncs(
    of count: Int, rounds: Int, _ peers: Peers, into report: inout Report
  ) async throws {
    var figures = Figures()
    for _ in 0..<rounds { try await round(of: count, into: &figures) }
    let (times, sizes) = (figures.times, figures.sizes)
    let insert = Measurement(rounds: times["bare"] ?? [])
    let name = count.formatted(.number.locale(Locale(identifier: "en_US")))
    func add(_ title: String, _ key: String, _ reference: String) {
      report.add(
        "\(name) records: \(title)", Measurement(rounds: times[key] ?? []),
        against: reference)
    }
    func ratio(_ key: String) -> String {
      Measurement(rounds: times[key] ?? []).ratio(to: insert).text
    }
    let sqlite = "SQLite's own insert in this run \(insert.text)"
    add("first upload", "upload", "\(sqlite): \(ratio("upload")); \(peers.upload)")
    add("first download", "download", "\(sqlite): \(ratio("download")); \(peers.download)")
    add("one edit, push", "push", peers.edit)
    add("one edit, pull", "pull", peers.edit)
    add("nothing new", "idle", peers.idle)
    report.add(
      "\(name) records: database of the second device",
      Measurement(rounds: sizes["database"] ?? [], unit: .ratio),
      against: "bare SQLite in this run; cr-sqlite 2.7 ×; ours must ≤ 2 ×")
    for (what, key) in [("record", "cloud"), ("later edit", "edit")] {
      report.add(
        "\(name) records: bytes in the cloud for one \(what)",
        Measurement(rounds: sizes[key] ?? [], unit: .bytes),
        against: "TaskChampion 156 B, unison 391 B an edit; ours must ≤ 1 kB")
    }
  }

  /// What the rounds came to, by what was measured: seconds, and bytes or ratios of them.
  private struct Figures {
    var times: [String: [Double]] = [:]
    var sizes: [String: [Double]] = [:]

    mutating func time(_ name: String, _ body: () async throws -> Void) async throws {
      times[name, default: []].append(try await Stopwatch.wait(body))
    }
  }

  private func round(of count: Int, into figures: inout Figures) async throws {
    let base = try Place()
    let database = try Site.database(in: base)
    try await figures.time("bare") {
      try await database.write { try Workload.insert(0..<count, in: $0) }
    }
    try await database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    let cloud = try Place()
    let (ann, ben) = (try Site(cloud: cloud, rows: count), try Site(cloud: cloud))
    try await figures.time("upload") { try await ann.engine.syncChanges() }
    try await figures.time("download") { try await ben.engine.syncChanges() }
    try await ann.engine.syncChanges()
    figures.sizes["cloud", default: []].append(Double(try cloud.byteCount()) / Double(count))
    figures.sizes["database", default: []].append(
      Double(try ben.byteCount()) / Double(try base.byteCount()))
    for edit in 0..<Self.edits {
      try await ann.database.write { try Workload.update(edit..<(edit + 1), in: $0) }
      let before = try cloud.byteCount()
      try await figures.time("push") { try await ann.engine.syncChanges() }
      // Now and then the log is folded besides: the median is what an edit takes.
      figures.sizes["edit", default: []].append(Double(try cloud.byteCount() - before))
      try await figures.time("pull") { try await ben.engine.syncChanges() }
      try await figures.time("idle") { try await ben.engine.syncChanges() }
    }
  }

  private func latency(into report: inout Report) async throws {
    let cloud = try Place()
    let (ann, ben) = (
      try Site(cloud: cloud, starts: true, rows: 1), try Site(cloud: cloud, starts: true)
    )
    let times = try await Site.latencies(from: ann, to: ben, edits: 50)
    report.add(
      "device to device, both engines running, 50 edits", Measurement(rounds: times),
      against: "Syncthing 1.0 s; ours must: median ≤ 25 ms")
    for site in [ann, ben] { site.engine.stopAndWait() }
  }
}
