import Foundation
import GRDB
import RemindersTestSupport

@testable import SQLiteSync

/// One device of a simulation: its database and engine, its own faulty way to the cloud, its clock,
/// and whether its process lives.
final class SimulatedDevice {
  /// How its wall clock is wrong.
  enum WallClock {
    /// By so many milliseconds.
    case ahead(Int64)
    /// It was right at a time, and runs faster or slower since by so many of a thousand.
    case drifting(since: Int64, perMille: Int64)
    /// It shows this time for ever.
    case stuck(at: Int64)
  }

  let number: Int
  let device: Device
  var version: SimulatedSchema.Version
  var wallClock = WallClock.ahead(0)
  let process: SimulatedProcess
  private let clock: TestClock
  private let directory: TemporaryDirectory?
  /// The connection of another program, which runs on whatever becomes of the app.
  private var otherProgram: DatabaseQueue?
  private var needsOpening = false

  /// A device that was just bought; it works until its process is exposed to faults.
  init(
    number: Int, fleet: Fleet, version: SimulatedSchema.Version, swarm: Swarm, seed: UInt64,
    births: Births
  ) throws {
    self.number = number
    self.version = version
    clock = fleet.clock
    process = SimulatedProcess(cloud: fleet.store, seed: seed, births: births)
    directory = swarm.isOnDisk && number == 0 ? try TemporaryDirectory() : nil
    device = try fleet.device(
      schema: SimulatedSchema.schema(version), path: directory.map(Self.path) ?? ":memory:",
      image: SimulatedSchema.image(version), store: process.store,
      commitsPerTransaction: swarm.commitsPerTransaction)
    process.observe(device.database)
  }

  private static func path(in directory: TemporaryDirectory) -> String {
    directory.url.appending(path: "app.sqlite").path
  }

  // MARK: - What it does

  /// Writes as the app does.
  func write(_ body: (Database) throws -> Void) throws {
    try setClock()
    try device.write(body)
  }

  /// Writes as another program does, through a connection of its own.
  func writeFromElsewhere(_ body: (Database) throws -> Void) throws {
    guard let directory else { return }
    try setClock()
    clock.advance()
    let other = try otherProgram ?? DatabaseQueue(path: Self.path(in: directory))
    otherProgram = other
    try other.write { db in
      try db.cachedStatement(sql: "UPDATE test_clock SET now = ?")
        .execute(arguments: [clock.now + device.skew])
      try body(db)
    }
  }

  /// Lets the engine work.
  func work(_ body: (Device) throws -> Void) throws {
    if needsOpening { try device.synchronizer.open() }
    needsOpening = false
    try body(device)
  }

  /// Ends the process.
  ///
  /// Its database is as it left it.
  func quit() {
    process.quit()
    needsOpening = true
  }

  /// Starts the process again.
  func launch(as version: SimulatedSchema.Version? = nil) throws {
    let database = device.database
    let upgrades = version == .new && self.version == .old
    try device.reinstall(
      tables: upgrades ? SimulatedSchema.tables(.new) : nil,
      migrate: { if upgrades { try $0.execute(sql: SimulatedSchema.upgrade) } })
    if upgrades {
      self.version = .new
      try audit()
    }
    if device.database !== database { process.observe(device.database) }
    try device.synchronizer.open()
    needsOpening = false
  }

  private func audit() throws {
    try device.database.write { db in
      try SimulatedSchema.audit(device.synchronizer.tables.tables, in: db)
    }
  }

  private func setClock() throws {
    switch wallClock {
    case .ahead(let milliseconds): device.skew = milliseconds
    case .drifting(let since, let perMille):
      device.skew = (clock.now - since) * perMille / 1_000
    // The write itself comes a millisecond later.
    case .stuck(let time): device.skew = time - clock.now - 1
    }
  }
}
