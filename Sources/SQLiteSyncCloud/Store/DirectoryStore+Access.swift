import CSQLiteSyncPosix
import Foundation

/// Who may do what in a directory, by the operating system's access control lists: their owner sets
/// them without any privilege.
extension DirectoryStore: UnixUsers {
  /// Those of this machine.
  public var users: (any StoreUsers)? { self }

  /// See `StoreUsers.owner`.
  public func owner(of prefix: StorePrefix) throws -> StoreUser? {
    try reporting("Reading", prefix) { () throws(PosixError) -> StoreUser? in
      try open(prefix, creating: false)?.status().owner
    }
  }

  /// See `StoreUsers.allow`.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    let list = try AccessControlList(access)
    do {
      guard let path = try open(prefix, creating: true) else { return }
      let directory = try path.open(".", O_RDONLY | O_DIRECTORY)
      guard try current(of: directory) != access else { return }
      try set(list, of: directory)
      try directory.synchronize()
    } catch  where error.number == ENOTSUP {
      throw CloudError.noAccessLists
    } catch {
      throw failure(error, "Sharing", prefix)
    }
  }

  /// See `StoreUsers.access`.
  public func access(in prefix: StorePrefix) throws -> StoreAccess? {
    do {
      guard let path = try open(prefix, creating: false) else { return nil }
      return try current(of: try path.open(".", O_RDONLY | O_DIRECTORY))
    } catch {
      throw failure(error, "Reading the permissions of", prefix)
    }
  }

  /// See `StoreUsers.userRefusal`.
  public func userRefusal(in prefix: StorePrefix) throws -> CloudError? {
    do {
      guard let path = try open(prefix, creating: false) else { return nil }
      let directory = try path.open(".", O_RDONLY | O_DIRECTORY)
      _ = try PosixError.check {
        cposix_attribute(directory.number, AccessControlList.attribute, nil, 0)
      }
      return nil
    } catch  where error.number == ENODATA {
      return nil
    } catch  where error.number == ENOTSUP {
      return .noAccessLists
    } catch {
      throw failure(error, "Reading the permissions of", prefix)
    }
  }

  /// See `StoreUsers.canCreate`.
  public func canCreate(in prefix: StorePrefix) throws -> Bool {
    do {
      guard let path = try open(prefix, creating: false) else { return true }
      let directory = try path.open(".", cposix_path_flag() | O_DIRECTORY)
      _ = try PosixError.check { faccessat(directory.number, ".", W_OK | X_OK, AT_EACCESS) }
      return try !isFull(directory)
    } catch  where [EACCES, EROFS].contains(error.number) {
      return false
    } catch {
      throw failure(error, "Reading the permissions of", prefix)
    }
  }

  /// The account of another user of this machine is only that user's to make.
  public func refusal(of account: AccountID) throws -> CloudError? {
    guard let user = account.userID, user != geteuid(),
      try owner(of: CloudLayout.account(account)) == nil
    else { return nil }
    return CloudError(
      .permissionFailure,
      "The account \(account.rawValue) is that of another user of this machine.",
      hint: "That user can copy it. If it is you on another machine, export what is in it, and "
        + "import that here.")
  }

  /// Whether the disk has no room left, where the file system says how much it has.
  private func isFull(_ directory: borrowing Descriptor) throws(PosixError) -> Bool {
    var status = statvfs()
    _ = try PosixError.check { fstatvfs(directory.number, &status) }
    // Some is kept for the superuser.
    let free = geteuid() == 0 ? status.f_bfree : status.f_bavail
    return status.f_blocks > 0 && free == 0
  }

  /// Whether the access list of a directory keeps this user out, also where that cannot be told.
  ///
  /// A list that is missing does not, nor one that lets the user in: its mask does, which `chmod`
  /// changes.
  func isClosed(_ directory: borrowing Descriptor) throws(PosixError) -> Bool {
    do throws(PosixError) {
      let list = AccessControlList(try attribute(of: directory), others: 0, masked: false)
      return list?.keepsOut(geteuid()) ?? true
    } catch {
      return error.number != ENODATA
    }
  }

  /// Whoever may do something before and afterwards may do it in between as well, and nobody else.
  ///
  /// A list stays, also where it names nobody any more: the kernel reads the mode first and then
  /// the list, and a reader who found the mode of before and no list would be kept out.
  private func set(
    _ list: AccessControlList, of directory: borrowing Descriptor
  ) throws(PosixError) {
    // Before others may write they must not be able to remove what is not theirs. The other bits
    // are the list's: a mode without them would mask everybody whom it names.
    let before = try directory.status().st_mode & 0o7777
    _ = try PosixError.check { fchmod(directory.number, before | mode_t(list.mode & 0o1000)) }
    do throws(PosixError) {
      try put(list, on: directory)
    } catch  where error.number == ENOTSUP && list.users.isEmpty {
      // The mode says all there is to say.
    }
    let after = list.mode & ~0o070 | UInt32(list.mask) << 3
    _ = try PosixError.check { fchmod(directory.number, mode_t(after)) }
  }

  private func put(
    _ list: AccessControlList, on directory: borrowing Descriptor
  ) throws(PosixError) {
    let bytes = list.bytes
    _ = try PosixError.check {
      cposix_set_attribute(directory.number, AccessControlList.attribute, bytes, bytes.count)
    }
  }

  /// Nil when others may do what has no name here.
  private func current(of directory: borrowing Descriptor) throws(PosixError) -> StoreAccess? {
    let mode = try directory.status().st_mode
    do throws(PosixError) {
      return AccessControlList(try attribute(of: directory), others: UInt32(mode))?.access
    } catch  where error.number == ENODATA || error.number == ENOTSUP {
      return StoreAccess.Level(rawValue: UInt16((mode >> 3 | mode) & 7))
        .map { StoreAccess(others: $0) }
    }
  }

  private func attribute(of directory: borrowing Descriptor) throws(PosixError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = try PosixError.check {
      cposix_attribute(directory.number, AccessControlList.attribute, &bytes, bytes.count)
    }
    return Array(bytes.prefix(count))
  }
}

extension CloudError {
  /// Why users of this system cannot share in a cloud.
  static let noAccessLists = CloudError(
    .permissionFailure, "The file system of the cloud cannot let other users in.",
    hint: "Use one that has access control lists, or share between accounts of one user.")

  /// What is said to whom something is shared with when its directory does not let them in any
  /// more, and nobody has told them to stay out.
  static func lostList(of path: String) -> CloudError {
    CloudError(
      .internalError, "\(path) may not be read: its zone has lost what lets others in.",
      hint: "The next synchronization of its owner sets it again. If it is not to be shared any "
        + "more, leave it.")
  }
}

extension stat {
  /// Who owns the file.
  var owner: StoreUser { StoreUser(number: st_uid) }
}
