import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Records that are written table by table end as if they had been merged one by one.
struct PlainPageTests {
  private static let environment = ProcessInfo.processInfo.environment

  /// More of them: PLAIN_SEEDS=n, PLAIN_FROM=n.
  private static let seeds: ClosedRange<UInt64> = {
    let first = environment["PLAIN_FROM"].flatMap(UInt64.init) ?? 1
    return first...(first + (environment["PLAIN_SEEDS"].flatMap(UInt64.init) ?? 30) - 1)
  }()

  @Test(arguments: [0, 1] as [UInt64])
  func plainPagesLeaveWhatMergesLeave(lane: UInt64) throws {
    for seed in Self.seeds where seed % 2 == lane {
      let merged = try Self.outcome(seed, plainRun: .max)
      for plainRun in [1, 3] {
        let plain = try Self.outcome(seed, plainRun: plainRun)
        #expect(plain.trace == merged.trace, "seed \(seed)")
        for (number, (one, other)) in zip(plain.devices, merged.devices).enumerated() {
          for (table, rows) in other {
            #expect(one[table] == rows, "seed \(seed), device \(number), \(table)")
          }
          #expect(Set(one.keys) == Set(other.keys))
        }
      }
    }
  }

  private static func outcome(
    _ seed: UInt64, plainRun: Int
  ) throws -> (trace: [String], devices: [[String: [String]]]) {
    var simulation = try Simulation(seed: seed, steps: 80, plainRun: plainRun)
    try simulation.run()
    return (simulation.trace, try simulation.devices.map { try contents(of: $0.device) })
  }

  /// Every table but those inside the search index, with the numbers of the rows.
  private static func contents(of device: Device) throws -> [String: [String]] {
    let names = try device.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'search_*'")
    return try names.reduce(into: [:]) { contents, name in
      // The number of the file, which the device's identity goes with, is new in each run.
      let columns = name == "sync_state" ? "device, account, isApplying" : "rowid, *"
      contents[name] = try device.rows(
        "SELECT \(columns) FROM \(name.quotedIdentifier) ORDER BY 1")
    }
  }
}
