import GRDB
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Devices that count, collect and write at random in columns with merge policies, over one cloud
/// and through crashes, lost answers and folded logs: in the end every edit counts, and counts
/// once.
///
/// Everything follows from the seed.
struct MergeSimulation {
  /// What went wrong, and how to see it again.
  struct Violation: Error, CustomStringConvertible {
    let seed: UInt64
    let step: Int
    let what: String

    var description: String {
      "seed \(seed), step \(step): \(what)\nReplay: make simulate-merges MERGE_SEED=\(seed)"
    }
  }

  static let schema = Schema(
    sql: """
      CREATE TABLE counters (
        id TEXT PRIMARY KEY NOT NULL,
        value INTEGER NOT NULL DEFAULT 0,
        peak INTEGER NOT NULL DEFAULT 0,
        tags TEXT NOT NULL DEFAULT '[]',
        notes TEXT NOT NULL DEFAULT '',
        name TEXT NOT NULL DEFAULT ''
      ) STRICT
      """, tables: ["counters"])

  static let policies: [String: [String: MergePolicy]] = [
    "counters": ["value": .counter, "peak": .max, "tags": .union, "notes": .text]
  ]

  private static let keys = ["a", "b", "c"]

  /// What a row must be in the end.
  private struct Expected {
    var sum: Int64 = 0
    var peak: Int64 = 0
    var tags: Set<String> = []
    var lines: Set<String> = []
  }

  private final class Member {
    let device: Device
    let process: SimulatedProcess
    var needsOpening = false

    init(_ fleet: Fleet, seed: UInt64, births: Births, commits: Int) throws {
      process = SimulatedProcess(cloud: fleet.store, seed: seed, births: births)
      device = try fleet.device(store: process.store, commitsPerTransaction: commits)
      process.observe(device.database)
    }
  }

  let seed: UInt64
  private(set) var trace: [String] = []
  /// The conflicts that were merged.
  private(set) var merged = 0
  private let steps: Int
  private let fleet: Fleet
  private let births: Births
  private let chances: RandomFaults.Chances
  private let commitsPerTransaction: Int
  private var members: [Member] = []
  private var random: SplitMix64
  private var expected: [String: Expected] = [:]
  private var next = 0

  init(seed: UInt64, steps: Int) throws {
    self.seed = seed
    self.steps = steps
    random = SplitMix64(seed: seed)
    let clock = TestClock(seed: seed)
    births = Births(clock: clock)
    fleet = try Fleet(
      store: MemoryStore(now: clock.server(seed: seed)), schema: Self.schema, clock: clock
    ) { $0.mergePolicies = Self.policies }
    chances = RandomFaults.Chances(using: &random)
    commitsPerTransaction = [1, 3, 64].randomElement(using: &random) ?? 64
    for _ in 0..<Int.random(in: 2...4, using: &random) { try join() }
  }

  /// Runs the schedule, heals, and checks.
  mutating func run() throws {
    for step in 0..<steps {
      do {
        try act()
      } catch {
        throw Violation(seed: seed, step: step, what: "\(trace.last ?? ""): \(error)")
      }
    }
    do {
      try heal()
      try check()
    } catch let violation as Violation {
      throw violation
    } catch {
      throw violation("healing: \(error)")
    }
  }

  private mutating func join() throws {
    trace.append("\(members.count) joins")
    let member = try Member(
      fleet, seed: random.next(), births: births, commits: commitsPerTransaction)
    member.process.expose(to: chances)
    members.append(member)
  }

  // MARK: - The schedule

