import Foundation

/// The real program on a real terminal, with 100,000 reminders in one list.
struct ScreenBenchmarks {
  let rounds: Int
  private let count = 100_000

  func run(into report: inout Report) throws {
    let data = try AppData()
    try data.fill(count)
    try data.database.close()
    try whileSyncing(data, into: &report)
    try firstFrame(data, into: &report)
    try keys(data, into: &report)
  }

  // MARK: - Measures

  private func whileSyncing(_ data: AppData, into report: inout Report) throws {
    let terminal = try Terminal(AppData.program, data.arguments)
    try terminal.press(until: "litres")
    try terminal.press(until: "sending")
    let strokes = try strokes(in: terminal)
    report.add(
      "screen: j and k, to the row under the cursor, while 100,000 reminders are sent",
      strokes, as: strokes.percentiles, against: "ours must p99 ≤ 16 ms; dooit 3,000 ms")
    try terminal.press(until: "in sync", within: 600)
    terminal.press("q", silence: 0.2)
  }

  private func firstFrame(_ data: AppData, into report: inout Report) throws {
    var seconds: [Double] = []
    for _ in 0..<max(5, rounds) {
      let terminal = try Terminal(AppData.program, data.arguments)
      seconds.append(try terminal.press(until: "litres"))
      terminal.settle()
    }
    report.add(
      "screen: from the start of the program to its first reminders",
      Measurement(rounds: seconds),
      against: "ours must ≤ 60 ms; calcurse 242 ms, dooit 7.8 s, vit 43 s")
  }

  private func keys(_ data: AppData, into report: inout Report) throws {
    let terminal = try Terminal(AppData.program, data.arguments)
    try terminal.press(until: "litres")
    terminal.settle()
    let strokes = try strokes(in: terminal)
    report.add(
      "screen: j and k, to the row under the cursor", strokes, as: strokes.percentiles,
      against: "ours must p99 ≤ 16 ms; vit 4 ms, calcurse 74 ms, dooit 3,000 ms")
    terminal.settle()
    report.add(
      "screen: memory", try memory(of: terminal),
      against: "ours must ≤ 80 MB; calcurse 56 MB, dooit 62 MB, vit 770 MB")
    // The cursor stays in its row of the screen, so only the rest says that a page was turned.
    let pages = Measurement(
      rounds: (0..<300).map { _ in terminal.press("\u{06}", silence: 0.02) })
    report.add(
      "screen: page down, to the last byte, 300 times", pages, as: pages.percentiles,
      against: "ours must p99 ≤ 16 ms")
    let ends = Measurement(
      rounds: (0..<10).flatMap { _ in
        [terminal.press("G", silence: 0.05), terminal.press("gg", silence: 0.05)]
      })
    report.add(
      "screen: to the last reminder and back, to the last byte", ends, as: ends.percentiles,
      against: "")
    terminal.press("G", silence: 0.05)
    terminal.settle()
    let writes = Measurement(rounds: (0..<100).map { _ in terminal.press("f", silence: 0.05) })
    report.add(
      "screen: flag the last reminder, to the last byte", writes, as: writes.percentiles,
      against: "")
    terminal.settle(silence: 2)
    report.add(
      "screen: memory after all of this", try memory(of: terminal),
      against: "ours must ≤ 80 MB")
    report.add(
      "screen: wake-ups in ten idle seconds", try wakeUps(of: terminal),
      against: "ours must: the poll of the cloud; and libdispatch's own, each second")
    terminal.press("s", silence: 1)
    report.add(
      "screen: wake-ups in ten idle seconds with synchronization stopped",
      try wakeUps(of: terminal),
      against: "ours must: the clock, each minute; and libdispatch's own, each second")
  }

  private func memory(of terminal: Terminal) throws -> Measurement {
    Measurement(rounds: [try terminal.memory], unit: .bytes)
  }

  /// Three times ten seconds: in one of them the cloud's log may be folded.
  ///
  /// Threads that have ended meanwhile take their counts with them.
  private func wakeUps(of terminal: Terminal) throws -> Measurement {
    let counts = try (0..<3).map { _ in
      let before = try terminal.wakeUps
      terminal.settle(silence: 10)
      return try terminal.wakeUps.reduce(0) { $0 + max(0, $1.value - before[$1.key, default: 0]) }
    }
    return Measurement(rounds: counts.map(Double.init), unit: .times)
  }

  /// Up and down, a few rows at a time: each stroke writes the sign before the current row.
  private func strokes(in terminal: Terminal) throws -> Measurement {
    Measurement(
      rounds: try (0..<100).flatMap { _ in
        try (Array(repeating: "j", count: 5) + Array(repeating: "k", count: 5)).map {
          try terminal.press($0, until: Self.pointer)
        }
      })
  }

  private static let pointer = "▸"
}
