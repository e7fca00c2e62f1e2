import Foundation
import SQLiteSync
import SQLiteSyncCloud

/// The same cloud in each store, beside a directory.
///
/// `SSH_TEST_URL`, `S3_TEST_URL` and `POSTGRES_TEST_URL` name the places: see `Tests/stores.sh`.
///
/// What is not named is left out.
struct StoreBenchmarks {
  /// Commits whose time is taken, each with one edit.
  private static let commits = 200
  /// Edits that travel from device to device, and how long all of them may take.
  private static let edits = 20
  private static let patience = Duration.seconds(60)

  /// One kind of store.
  private struct Kind {
    let name: String
    let account: AccountID
    let connect: () throws -> any ObjectStore
  }

  func run(into report: inout Report) async throws {
    let place = try Place()
    for kind in try Self.kinds(beside: place) {
      try commit(kind, into: &report)
      try await deviceToDevice(kind, into: &report)
      try download(kind, into: &report)
      try await edit(kind, into: &report)
    }
  }

  private static func kinds(beside place: Place) throws -> [Kind] {
    let environment = ProcessInfo.processInfo.environment
    let user = AccountID(userID: getuid())
    var kinds = [
      Kind(name: "directory", account: user) { DirectoryStore(directory: place.url) }
    ]
    if let address = environment["SSH_TEST_URL"].flatMap(SSHAddress.init) {
      try SFTPStore(address).makeRoot()
      kinds.append(Kind(name: "ssh", account: user) { SFTPStore(address) })
    }
    if let address = environment["S3_TEST_URL"].flatMap(S3Address.init) {
      kinds.append(Kind(name: "s3", account: "bench") { S3Store(address) })
    }
    if let address = environment["POSTGRES_TEST_URL"].flatMap(PostgresAddress.init),
      let account = address.role.flatMap(AccountID.init(name:))
    {
      kinds.append(Kind(name: "postgres", account: account) { PostgresStore(address) })
    }
    return kinds
  }

  private func zone(_ kind: Kind, _ name: String) throws -> ZoneLog {
    let container = CloudContainer(
      store: try kind.connect(), account: kind.account, device: UUID(), app: "bench")
    try container.open()
    return container.zone(ZoneID(name: name, owner: kind.account))
  }

  private func commit(_ kind: Kind, into report: inout Report) throws {
    let zone = try zone(kind, "commits")
    try zone.create()
    let records = CloudBenchmarks(rounds: 1)
    var token: ChangeToken?
    let times = try (0..<Self.commits).map { number in
      try Stopwatch.wall {
        token = try zone.modify(
          [records.change(number)], after: token, view: CloudBenchmarks.nothing, atomically: true
        ).changes.token
      }
    }
    let measured = Measurement(rounds: times)
    report.add(
      "\(kind.name): a commit, of \(Self.commits)", measured, as: measured.percentiles,
      against: "the directory above")
  }

  private func download(_ kind: Kind, into report: inout Report) throws {
    let records = CloudBenchmarks(rounds: 1)
    _ = try records.upload(to: zone(kind, "records"))
    let (seconds, _) = try records.download(from: zone(kind, "records"))
    report.add(
      "\(kind.name): first download of 100,000 records in commits of 400",
      Measurement(rounds: [seconds]), against: "the directory above")
  }

  private func site(
    _ kind: Kind, zone: String, store: (any ObjectStore)? = nil, starts: Bool, rows: Int = 0
  ) throws -> Site {
    var configuration = SyncConfiguration()
    configuration.zone = zone
    return try Site(
      store: store ?? kind.connect(), account: kind.account, configuration: configuration,
      starts: starts, rows: rows)
  }

  private func deviceToDevice(_ kind: Kind, into report: inout Report) async throws {
    let ann = try site(kind, zone: "live", starts: true, rows: 1)
    let ben = try site(kind, zone: "live", starts: true)
    let times = try await Site.latencies(
      from: ann, to: ben, edits: Self.edits, patience: Self.patience)
    report.add(
      "\(kind.name): device to device, \(times.count) edits", Measurement(rounds: times),
      against: "the directory above")
    for site in [ann, ben] { site.engine.stopAndWait() }
  }

  /// What one edit asks of the store: to be sent, and to be fetched by another device.
  private func edit(_ kind: Kind, into report: inout Report) async throws {
    let (sending, fetching) = (
      CountedStore(try kind.connect()), CountedStore(try kind.connect())
    )
    let ann = try site(kind, zone: "edit", store: sending, starts: false, rows: 1)
    let ben = try site(kind, zone: "edit", store: fetching, starts: false)
    for engine in [ann.engine, ben.engine, ann.engine] { try await engine.syncChanges() }
    try await ann.database.write { try Workload.update(0..<1, in: $0) }
    _ = (sending.takeCount(), fetching.takeCount())
    try await ann.engine.syncChanges()
    try await ben.engine.syncChanges()
    for (what, store) in [("sent", sending), ("fetched", fetching)] {
      let count = store.takeCount()
      report.add(
        "\(kind.name): one edit \(what), calls of the store",
        Measurement(
          rounds: [Double(count.reads + count.creates + count.others)], unit: .times),
        as: "\(count.reads) reads (\(count.read) B), \(count.creates) creates "
          + "(\(count.written) B), \(count.others) others", against: "the directory above")
    }
  }
}
