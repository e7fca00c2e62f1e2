import Foundation
import SQLiteSyncHashing

extension DirectoryStore {
  /// Creates a file with all of its bytes, or not at all.
  ///
  /// The bytes are written and made durable under a name that nobody reads; then the file gets its
  /// own name, which fails if it is taken; then the name is made durable. A crash in between leaves
  /// a file that is collected, or a name that readers wait for to become durable.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    let outcome = publish(key, bytes, staging: key.prefix.stage)
    // Some mounts cannot link from one directory to another.
    guard case .linkRefused(let error) = outcome else { return outcome.created(self, key) }
    let again = key.prefix.stage == nil ? outcome : publish(key, bytes, staging: nil)
    // What refuses twice may still have done it: sshfs answers EPERM to a lost race.
    if case .linkRefused = again { return .unknown(failure(error, "Creating", key)) }
    return again.created(self, key)
  }

  /// See `ObjectStore.now`: the time of a file that is made and removed again.
  ///
  /// On a network mount it is the server's, which may differ from the device's by years.
  public func now(in prefix: StorePrefix) throws -> Int64? {
    do {
      guard let stage = try open(prefix.stage ?? prefix.components, creating: true) else {
        return nil
      }
      let name = "." + UUID().lowercaseString
      let file = try stage.open(name, O_CREAT | O_EXCL | O_WRONLY, mode: 0o600)
      unlinkat(stage.number, name, 0)  // If it stays, the sweep of the stage finds it.
      return StoreEntry(name: name, try file.status()).modified
    } catch {
      throw failure(error, "Asking for the time in", prefix)
    }
  }

  private enum Outcome {
    case done(CreateOutcome)
    case failed(PosixError)
    case unknown(PosixError)
    case linkRefused(PosixError)

    func created(_ store: DirectoryStore, _ key: StoreKey) -> CreateOutcome {
      switch self {
      case .done(let outcome): outcome
      case .failed(let error): .failed(store.failure(error, "Creating", key))
      case .unknown(let error), .linkRefused(let error):
        .unknown(store.failure(error, "Creating", key))
      }
    }
  }

  private func publish(_ key: StoreKey, _ bytes: Data, staging: [String]?) -> Outcome {
    do {
      guard let directory = try open(key.prefix, creating: true),
        let stage = try open(staging ?? key.prefix.components, creating: true)
      else { return .failed(PosixError(number: ENOENT)) }
      if try isTaken(key.name, in: directory) { return .done(.exists) }
      let temporary = (staging == nil ? "." : "") + UUID().lowercaseString
      try stageFile(temporary, bytes, in: stage)
      let outcome = link(temporary, from: stage, as: key.name, in: directory)
      try willTake(.unlink)
      unlinkat(stage.number, temporary, 0)  // If it stays, the sweep of the stage finds it.
      return outcome
    } catch {
      return .failed(error)
    }
  }

  /// Saves the work of writing a file whose name is taken.
  ///
  /// The link decides.
  private func isTaken(
    _ name: String, in directory: borrowing Descriptor
  ) throws(PosixError) -> Bool {
    var status = stat()
    return fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  private func stageFile(
    _ name: String, _ bytes: Data, in stage: borrowing Descriptor
  ) throws(PosixError) {
    try willTake(.create)
    let file = try stage.open(name, O_CREAT | O_EXCL | O_WRONLY, mode: 0o444)
    do {
      try willTake(.write)
      try file.write(bytes)
      // Not `open`'s mode, from which the umask takes bits.
      _ = try PosixError.check { fchmod(file.number, 0o444) }
      try willTake(.synchronize)
      // Once it has failed, later calls may succeed without the bytes being there: never repeated.
      try file.synchronize()
    } catch {
      unlinkat(stage.number, name, 0)
      throw error
    }
  }

  private func link(
    _ temporary: String, from stage: borrowing Descriptor,
    as name: String, in directory: borrowing Descriptor
  ) -> Outcome {
    do {
      try willTake(.link)
      _ = try PosixError.check {
        linkat(stage.number, temporary, directory.number, name, 0)
      }
    } catch {
      switch error.number {
      case EEXIST: return .done(.exists)
      case EXDEV, EPERM, ENOTSUP, EMLINK: return .linkRefused(error)
      case EACCES, EROFS, ENOSPC, EDQUOT: return .failed(error)
      default: return .unknown(error)
      }
    }
    do {
      try willTake(.synchronizeDirectory)
      try directory.synchronizeNames()
    } catch {
      return .unknown(error)
    }
    return .done(.created)
  }
}
