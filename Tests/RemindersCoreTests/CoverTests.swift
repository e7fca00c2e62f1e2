import Foundation
import GRDB
import RemindersImages
import SQLiteSync
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import RemindersCore

@Suite struct CoverTests {
  private func scene(_ scene: SampleScene = .lake, name: String = "a.png") throws -> CoverImage {
    try CoverImage(scene.png(), name: name, account: "ann", now: saturday)
  }

  @Test func `a cover says what it was made from, by whom and when`() throws {
    let facts = try #require(try scene(name: "Lac d'Annecy – été.png").facts)
    #expect(facts.format == .jpeg && facts.size == PixelSize(width: 960, height: 480))
    let origin = try #require(facts.origin)
    #expect(origin.name == "Lac d'Annecy – été.png" && origin.format == "PNG")
    #expect(origin.account == "ann" && origin.date == saturday)
    #expect(
      facts.parts(in: berlin()).first == "Lac d'Annecy – été.png"
        && facts.parts(in: berlin()).last == "ann Sat 21 Nov 14:32")
  }

  @Test func `what was not shrunk says its size once`() throws {
    var facts = try #require(scene().facts)
    let bytes = ByteCount.text(facts.byteCount)
    #expect(facts.parts(in: berlin())[1...2] == ["PNG 960 × 480", bytes])
    facts.origin?.width = 1_920
    #expect(facts.parts(in: berlin())[1...2] == ["PNG 1920 × 480", "kept as 960 × 480, \(bytes)"])
  }

  @Test func `a file is shrunk and left alone`() throws {
    let fixture = try Fixture()
    let file = fixture.directory.appending(path: "wide.png")
    let original = try SampleScene.hills.png()
    try original.write(to: file)
    let cover = try CoverImage(file: file.path, account: nil, now: saturday)
    #expect(try Data(contentsOf: file) == original)
    #expect(cover.facts?.origin?.name == "wide.png")
    let error = #expect(throws: ImageError.self) {
      try CoverImage(file: fixture.directory.path, account: nil, now: saturday)
    }
    #expect(error?.kind == .notAFile)
  }

  @Test(arguments: [
    "", "reminders cover ", "reminders cover {}", "reminders cover [1]",
    #"reminders cover {"format":"PNG","height":1,"name":"x","time":9223372036854775807,"width":1}"#,
  ])
  func `a comment that makes no sense is not said`(comment: String) throws {
    let jpeg = try ShrunkImage(
      SampleScene.town.png(), into: CoverImage.maximumSize, quality: 50
    ).jpeg
    let cover = CoverImage(JPEGComment.adding(comment, to: jpeg))
    let facts = try #require(cover.facts)
    #expect(facts.origin == nil)
    #expect(facts.text(in: berlin()).hasPrefix("JPEG 960 × 480, "))
  }

  @Test func `bytes that are no image have no facts`() {
    #expect(CoverImage(Data("text".utf8)).facts == nil)
    #expect(CoverImage(Data()).facts == nil)
  }

  @Test(arguments: [(0, "0 B"), (999, "999 B"), (182_400, "182 kB"), (1_449_999, "1.4 MB")])
  func `sizes are short`(count: Int, text: String) {
    #expect(ByteCount.text(count) == text)
  }

  @Test func `sample data comes with covers`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    for list in try fixture.database.fetch(ListsQuery()) {
      let cover = try #require(try fixture.database.fetch(CoverQuery(list.id)))
      #expect(cover.facts?.origin?.name.hasSuffix(".png") == true)
      #expect(cover.data.count < 60_000)
    }
  }

  @Test func `no other query reads the bytes of images`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    let statements = Mutex<[String]>([])
    try await fixture.database.writer.write { db in
      db.trace { event in statements.withLock { $0.append("\(event)") } }
    }
    let queries: [any Query] = [
      SidebarQuery(time: berlin()), ListsQuery(), ReminderListQuery(.all, time: berlin()),
      SearchQuery("x-ray", time: berlin()), SyncQuery(),
      ReminderQuery(try #require(try fixture.detail(.all).rows.first).id),
    ]
    let names = try await fixture.database.writer.write { db in
      for query in queries { _ = try query.fetch(db) }
      try FilterQuery([.all], time: berlin()).forEach(db) { _ in }
      let seen = statements.withLock { $0 }
      _ = try CoverQuery("x").fetch(db)
      #expect(statements.withLock { $0.last }?.contains("remindersListAssets") == true)
      return seen
    }
    #expect(names.count >= queries.count)
    let bytes = ["remindersListAssets", "coverImage", "bytes"]
    #expect(!names.contains { name in bytes.contains(where: name.contains) })
  }

  // MARK: - Two devices

  /// Two apps, each with an engine, over one cloud.
  private struct Pair {
    let ann: Fixture
    let ben: Fixture
    let engines: [SyncEngine]

    /// The cloud is in memory, or in a directory.
    init(directory: URL? = nil) throws {
      let store = MemoryStore()
      let fixtures = [try Fixture(), try Fixture()]
      engines = try fixtures.map { fixture in
        let account = try #require(AccountID(name: "ann"))
        let device = try fixture.database.fetch(SyncQuery()).device
        return try SyncEngine(
          for: fixture.database.writer, tables: AppDatabase.synchronizedTables,
          privateTables: AppDatabase.privateTables,
          cloud: directory.map {
            CloudContainer(directory: $0, account: account, device: device, app: "tests")
          } ?? CloudContainer(store: store, account: account, device: device, app: "tests"),
          startImmediately: false)
      }
      (ann, ben) = (fixtures[0], fixtures[1])
    }

    func settle() async throws {
      for _ in 0..<2 { for engine in engines { try await engine.syncChanges() } }
      #expect(try ann.contents() == ben.contents())
    }
  }

  private func cover(_ fixture: Fixture, _ list: RemindersList.ID) throws -> CoverImage? {
    try fixture.database.fetch(CoverQuery(list))
  }

  @Test func `a cover is set, replaced and cleared on every device`() async throws {
    let pair = try Pair()
    let list = try await pair.ann.database.addList(title: "Walks").id
    try await pair.settle()
    for image in [try scene(.lake), try scene(.hills), nil, try scene(.town)] {
      _ = try await pair.ann.database.editList(list, [.coverImage(image)])
      try await pair.settle()
      #expect(try cover(pair.ben, list) == image)
    }
  }

  @Test func `a title here and a cover there become one list`() async throws {
    let pair = try Pair()
    let list = try await pair.ann.database.addList(title: "Walks").id
    try await pair.settle()
    let lake = try scene(.lake)
    _ = try await pair.ann.database.editList(list, [.title("Hikes")])
    _ = try await pair.ben.database.editList(list, [.coverImage(lake)])
    try await pair.settle()
    #expect(try pair.ben.database.list(named: "Hikes").id == list)
    #expect(try cover(pair.ann, list) == lake)
  }

  @Test func `of two covers the one that was set later stays, whoever sends first`() async throws {
    for annSendsFirst in [true, false] {
      let pair = try Pair()
      let list = try await pair.ann.database.addList(
        title: "Walks", coverImage: try scene(.town)
      ).id
      try await pair.settle()
      let (lake, hills) = (try scene(.lake), try scene(.hills))
      _ = try await pair.ann.database.editList(list, [.coverImage(lake)])
      _ = try await pair.ben.database.editList(list, [.coverImage(hills)])
      let later = try latestEdit(pair) == .ann ? lake : hills
      let order = annSendsFirst ? pair.engines : pair.engines.reversed()
      for engine in order { try await engine.syncChanges() }
      try await pair.settle()
      #expect(try cover(pair.ann, list) == later)
    }
  }

  private enum Person { case ann, ben }

  /// Who edited last, by the clocks that the edits were written with.
  private func latestEdit(_ pair: Pair) throws -> Person? {
    func time(_ fixture: Fixture) throws -> Int64 {
      try fixture.database.writer.read {
        try Int64.fetchOne($0, sql: "SELECT max(at) FROM sync_edits") ?? 0
      }
    }
    let (ann, ben) = (try time(pair.ann), try time(pair.ben))
    return ann == ben ? nil : ann > ben ? .ann : .ben
  }

  @Test func `a cover in a list that was deleted elsewhere keeps the list`() async throws {
    let pair = try Pair()
    let list = try await pair.ann.database.addList(title: "Walks").id
    try await pair.settle()
    let lake = try scene(.lake)
    _ = try await pair.ann.database.deleteList(list)
    _ = try await pair.ben.database.editList(list, [.coverImage(lake)])
    try await pair.settle()
    let survives = try cover(pair.ann, list) == lake
    #expect(survives == (try pair.ann.database.fetch(ListsQuery()).count == 1))
  }

  @Test(arguments: ["gone", "shorter", "other bytes"])
  func `a cover whose file the cloud lost or damaged leaves the old one`(damage: String)
    async throws
  {
    let cloud = FileManager.default.temporaryDirectory
      .appending(path: "covers-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: cloud, withIntermediateDirectories: true)
    // Left-over temporary files say nothing about the app.
    defer { try? FileManager.default.removeItem(at: cloud) }
    let pair = try Pair(directory: cloud)
    let lake = try scene(.lake)
    let list = try await pair.ann.database.addList(title: "Walks", coverImage: lake).id
    try await pair.settle()
    let before = try assets(in: cloud)
    _ = try await pair.ann.database.editList(
      list, [.coverImage(try scene(.hills)), .title("Hikes")])
    try await pair.engines[0].syncChanges()
    let file = try #require(try assets(in: cloud).subtracting(before).first)
    let bytes = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    if damage == "shorter" { try bytes.dropLast(10).write(to: file) }
    if damage == "other bytes" { try Data(bytes.reversed()).write(to: file) }
    try await pair.engines[1].syncChanges()
    #expect(try pair.ben.database.list(named: "Hikes").id == list)
    #expect(try cover(pair.ben, list) == lake)
    // The next cover arrives as if nothing had been.
    _ = try await pair.ann.database.editList(list, [.coverImage(try scene(.town))])
    try await pair.settle()
    #expect(try cover(pair.ben, list)?.facts?.size == PixelSize(width: 960, height: 480))
  }

  /// The files beside the logs in a cloud.
  private func assets(in cloud: URL) throws -> Set<URL> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: cloud.path)
    return Set(
      paths.filter { $0.contains("/assets/") }.map { cloud.appending(path: $0) })
  }

  @Test func `clearing a cover deletes its row, and the history brings it back`() async throws {
    let pair = try Pair()
    let lake = try scene(.lake)
    let list = try await pair.ann.database.addList(title: "Walks", coverImage: lake).id
    try await pair.settle()
    _ = try await pair.ann.database.editList(list, [.coverImage(nil)])
    try await pair.settle()
    for device in [pair.ann, pair.ben] {
      let rows = try await device.database.writer.read { try RemindersListAsset.fetchCount($0) }
      #expect(rows == 0)
    }
    let entry = try #require(try pair.ben.database.fetch(HistoryQuery()).entries.first)
    let lost = StoredValue.bytes(lake.data.count)
    #expect(entry.content == .value(column: "coverImage", lost: lost, kept: .null))
    _ = try await pair.ben.database.restore([entry.id])
    try await pair.settle()
    #expect(try cover(pair.ann, list) == lake)
  }

  @Test func `undo brings the old cover back on every device`() async throws {
    let pair = try Pair()
    let lake = try scene(.lake)
    let list = try await pair.ann.database.addList(title: "Walks", coverImage: lake).id
    let step = try await pair.ann.database.editList(list, [.coverImage(nil)])
    try await pair.settle()
    #expect(try cover(pair.ben, list) == nil)
    _ = try await pair.ann.database.undo(step)
    try await pair.settle()
    #expect(try cover(pair.ben, list) == lake)
  }
}
