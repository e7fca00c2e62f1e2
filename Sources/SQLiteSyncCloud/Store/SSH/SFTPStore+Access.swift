import Synchronization

/// The users of the server: kept apart as `DirectoryStore` does it, by access control lists.
extension SFTPStore: UnixUsers {
  /// Those of the server.
  public var users: (any StoreUsers)? { self }

  /// See `StoreUsers.owner`.
  public func owner(of prefix: StorePrefix) throws -> StoreUser? {
    try reporting("Reading", prefix) { channel throws(SFTPError) in
      try channel.attributes(of: prefix)?.user
    }
  }

  /// See `StoreUsers.allow`.
  ///
  /// Whom the access names is let in by a shell on the server; for all others SFTP suffices.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    let list = try AccessControlList(access)
    try reporting("Sharing", prefix) { channel throws(SFTPError) in
      try channel.make(prefix.components)
      guard try current(of: prefix, channel) != access else { return }
      do throws(SFTPError) {
        let answer = try ask(.allow(path: shellPath(prefix), list))
        if answer.status != 0 { throw .noShell(answer.lines.last ?? "") }
      } catch {
        guard list.users.isEmpty, case .noShell = error else { throw error }
        let path = channel.path(prefix.components)
        try channel.expectOK(.setPermissions(path: path, list.mode))
      }
      try channel.synchronizeNames(in: prefix)
    }
  }

  /// See `StoreUsers.access`: nil also when there may be a list that cannot be read from here.
  public func access(in prefix: StorePrefix) throws -> StoreAccess? {
    try reporting("Reading the permissions of", prefix) { channel throws(SFTPError) in
      try current(of: prefix, channel)
    }
  }

  /// See `StoreUsers.userRefusal`.
  public func userRefusal(in prefix: StorePrefix) throws -> CloudError? {
    try reporting("Reading the permissions of", prefix) { channel throws(SFTPError) in
      guard try channel.isThere(prefix.components) else { return nil }
      do throws(SFTPError) {
        let answer = try ask(.canHaveLists(path: shellPath(prefix)))
        return answer.status == 0 ? nil : .noAccessLists
      } catch {
        guard case .noShell = error else { throw error }
        return error.cloudError("Sharing", "\(prefix)", place: place)
      }
    }
  }

  /// See `StoreUsers.canCreate`: as far as the disk and the mode of the directory tell.
  public func canCreate(in prefix: StorePrefix) throws -> Bool {
    try reporting("Reading the permissions of", prefix) { channel throws(SFTPError) in
      guard try channel.disk()?.isReadOnly != true else { return false }
      guard let attributes = try channel.attributes(of: prefix), let mode = attributes.mode else {
        return true
      }
      let user = try channel.homeOwner()
      return user == 0 || (attributes.owner == user ? mode & 0o200 != 0 : mode & 0o022 != 0)
    }
  }

  // MARK: - Accounts

  /// The account of another user of the server is not this one's to make.
  public func refusal(of account: AccountID) throws -> CloudError? {
    guard let wanted = account.userID else { return nil }
    let user = try reporting("Looking for your account in", "the cloud") {
      channel throws(SFTPError) in
      do throws(SFTPError) {
        return try channel.user(in: CloudLayout.root)
      } catch {
        // An administrator has made it: only in `accounts` may everybody make something.
        guard case .status(.permissionDenied) = error else { throw error }
        return try channel.user(in: CloudLayout.accounts)
      }
    }
    guard let user, user != wanted else { return nil }
    return CloudError(
      .permissionFailure,
      "The account \(account.rawValue) is that of another user of \(place): yours is u\(user).",
      hint: "That user can copy it. If it is you on another machine, export what is in it, and "
        + "import that here.")
  }

  /// The account of the user who logs in, by his number on the server.
  ///
  /// So a device on that machine calls him by itself.
  ///
  /// - Parameter name: An account that is only a name. It is his where a cloud of before has it and
  ///   not yet the other.
  public func ownAccount(else name: AccountID?) throws -> AccountID? {
    try reporting("Looking for your account in", CloudLayout.accounts) {
      channel throws(SFTPError) in
      guard let user = try user(channel) else { return name }
      let account = AccountID(userID: user)
      guard let name, try !channel.isThere(CloudLayout.account(account).components),
        try channel.attributes(of: CloudLayout.account(name))?.owner == user
      else { return account }
      return name
    }
  }

  /// The number of the user who logs in: that of a new file, or what is known without one.
  private func user(_ channel: SFTPOperations) throws(SFTPError) -> UInt32? {
    do throws(SFTPError) {
      return try channel.user(in: CloudLayout.accounts)
    } catch {
      guard case .readOnly = channel.explained(error) else { throw error }
    }
    // A cloud on a disk that can only be read has its readers, too.
    do throws(SFTPError) {
      let answer = try ask(.ownUser)
      if answer.status == 0, let user = answer.lines.last.flatMap(UInt32.init) { return user }
    } catch {
      guard case .noShell = error else { throw error }
    }
    return try channel.homeOwner()
  }

  /// The account of the server's user of a login name; nil when it has none.
  public func account(loginName: String) throws -> AccountID? {
    try reporting("Looking for \(loginName) in", "the users") { channel throws(SFTPError) in
      let answer = try ask(.user(loginName))
      guard answer.status == 0, let user = answer.lines.last.flatMap(UInt32.init) else {
        return nil
      }
      let account = AccountID(userID: user)
      account.isCalled(loginName)
      return account
    }
  }

  // MARK: - The shell

  /// Whether the access list of a zone's directory keeps this user out, also where nobody can
  /// tell: see `DirectoryStore.isClosed`.
  func isClosed(_ zone: StorePrefix, to user: UInt32) throws(SFTPError) -> Bool {
    do throws(SFTPError) {
      let answer = try ask(.accessSeen(path: shellPath(zone)))
      guard answer.status == 0 else { return true }
      guard answer.lines.contains(where: { $0.hasPrefix("mask:") }) else { return false }
      let list = AccessControlList(printed: answer.lines, masked: false)
      return list?.keepsOut(user) ?? true
    } catch {
      guard case .noShell = error else { throw error }
      return true
    }
  }

  /// Nil when others may do what has no name here, or nobody can tell.
  private func current(
    of prefix: StorePrefix, _ channel: SFTPOperations
  ) throws(SFTPError) -> StoreAccess? {
    guard let mode = try channel.attributes(of: prefix)?.mode else { return nil }
    // Where nobody else may do anything, nobody need be asked who is let in by name.
    if mode & 0o077 != 0 {
      do throws(SFTPError) {
        let answer = try ask(.access(path: shellPath(prefix)))
        if answer.status == 0 { return AccessControlList(printed: answer.lines)?.access }
      } catch {
        guard case .noShell = error else { throw error }
      }
    }
    guard mode >> 3 & 7 == mode & 7 else { return nil }
    return StoreAccess.Level(rawValue: UInt16(mode & 7)).map { StoreAccess(others: $0) }
  }

  /// Asks the shell, which is started when it is first needed, and once more when it has gone.
  private func ask(_ request: SSHShell.Request) throws(SFTPError) -> SSHShell.Answer {
    try shell.withLock { shell throws(SFTPError) in
      if case .running(let known) = shell, let answer = try answer(of: known, request) {
        return try Self.known(answer)
      }
      if case .refused(let reason, let end) = shell, end > .now { throw .noShell(reason) }
      do throws(SFTPError) {
        guard let running = route.commands.running else { throw .noShell("") }
        let new = try SSHShell(
          command: running(["sh", "-c", SSHShell.script]), patience: patience)
        shell = .running(new)
        return try Self.known(new.ask(request))
      } catch {
        if case .noShell(let reason) = error { shell = .refused(reason, .now + .seconds(60)) }
        if case .silent = error { route.wasSilent() }
        throw error
      }
    }
  }

  /// Nil when the shell has ended: the next one tells why, if it does not answer either.
  ///
  /// One that is silent is not replaced in the same call: nobody waits for two silences.
  private func answer(
    of known: SSHShell, _ request: SSHShell.Request
  ) throws(SFTPError) -> SSHShell.Answer? {
    do throws(SFTPError) {
      return try known.ask(request)
    } catch {
      guard case .silent = error else { return nil }
      route.wasSilent()
      throw error
    }
  }

  /// An answer of a command that the server has.
  private static func known(_ answer: SSHShell.Answer) throws(SFTPError) -> SSHShell.Answer {
    guard answer.status != SSHShell.notFound else { throw .noShell(answer.lines.last ?? "") }
    return answer
  }
}
