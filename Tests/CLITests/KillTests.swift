import Foundation
import SQLiteSyncCloudConformance
import Synchronization
import Testing

/// `reminders sync`, killed without warning, again and again.
@Suite struct KillTests {
  static let devices = 4
  static let rounds = 10
  static let killsPerRound = 5

  @Test func `what a killed sync leaves behind is there exactly once`() throws {
    let desk = try Program()
    let programs = [desk] + (1..<Self.devices).map { Program(beside: desk, device: "device\($0)") }
    let clock = ContinuousClock()
    let typical =
      try clock.measure {
        for program in programs { try #require(program.run("sync").status == 0) }
      } / Self.devices
    let kills = Mutex(0)
    inThreads(Self.devices) { number in
      do {
        for round in 0..<Self.rounds {
          try programs[number].run("add", "\(number) \(round)")
          var killed = 0
          while killed < Self.killsPerRound {
            // Later than it usually takes, too: it may be slower than usual.
            let moment = typical * Double.random(in: 0...1.2)
            if try programs[number].kill(after: moment, "sync") { killed += 1 }
          }
          kills.withLock { $0 += killed }
        }
      } catch {
        Issue.record(error)
      }
    }
    #expect(kills.withLock { $0 } >= 200)

    for _ in 1...2 {
      for program in programs { #expect(try program.run("sync").status == 0) }
    }
    let expected = (0..<Self.devices).flatMap { number in
      (0..<Self.rounds).map { "\(number) \($0)" }
    }
    for program in programs {
      let listed: [[String: Any]] = try program.json(["list", "--json"])
      #expect(listed.compactMap { $0["title"] as? String }.sorted() == expected.sorted())
      let status: [String: Any] = try program.json(["status", "--json"])
      #expect(status["pending"] as? Int == 0)
    }
  }
}

extension Program {
  /// Runs the program and kills it at a moment; returns whether it was still running then.
  func kill(after moment: Duration, _ arguments: String...) throws -> Bool {
    let process = try start(arguments)
    let nanoseconds = Int(moment / .nanoseconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }
}
