/// A commit's file as it was read.
struct CommitFile: Sendable {
  let bytes: [UInt8]
  /// The user who owns it; nil where the store has no users.
  let owner: StoreUser?
  /// What the file holds, where that was looked into already.
  private(set) var decoded: DecodedCommit?

  init(bytes: [UInt8], owner: StoreUser?) {
    (self.bytes, self.owner) = (bytes, owner)
  }

  var hash: ContentHash { decoded?.hash ?? ContentHash(of: bytes) }

  /// Looks into the file, for whoever brings it in later.
  ///
  /// - Parameter operation: Sees each operation, and where its line is.
  mutating func decode(operation: (CloudChange, Range<Int>) -> Void = { _, _ in }) {
    decoded = DecodedCommit(SealedFile(bytes), operation: operation)
  }

  /// Whether it is a whole commit that says that its place is this one.
  func isCommit(number: Int64, epoch: Int64, zone: String) -> Bool {
    do {
      return try Commit.read(SealedFile(bytes)).isAt(number, epoch: epoch, zone: zone)
    } catch {
      return false
    }
  }
}

/// What a commit's file holds, or why it holds no commit.
struct DecodedCommit: Sendable {
  let commit: Result<Commit, FormatError>
  let hash: ContentHash

  /// - Parameters:
  ///   - file: The file.
  ///   - operation: Sees each operation, and where its line is.
  init(_ file: SealedFile, operation: (CloudChange, Range<Int>) -> Void = { _, _ in }) {
    hash = file.hash
    do {
      commit = .success(try Commit.read(file, operation: operation))
    } catch {
      commit = .failure(error)
    }
  }
}

/// Commits that are asked for together while a device catches up.
///
/// A look asks for one name. One that finds something doubles the number for the next time, up to
/// what the store can do at once.
struct ReadAhead {
  let log: ZoneLog
  let epoch: Int64
  private var found: [Int64: CommitFile]
  private var width = 1

  /// - Parameters:
  ///   - log: Where they are.
  ///   - epoch: In which epoch of it.
  ///   - found: Those that were read before, by number.
  init(log: ZoneLog, epoch: Int64, found: [Int64: CommitFile] = [:]) {
    (self.log, self.epoch, self.found) = (log, epoch, found)
  }

  /// A commit's file; nil when it is absent now.
  mutating func commit(_ number: Int64) throws -> CommitFile? {
    if let file = found.removeValue(forKey: number) { return file }
    let numbers = number..<(number + Int64(width))
    let files = try log.readCommits(numbers, epoch: epoch)
    width = files.contains { $0 == nil } ? 1 : min(2 * width, log.store.readsAtOnce)
    // What is absent now may be there by the time that it is needed.
    for (number, file) in zip(numbers, files).dropFirst() { found[number] = file }
    return files[0]
  }
}
