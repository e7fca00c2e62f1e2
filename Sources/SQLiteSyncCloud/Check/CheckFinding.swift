/// One thing that is not as it should be: where it is, how bad it is, and what can be done.
public struct CheckFinding: Hashable, Sendable {
  /// How bad a finding is.
  public enum Severity: String, Hashable, Comparable, Sendable, CaseIterable {
    /// Nothing is wrong with the data: a leftover, a file of somebody else.
    case note
    /// The data is whole, and something should be done or known.
    case warning
    /// The data is whole, and nothing can be sent to where it is.
    case blocked
    /// Data is missing or altered, or cannot be read or synchronized.
    case damage

    /// Whether the left one is less bad.
    public static func < (left: Severity, right: Severity) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// How bad it is.
  public let severity: Severity
  /// The path below the cloud's directory.
  public let path: String
  /// What is wrong, in a sentence.
  public let problem: String
  /// What can be done, in a sentence.
  public let advice: String
  /// What a repair does about it; nil when that is for people to decide.
  let repair: CheckRepair?

  /// Whether a repair would do something about it.
  public var isRepairable: Bool { repair != nil }
}

/// What is proven to help.
enum CheckRepair: Hashable, Sendable {
  /// Nobody can need the file any more.
  case remove(StoreKey)
  /// The right bytes, which a hash in another file tells, lie in `copy`.
  case restore(StoreKey, from: StoreKey, in: ZoneLayout)
  /// This device has the bytes of an asset that is missing or altered.
  case publish(StoreKey, ContentHash, in: ZoneLayout)
  /// This device holds all that the log held: the log begins anew, and the devices upload.
  case beginAnew(ZoneID)
  /// The file is none of the log's, and lies where a commit is to come.
  case setAside(StoreKey, in: ZoneLayout)
  /// The file lies in the place of a directory.
  case clear(StoreKey, in: ZoneLayout)
  /// The directories of the zone let in others than its share says.
  case protect(ZoneID)
  /// `CLOUD.json` is missing or junk, and this device knows the id that it had.
  case nameCloud(id: String)
}

/// What a check of a cloud came to.
public struct CheckReport: Sendable {
  /// What was found, in the order of the paths.
  public internal(set) var findings: [CheckFinding] = []
  /// Findings beyond `CloudLimits.findings`, which are counted and not kept.
  public internal(set) var omitted = 0
  /// The zones that were read.
  public internal(set) var zones = 0
  /// The commits that were read.
  public internal(set) var commits = 0
  /// The living records and tombstones at the ends of the logs.
  public internal(set) var records = 0
  /// The assets that were read and compared with their hashes.
  public internal(set) var assets = 0

  /// How bad the worst finding is; nil when there is none.
  public var worst: CheckFinding.Severity? { findings.map(\.severity).max() }
}

/// Collects what a check finds.
///
/// Bounded: a directory with a million foreign files is told in a thousand notes, and hides no
/// damage.
final class CheckNotes {
  private(set) var report = CheckReport()
  private var counts: [CheckFinding.Severity: Int] = [:]

  func add(
    _ severity: CheckFinding.Severity, _ path: some CustomStringConvertible, _ problem: String,
    _ advice: String, repair: CheckRepair? = nil
  ) {
    add(
      CheckFinding(
        severity: severity, path: "\(path)", problem: problem, advice: advice, repair: repair))
  }

  func add(_ finding: CheckFinding) {
    let count = counts[finding.severity, default: 0]
    guard count < CloudLimits.findings else {
      report.omitted += 1
      return
    }
    counts[finding.severity] = count + 1
    report.findings.append(finding)
  }

  /// Counts what was read.
  func count(_ change: (inout CheckReport) -> Void) {
    change(&report)
  }

  /// Brings in what was found elsewhere.
  func add(_ other: CheckReport, only: (CheckFinding) -> Bool = { _ in true }) {
    for finding in other.findings where only(finding) { add(finding) }
    report.omitted += other.omitted
    report.zones += other.zones
    report.commits += other.commits
    report.records += other.records
    report.assets += other.assets
  }
}
