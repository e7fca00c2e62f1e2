import Foundation
import Testing

@testable import RemindersCore

/// Imports that are undone where other devices have imported the same file.
@Suite struct ImportUndoTests {
  private typealias Device = SeriesSyncTests.Device

  private let fleet = SeriesSyncTests()

  private func importFile(on device: Device) async throws -> UndoStep {
    let batch = try ImportFormat.read(
      Data("(A) one\ntwo\n".utf8), as: .todotxt, name: "todo.txt", in: berlin())
    device.clock.advance(by: 60)
    return try await device.database.addImported(batch, into: nil).undo
  }

  private func titles(on device: Device) throws -> [String] {
    try device.database.fetch(ReminderListQuery(.all, time: berlin())).rows.map(\.title).sorted()
  }

  /// Whether the other device has imported earlier or later, both have the same two reminders.
  @Test(arguments: [0, 1])
  func `what another device imported, too, is left`(later: Int) async throws {
    let devices = try fleet.devices([.current, .current])
    _ = try await fleet.begin("every week", devices)
    devices[later].clock.advance(by: 3600)
    let step = try await importFile(on: devices[0])
    _ = try await importFile(on: devices[1])
    for device in devices.reversed() { try await device.sync() }
    try await fleet.settle(devices)
    let inverse = try await devices[0].database.undo(step)
    #expect(inverse.keptCount == 2)
    try await fleet.settle(devices)
    for device in devices { #expect(try titles(on: device) == ["Bins", "one", "two"]) }
  }

  @Test func `what another device only has by synchronization goes`() async throws {
    let devices = try fleet.devices([.current, .current])
    _ = try await fleet.begin("every week", devices)
    let step = try await importFile(on: devices[0])
    try await fleet.settle(devices)
    let other = try await importFile(on: devices[1])
    try await fleet.settle(devices)
    #expect(other.isEmpty)
    let inverse = try await devices[0].database.undo(step)
    #expect(inverse.keptCount == nil)
    try await fleet.settle(devices)
    for device in devices { #expect(try titles(on: device) == ["Bins"]) }
  }
}