  private mutating func act() throws {
    let number = Int.random(in: 0..<members.count, using: &random)
    let member = members[number]
    guard !member.process.isDead else {
      if Int.random(in: 0..<3, using: &random) == 0 { try relaunch(member, number) }
      return
    }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<48: try edit(member, number)
    case ..<64: try work(member, "\(number) sync") { try $0.sync() }
    case ..<72: try work(member, "\(number) fetch") { try $0.fetch() }
    case ..<80: try work(member, "\(number) send") { try $0.send() }
    case ..<85: try crash(member, number)
    case ..<88: try relaunch(member, number)
    case ..<92: try checkpoint(member, number)
    case ..<94: if members.count < 6 { try join() }
    case ..<97:
      member.process.weather = RandomFaults.Weather.allCases.randomElement(using: &random) ?? .fine
    default:
      fleet.clock.advance(
        milliseconds: [100, 60_000, 3_600_000].randomElement(using: &random) ?? 0)
      member.device.skew = Int64.random(in: -86_400_000...86_400_000, using: &random)
    }
  }

  private mutating func edit(_ member: Member, _ number: Int) throws {
    let key = Self.keys.randomElement(using: &random) ?? ""
    next += 1
    let id = next
    var wanted = expected[key] ?? Expected()
    let kind = Int.random(in: 0..<10, using: &random)
    let amount = Int64.random(in: -9...20, using: &random)
    trace.append("\(number) edit \(id) of \(key): \(kind) \(amount)")
    try member.device.write { db in
      try db.execute(
        sql: "INSERT INTO counters (id) VALUES (?) ON CONFLICT DO NOTHING", arguments: [key])
      func set(_ assignment: String, _ value: any DatabaseValueConvertible) throws {
        try db.execute(
          sql: "UPDATE counters SET \(assignment) WHERE id = ?2", arguments: [value, key])
      }
      switch kind {
      case ..<5:
        try set("value = value + ?1", amount)
        wanted.sum += amount
      case 5:
        try set("peak = max(peak, ?1)", amount)
        wanted.peak = max(wanted.peak, amount)
      case 6:
        try set("tags = json_insert(tags, '$[#]', ?1)", "\(id)")
        wanted.tags.insert("\(id)")
      case 7:
        let tag = try String.fetchOne(
          db, sql: "SELECT min(j.value) FROM counters, json_each(tags) j WHERE counters.id = ?",
          arguments: [key])
        guard let tag else { break }
        try set(
          "tags = (SELECT json_group_array(j.value) FROM json_each(tags) j WHERE j.value <> ?1)",
          tag)
        wanted.tags.remove(tag)
      case 8:
        try set("notes = notes || char(10) || ?1", "line \(id)")
        wanted.lines.insert("line \(id)")
      default: try set("name = ?1", "\(id)")
      }
    }
    expected[key] = wanted
  }

  private mutating func work(
    _ member: Member, _ name: String, _ body: (Device) throws -> Void
  ) throws {
    trace.append(name)
    do {
      if member.needsOpening { try member.device.synchronizer.open() }
      member.needsOpening = false
      try body(member.device)
    } catch let error as CloudError where SimulatedProcess.isFault(error) {
      trace.append("  \(error.code)\(member.process.isDead ? ", dies" : "")")
    }
  }

  private mutating func crash(_ member: Member, _ number: Int) throws {
    let moment: CommitCrash.Moment = Bool.random(using: &random) ? .before : .after
    let commit = Int.random(in: 1...4, using: &random)
    member.process.willDie(atCommit: commit, moment)
    try work(member, "\(number) sync, dies \(moment) commit \(commit)") { try $0.sync() }
    member.process.willLive()
  }

  private mutating func relaunch(_ member: Member, _ number: Int) throws {
    member.process.quit()
    member.needsOpening = true
    try member.device.reinstall()
    try work(member, "\(number) relaunch") { _ in }
  }

  /// Folds often, and keeps little: who is away for long has to fetch everything again.
  private mutating func checkpoint(_ member: Member, _ number: Int) throws {
    var policy = MaintenancePolicy.standard
    policy.commits = 3
    policy.bytes = 0
    policy.keptCommits = Int64.random(in: 0...2, using: &random)
    policy.keptCommitAge = 0
    policy.announcement = 0
    let chosen = policy
    try work(member, "\(number) checkpoint") { _ = try $0.zone.maintain(chosen) }
  }

  // MARK: - The end

  private mutating func heal() throws {
    for (number, member) in members.enumerated() {
      member.process.expose(to: RandomFaults.Chances())
      member.process.weather = .fine
      member.process.store.landLate()
      member.device.skew = 0
      if member.process.isDead { try relaunch(member, number) }
    }
    fleet.clock.advance(milliseconds: 3 * 86_400_000)
    for _ in 0..<10 {
      fleet.clock.advance(milliseconds: 600_000)
      for member in members { try work(member, "heal") { try $0.sync() } }
      if try isQuiet() { return }
    }
    let unrest = try members.map { member in
      try "\(member.device.counts()) \(member.device.rows("SELECT * FROM sync_pending")) "
        + "\(member.device.rows("SELECT * FROM sync_bases"))"
    }
    throw violation("not quiet: " + unrest.joined(separator: "\n"))
  }

  private func isQuiet() throws -> Bool {
    let tokens = try members.map { try $0.device.rows("SELECT token FROM sync_zones") }
    return try Set(tokens).count == 1
      && members.allSatisfy { try $0.device.counts() == SyncCounts() }
  }

  private mutating func check() throws {
    let cloud = try CloudImage(cloud: members[0].device.zone)
    for (number, member) in members.enumerated() {
      if let differences = try CloudImage(of: member.device).differences(from: cloud) {
        throw violation("\(number) differs from the cloud: \(differences)")
      }
      let bases = try member.device.rows("SELECT * FROM sync_bases")
      if !bases.isEmpty { throw violation("\(number) has bases: \(bases)") }
      try checkRows(of: member, number)
      merged += try member.device.database.read {
        try SyncHistory.entries($0, onlyConflicts: true).count(where: \.isMerged)
      }
    }
  }

  private func checkRows(of member: Member, _ number: Int) throws {
    try member.device.database.read { db in
      for row in try Row.fetchAll(db, sql: "SELECT * FROM counters") {
        let key: String = row["id"]
        let wanted = expected[key] ?? Expected()
        let tags = try String.fetchAll(
          db, sql: "SELECT value FROM json_each(?)", arguments: [row["tags"] as String])
        let lines = (row["notes"] as String).split(separator: "\n").map(String.init)
        let found: [(String, Bool)] = [
          ("\(row["value"] as Int64) instead of \(wanted.sum)", row["value"] == wanted.sum),
          ("peak \(row["peak"] as Int64) instead of \(wanted.peak)", row["peak"] == wanted.peak),
          ("tags \(tags) instead of \(wanted.tags)", Set(tags) == wanted.tags),
          ("lines \(lines) without some of \(wanted.lines)", wanted.lines.isSubset(of: lines)),
        ]
        for (what, isRight) in found where !isRight {
          throw violation("\(number) has \(key) with \(what)")
        }
      }
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM counters")
      if count != expected.count { throw violation("\(number) has \(count ?? 0) rows") }
    }
  }

  private func violation(_ what: String) -> Violation {
    Violation(seed: seed, step: steps, what: what)
  }
}
