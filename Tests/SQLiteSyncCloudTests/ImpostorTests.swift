import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Something else in the place of a file, wherever the cloud has files: it is not followed, not
/// waited for, and not read beyond its limit.
@Suite struct ImpostorTests {
  enum Impostor: CaseIterable, Sendable {
    case fifo, directory, link, linkToItself, device, gigabyte
  }

  enum Place: CaseIterable, Sendable {
    case cloudFile, accountFile, metaEntry, commit, part, asset, message
  }

  private let fixture: CheckFixture
  private let asset: AssetReference

  init() throws {
    fixture = try CheckFixture()
    asset = try fixture.fill()
  }

  private func key(of place: Place) throws -> StoreKey {
    let layout = fixture.layout
    switch place {
    case .cloudFile: return CloudLayout.cloudFile
    case .accountFile: return CloudLayout.accountFile(CloudFixture.ann)
    case .metaEntry: return layout.metaEntry(2)
    case .commit: return fixture.commit(6)
    case .part:
      let parts = layout.checkpoints(epoch: 1)
      let entry = try #require(fixture.cloud.store.list(parts, after: nil, limit: 9).last)
      return StoreKey(parts, listed: entry)
    case .asset: return try #require(layout.asset(asset, epoch: 1))
    case .message:
      return CloudLayout.message(ContentHash(of: [1]), number: 1, to: CloudFixture.ann)
    }
  }

  /// Puts it there; a link leads to the right file, which is elsewhere.
  private func put(_ impostor: Impostor, at path: String, elsewhere: String) throws {
    switch impostor {
    case .fifo: try #require(mkfifo(path, 0o644) == 0)
    case .directory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .link: try #require(symlink(elsewhere, path) == 0)
    case .linkToItself: try #require(symlink(path, path) == 0)
    case .device: try #require(symlink("/dev/zero", path) == 0)
    case .gigabyte:
      try Data().write(to: URL(filePath: path))
      try #require(truncate(path, 1 << 30) == 0)
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: Impostor.allCases, Place.allCases)
  func itHoldsUpNobodyAndIsNotReadThrough(impostor: Impostor, place: Place) throws {
    let key = try key(of: place)
    let path = fixture.url(key).path
    let elsewhere = fixture.directory.url.appending(path: "elsewhere").path
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    } else {
      try Data("anything".utf8).write(to: URL(filePath: elsewhere))
    }
    try put(impostor, at: path, elsewhere: elsewhere)
    let before = try Data(contentsOf: URL(filePath: elsewhere))

    do {
      let found = try fixture.cloud.store.read(key, limit: 1_000) ?? Data()
      #expect(impostor == .gigabyte ? found.count <= 1_000 : found.isEmpty)
    } catch is CloudError {}
    let other = CloudContainer(
      store: fixture.cloud.store, account: CloudFixture.ann, device: UUID(7), app: "test")
    let device = Device(other.zone(fixture.cloud.log.id))
    let work: [() throws -> Void] = [
      { try other.open() }, { try device.fetch() }, { try device.save("new", "1") },
      { _ = try device.log.readAsset(asset) }, { _ = try other.messages() },
      { _ = try device.log.maintain(MaintenancePolicy()) },
    ]
    for piece in work {
      // What cannot be done is said; anything else would end the test.
      do { try piece() } catch is CloudError {}
    }
    #expect(throws: Never.self) { try fixture.check() }
    #expect(try Data(contentsOf: URL(filePath: elsewhere)) == before)
  }
}
