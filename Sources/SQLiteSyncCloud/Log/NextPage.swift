import Dispatch
import Synchronization

/// What follows a page of a log, read and decoded on another core while that page is applied.
///
/// Nothing is decided here. The next call of `ZoneLog.changes` takes from it what it would read
/// itself, verifies that as it would any other, and reads what is not in it; so a page is the same
/// with and without it. One call at a time may use it.
public final class NextPage: Sendable {
  /// From how many bytes of a page on there is enough to do meanwhile.
  static let worthwhile = 1 << 20
  /// The bytes that are read ahead, half of what a page may have: they are held beside one.
  static let bytes = CloudLimits.fetchBytes / 2

  /// What was found after a position.
  struct Content: Sendable {
    let token: ChangeToken
    /// The versions in the next part of the checkpoint, if that comes next.
    var part: [ServerCopy]?
    /// Files of commits, by number.
    var commits: [Int64: CommitFile] = [:]
  }

  private let content = Mutex<Content?>(nil)
  private let work = DispatchGroup()

  /// Nothing is read yet.
  public init() {}

  /// Begins to read what follows a page, and at most `limit` commits of it.
  func begin(after token: ChangeToken, limit: Int, manifest: ZoneManifest, in log: ZoneLog) {
    DispatchQueue.global().async(group: work) {
      // What cannot be read now is read again by the next call, which says why.
      let found = try? Self.read(after: token, limit: limit, manifest: manifest, in: log)
      self.content.withLock { $0 = found }
    }
  }

  /// Waits for what was begun, and hands it over if it follows this position.
  func take(after token: ChangeToken) -> Content? {
    work.wait()
    let found = content.withLock { content in
      defer { content = nil }
      return content
    }
    return found?.token == token ? found : nil
  }

  private static func read(
    after token: ChangeToken, limit: Int, manifest: ZoneManifest, in log: ZoneLog
  ) throws -> Content {
    var content = Content(token: token)
    if let position = token.checkpoint {
      let parts = manifest.checkpoint(position.metaNumber)?.parts ?? []
      guard parts.indices.contains(position.nextPart) else { return content }
      content.part = try log.copies(in: parts[position.nextPart], epoch: manifest.epoch)
      return content
    }
    var ahead = ReadAhead(log: log, epoch: manifest.epoch)
    var (number, byteCount) = (token.sequence + 1, 0)
    while content.commits.count < limit, byteCount < bytes, var file = try ahead.commit(number) {
      file.decode()
      content.commits[number] = file
      (number, byteCount) = (number + 1, byteCount + file.bytes.count)
    }
    return content
  }
}
