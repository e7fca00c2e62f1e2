import CSQLiteSyncPosix
import Foundation

/// An open file or directory, closed when it goes out of scope.
struct Descriptor: ~Copyable {
  let number: Int32

  deinit {
    close(number)
  }

  /// Opens `name` in this directory; throws the error number.
  func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(PosixError) -> Descriptor {
    Descriptor(
      number: try PosixError.check {
        openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
      })
  }

  /// Opens the directory `name` in this one, to pass through or to reach what is in it: that is
  /// allowed also where one may not list.
  func openDirectory(_ name: String) throws(PosixError) -> Descriptor {
    try open(name, cposix_path_flag() | O_DIRECTORY)
  }

  static func directory(atPath path: String) throws(PosixError) -> Descriptor {
    Descriptor(
      number: try PosixError.check { Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  func status() throws(PosixError) -> stat {
    var status = stat()
    _ = try PosixError.check { fstat(number, &status) }
    return status
  }

  /// The status of `name` in this directory, which is not followed when it is a link.
  func status(of name: String) throws(PosixError) -> stat {
    var status = stat()
    _ = try PosixError.check { fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) }
    return status
  }

  /// Waits until what was written is on the disk.
  func synchronize() throws(PosixError) {
    do {
      _ = try PosixError.check { cposix_synchronize(number) }
    } catch  where [EINVAL, ENOTSUP, EROFS].contains(error.number) {
      // Some FUSE file systems cannot; then the hash chain has to notice what a power cut undid.
      // And where nothing can be written, nothing is under way.
    }
  }

  /// Waits until the names in this directory are on the disk.
  func synchronizeNames() throws(PosixError) {
    do throws(PosixError) {
      try open(".", O_RDONLY | O_DIRECTORY).synchronize()
    } catch  where error.number == EACCES {
      // Somebody else's inbox: what may not be listed cannot be opened to be waited for.
      sync()
    }
  }

  /// At most `limit` bytes from the beginning.
  func read(limit: Int) throws(PosixError) -> Data {
    let size = Int(try status().st_size)
    var bytes = [UInt8](repeating: 0, count: max(0, min(size, limit)))
    var filled = 0
    while filled < bytes.count {
      let offset = filled
      let count = try PosixError.check {
        bytes.withUnsafeMutableBytes { buffer in
          Foundation.read(number, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        }
      }
      if count == 0 { break }
      filled += count
    }
    return Data(bytes.prefix(filled))
  }

  /// Writes all bytes.
  func write(_ data: Data) throws(PosixError) {
    var written = 0
    let bytes = [UInt8](data)
    while written < bytes.count {
      let offset = written
      written += try PosixError.check {
        bytes.withUnsafeBytes { buffer in
          Foundation.write(number, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        }
      }
    }
  }

  /// The names in this directory that are wanted, without `.` and `..`.
  ///
  /// One that is not UTF-8 is none of the cloud's.
  func names(where isWanted: (String) -> Bool) throws(PosixError) -> [String] {
    let copy = try open(".", O_RDONLY | O_DIRECTORY)
    // The stream owns a descriptor of its own: closing the stream closes it.
    let owned = try PosixError.check { dup(copy.number) }
    guard let stream = fdopendir(owned) else {
      let error = PosixError(number: errno)
      close(owned)
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
        String(validating: buffer.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, name != ".", name != "..", isWanted(name) { names.append(name) }
    }
    guard errno == 0 else { throw PosixError(number: errno) }
    return names
  }
}

/// The number of a failed system call's error.
struct PosixError: Error, Hashable {
  let number: Int32
  /// Whose the directory is that is named after somebody else's account; nil for other errors.
  let impostor: Impostor?

  init(number: Int32, impostor: Impostor? = nil) {
    self.number = number
    self.impostor = impostor
  }

  /// A directory of an account that another Unix user has made: he could read what is in it, and
  /// take it away.
  struct Impostor: Hashable {
    let account: UInt32
    let owner: UInt32

    /// What it means to the cloud's caller, a user of this number.
    ///
    /// Whoever follows what the account shares cannot read it; that it is shared no more is
    /// another matter.
    func cloudError(of user: UInt32) -> CloudError {
      let isOwn = user == account
      let account = AccountID(userID: account)
      let owner = AccountID(userID: owner).displayName
      return CloudError(
        isOwn ? .permissionFailure : .internalError,
        "\(CloudLayout.account(account)) belongs to \(owner), not to \(account.displayName).",
        hint: "Ask \(owner) or an administrator to move it away; then it is recreated.")
    }
  }

  /// Makes a system call until no signal interrupts it.
  static func check<Result: SignedInteger>(
    _ call: () -> Result
  ) throws(PosixError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw PosixError(number: errno) }
    }
  }

  /// The error in the system's words.
  var text: String { String(cString: strerror(number)) }

  /// What it means to the cloud's caller.
  func cloudError(_ action: String, _ path: String) -> CloudError {
    let reason = "\(action) \(path): \(text)."
    switch number {
    case EROFS:
      return CloudError(
        .permissionFailure, reason, hint: "Mount its file system for writing.")
    case EACCES, EPERM:
      return CloudError(
        .permissionFailure, reason, hint: "The owner of the directory can allow it.")
    case ENOSPC, EDQUOT, EFBIG:
      return CloudError(.quotaExceeded, reason, hint: "Free some space on the cloud's disk.")
    case ENOTDIR, ELOOP:
      return CloudError.damaged("\(action) \(path): something else is in the place of a directory.")
    default:
      return CloudError(.networkUnavailable, reason, hint: "It is tried again.")
    }
  }
}
