import ArgumentParser
import Foundation
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "check",
    abstract: "Verify the data on this device, and with --cloud everything in the cloud.",
    usage: "reminders check [--cloud [<dir>]] [--repair] [--json]",
    discussion: """
      For example: reminders check --cloud

      Says what is wrong, where, and what can be done; exits with 1 when something is damaged, or \
      keeps something from being synchronized.

      --cloud reads and verifies everything in the cloud, too: the one that is used, or <dir>.

      --repair does only what is proven to lose nothing: it makes the search index anew, takes in \
      rows that synchronization does not know, removes old leftovers that nobody names, puts lost \
      files back from copies with the right hash, and begins a broken log anew when this device \
      has everything that was in it. Everything else stays as it is.
      """)

  /// Whether the cloud is checked, and which.
  enum CheckedCloud: ExpressibleByArgument, CustomStringConvertible {
    case inUse
    case directory(String)

    init(argument: String) { self = .directory(argument) }

    var description: String {
      switch self {
      case .inUse: "the one that is used"
      case .directory(let directory): directory
      }
    }
  }

  @Option(
    // Not the default strategy, which forgets the value of --cloud=DIR before another option.
    defaultAsFlag: .inUse, parsing: .next,
    help: ArgumentHelp(
      "Verify the cloud, too: the one that is used (REMINDERS_CLOUD), or another.",
      valueName: "dir"))
  var cloud: CheckedCloud?
  @Flag(help: "Make the safe repairs.") var repair = false
  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
  @OptionGroup var device: DeviceOptions
  @Option(help: "Colours in the output: auto, always or never.")
  var color: ColorChoice?

  private var choices: GlobalChoices {
    var choices = device.ownChoices
    choices.color = color
    if case .directory(let directory) = cloud { choices.cloud = directory }
    return choices.or(.beforeCommand)
  }

  func run() async throws {
    let session = try Session(choices)
    var report = try CheckSummary(session, cloud: cloud != nil)
    if repair {
      var repaired: [String] = []
      // What is mended can tell what to do about something else.
      while case let paths = try report.repair(session), !Set(paths).isSubset(of: repaired) {
        repaired += paths
        report = try CheckSummary(session, cloud: cloud != nil)
      }
      report.repaired = repaired
    }
    if json {
      try JSONOutput.print(report)
    } else {
      try Output.write(report.lines)
    }
    if cloud != nil, !report.repaired.isEmpty {
      Messages.write("Now `reminders sync` on each device sends what the cloud lacks.")
    }
    let damaged = report.count(.damage)
    guard damaged == 0 else {
      throw AppError(
        .failed, damaged == 1 ? "One thing is damaged." : "\(damaged) things are damaged.",
        hint: report.hint)
    }
    guard report.count(.blocked) == 0 else {
      throw AppError(
        .failed, "Nothing is damaged, but this device cannot send anything to the cloud.",
        hint: "What is not sent stays here. Once the cloud can be written: reminders sync")
    }
  }
}

/// What was found; scripts rely on its shape in JSON.
private struct CheckSummary: Encodable {
  struct Finding: Encodable {
    let place: String
    let severity: String
    let path: String
    let problem: String
    let advice: String
    let isRepairable: Bool
  }

  struct Counts: Encodable {
    let zones: Int
    let commits: Int
    let records: Int
    let assets: Int
  }

  private(set) var findings: [Finding]
  private(set) var cloud: Counts?
  /// Findings that are not listed because they are too many.
  private(set) var omitted = 0
  /// The paths that were repaired.
  var repaired: [String] = []
  private let cloudReport: CheckReport?

  private enum CodingKeys: CodingKey {
    case findings, cloud, omitted, repaired
  }

  init(_ session: Session, cloud isCloudWanted: Bool) throws {
    findings = try session.database.check().map(Finding.init)
    guard isCloudWanted else {
      cloudReport = nil
      return
    }
    let report = try Self.report(session)
    cloudReport = report
    findings += report.findings.map(Finding.init)
    omitted = report.omitted
    cloud = Counts(
      zones: report.zones, commits: report.commits, records: report.records,
      assets: report.assets)
  }

  private static func report(_ session: Session) throws -> CheckReport {
    do {
      return try session.cloudCheck().run()
    } catch let error as CloudError where error.report.kind == .cloudUnreachable {
      guard try session.database.fetch(AccountQuery()).cloud == nil else { throw error }
      throw AppError(
        .cloudUnreachable, error.reason,
        hint: "This device has never synchronized: `reminders sync` makes a cloud that is not "
          + "there yet.")
    }
  }

  func count(_ severity: CheckFinding.Severity) -> Int {
    findings.count { $0.severity == severity.rawValue }
  }

  var hint: String? {
    findings.contains(where: \.isRepairable) ? "`--repair` can do something about it." : nil
  }

  /// Repairs what can be repaired, and returns the paths.
  func repair(_ session: Session) throws -> [String] {
    let database = findings.filter { $0.place == Finding.database && $0.isRepairable }
    if !database.isEmpty { try session.database.repair() }
    let container = try session.container()
    let cloud = cloudReport?.findings.filter(\.isRepairable) ?? []
    for finding in cloud {
      try CloudRepair(container, bytes: session.heldBytes).repair(finding)
    }
    return database.map(\.path) + cloud.map(\.path)
  }

  var lines: [String] {
    let repairs = repaired.map { "repaired  \($0)" }
    let found = findings.flatMap { finding in
      [
        "\(finding.severity)  \(finding.path)", "  \(finding.problem)", "  \(finding.advice)",
      ]
    }
    let more = omitted > 0 ? ["… and \(omitted) more."] : []
    return (repairs + found + more + [summary]).map(\.printable)
  }

  private var summary: String {
    let places =
      cloud.map {
        "this device and \(counted($0.zones, "zone")) with \(counted($0.commits, "commit")), "
          + "\(counted($0.records, "record")) and \(counted($0.assets, "asset"))"
      } ?? "this device"
    let result = findings.isEmpty ? "all in order" : counted(findings.count, "finding")
    return "Checked \(places): \(result)."
  }
}

extension CheckSummary.Finding {
  static let database = "database"

  fileprivate init(_ finding: DatabaseFinding) {
    self.init(
      place: Self.database, severity: finding.severity.rawValue, path: finding.place,
      problem: finding.problem, advice: finding.advice.namingCommands(repair: "--repair"),
      isRepairable: finding.isRepairable)
  }

  fileprivate init(_ finding: CheckFinding) {
    self.init(
      place: "cloud", severity: finding.severity.rawValue, path: finding.path,
      problem: finding.problem, advice: finding.advice.namingCommands(repair: "--repair"),
      isRepairable: finding.isRepairable)
  }
}

extension Session {
  fileprivate func container() throws -> CloudContainer {
    try container(database.fetch(IdentityQuery()))
  }

  fileprivate func cloudCheck() throws -> CloudCheck {
    let known = try database.fetch(IdentityQuery())
    return try CloudCheck(
      container(known), holding: database.fetch(CloudStateQuery()), of: known.account.cloud,
      following: database.fetch(FollowedZonesQuery()), bytes: heldBytes)
  }

  /// The bytes of an asset that a row here has.
  fileprivate func heldBytes(_ sha256: String) throws -> Data? {
    try database.fetch(AssetBytesQuery(sha256: sha256))
  }
}
