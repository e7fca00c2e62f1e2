import Foundation
import Reminders
import Terminal
import TestSupport
import Testing

@testable import RemindersUI

/// Random keys, clicks, pastes and sizes: nothing traps, and what is shown is what is stored.
@MainActor
struct StormTests {
  @Test(arguments: seeds)
  func anyKeysLeaveTheStateConsistent(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let driver = try await Driver(sampleData: seed.isMultiple(of: 2))
    for step in 1...count {
      driver.device.send(event(&random))
      // Sometimes the app is given time, and sometimes keys pile up.
      if random.next() % 4 == 0 { await driver.app.settled() }
      if random.next() % 50 == 0 { await driver.pass(seconds: Double(random.next() % 8)) }
      if driver.app.state.isQuitting { break }
      if step % 20 == 0 { try await check(driver, seed, step) }
    }
    await driver.app.settled()
    try await check(driver, seed, count)
  }

  private func check(_ driver: Driver, _ seed: UInt64, _ step: Int) async throws {
    await driver.app.settled()
    let state = driver.app.state
    let place = Comment("SEED=\(seed) step \(step)")
    let stored = try state.subscriptions.reminders.map { try driver.database.fetch($0) }
    #expect(state.home.shown?.detail == stored, place)
    #expect(state.home.sidebar == (try driver.database.fetch(state.subscriptions.sidebar)), place)
    let selected = state.home.reminders.selected
    #expect(selected == nil ? state.home.rows.isEmpty : state.home.currentRow != nil, place)
    let all = try state.subscriptions.reminders.map { try driver.database.fetch(IDsQuery($0)) }
    #expect(state.home.marks.isSubset(of: all ?? []), place)
    #expect(driver.device.frame?.surface.size == state.size, place)
    let cursor = driver.device.frame?.cursor
    #expect(cursor.map { state.layout.body.contains($0) } ?? true, place)
  }

  private func event(_ random: inout SplitMix64) -> TerminalEvent {
    switch random.next() % 40 {
    case 0:
      let size = Size(columns: Int(random.next() % 160), rows: Int(random.next() % 50))
      return .resize(size)
    case 1: return .paste("pasted 日本 👩‍👩‍👧 line\nand\tanother")
    case 2:
      let point = Point(column: Int(random.next() % 100), row: Int(random.next() % 30))
      let kinds: [MouseEvent.Kind] = [.click, .wheelUp, .wheelDown]
      return .mouse(MouseEvent(kinds[Int(random.next() % 3)], at: point))
    default: return .key(keys[Int(random.next() % UInt64(keys.count))])
    }
  }

  /// All keys of the table but those that end or leave the app, and some text.
  private let keys: [Key] =
    Command.all.filter { ![.quit, .suspend].contains($0.id) }.flatMap(\.keys)
    .flatMap { Key.sequence($0) ?? [] } + "bread tue #home !! 日é".map { Key.character($0) }

  /// `STORM` keys for each seed; the usual number keeps the suite quick.
  private let count = ProcessInfo.processInfo.environment["STORM"].flatMap(Int.init) ?? 300

  private nonisolated static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["SEED"].flatMap(UInt64.init).map { [$0] } ?? [1, 2, 3, 4]
}
