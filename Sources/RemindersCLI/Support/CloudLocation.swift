import Foundation
import Glibc
import RemindersCore
import SQLiteSyncCloud

/// Where a cloud is: what `--cloud` names.
enum CloudLocation {
  case directory(URL)
  /// On another machine, through a connection that lasts as long as the store.
  case ssh(SSHAddress, SFTPStore)
  /// In a bucket.
  case s3(S3Address, S3Store)
  /// In a database of PostgreSQL, through a connection that lasts as long as the store.
  case postgres(PostgresAddress, PostgresStore)

  /// Whether something that is typed is an address and not a path.
  static func isAddress(_ text: String) -> Bool {
    ["ssh:", "s3:", "postgres:", "postgresql:"].contains { text.lowercased().hasPrefix($0) }
  }

  /// A path, `ssh://[user@]host[:port]/path`, `s3://bucket/prefix`, or
  /// `postgres://[role@]host[:port]/database`.
  init(typed text: String) throws {
    switch Self.isAddress(text) ? text.prefix(while: { $0 != ":" }).lowercased() : "" {
    case "":
      self = .directory(URL(filePath: text))
      guard text.contains(":") else { return }
      // Nobody has a directory of this name, and many have a server.
      if let scheme = text.firstMatch(of: /^[A-Za-z][A-Za-z0-9+.-]*:\/\//) {
        throw AppError(
          .invalidInput, "No cloud has an address that begins with \(scheme.output).",
          hint: "It is a directory, or begins with ssh://, s3:// or postgres://.")
      }
      if let address = Self.address(ofSCP: text) {
        throw AppError(
          .invalidInput, "There is no directory \(text); it looks like a place of scp.",
          hint: "By ssh it is \(address); a directory of that name is ./\(text).")
      }
    case "s3":
      let address = try S3Address(typed: text)
      let note = ProbeNote("Trying out whether \(address) can keep a cloud; that is done once.")
      self = .s3(address, S3Store(address, onProbe: note.hear))
    case "ssh":
      let address = try SSHAddress(typed: text)
      self = .ssh(address, SFTPStore(address))
    default:
      let address = try PostgresAddress(typed: text)
      self = .postgres(address, PostgresStore(address))
    }
  }

  /// What is meant by `[user@]host:path`, as scp and rsync have it; nil for anything else, and
  /// where there is a directory of that name.
  ///
  /// To make one would be a cloud that no other machine sees.
  private static func address(ofSCP text: String) -> String? {
    guard let parts = text.wholeMatch(of: /((?:[\w.-]+@)?[\w.-]+):(.*)/)?.output,
      !FileManager.default.fileExists(atPath: text)
    else { return nil }
    let path = parts.2.hasPrefix("/") ? parts.2 : "/~/" + parts.2.trimmingPrefix("~/")
    return "ssh://\(parts.1)\(path)"
  }

  /// The path or the address, without what is secret in it.
  var name: String {
    switch self {
    case .directory(let directory): directory.path
    case .ssh(let address, _): address.description
    case .postgres(let address, _): address.description
    case .s3(let address, _): address.description
    }
  }

  /// The same as a shell reads it.
  var shellWord: String { "'" + name.replacing("'", with: "'\\''") + "'" }

  var store: any ObjectStore {
    switch self {
    case .directory(let directory): DirectoryStore(directory: directory)
    case .ssh(_, let store): store
    case .postgres(_, let store): store
    case .s3(_, let store): store
    }
  }

  /// Makes the directory of a cloud that is new.
  func make() throws {
    switch self {
    case .directory(let directory):
      do {
        // Whatever the umask: whoever may write into it could take away what others have there.
        let before = umask(0o022)
        umask(before | 0o022)
        defer { umask(before) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      } catch {
        guard !Self.isBlocked(directory.path) else {
          throw AppError(
            .invalidInput, "\(directory.path) is not a directory.",
            hint: "A cloud is a directory, not a file.")
        }
        throw AppError(
          .cloudUnreachable, "The cloud directory \(directory.path) cannot be made.",
          hint: "Give another with --cloud, or check that you may write there.")
      }
    case .ssh(_, let store): try store.makeRoot()
    // Whoever administers the database sets it up: `reminders cloud init`.
    case .postgres: break
    // Buckets are made, and their keys, where they are paid for.
    case .s3: break
    }
  }

  /// Whether a file is in the place of a directory, or of one above it.
  private static func isBlocked(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == ENOTDIR }
    return status.st_mode & S_IFMT != S_IFDIR
  }

  // MARK: - Accounts

  /// Whose the reminders are when nobody has said so, as far as can be told without the cloud.
  ///
  /// The number of a user here means nobody, or somebody else, on another machine: there the name
  /// counts, in a database that of the role.
  var defaultAccount: AccountID {
    switch self {
    case .directory: .ofUser
    case .ssh(let address, _): Self.account(named: address.user)
    case .postgres(let address, _): Self.account(named: address.role ?? Self.defaultRole)
    case .s3: Self.account(named: nil)
    }
  }

  /// Whose they are: on another machine, the user's there who logs in, in a database the role's.
  func ownAccount() throws -> AccountID {
    switch self {
    case .directory, .s3: defaultAccount
    case .ssh(_, let store): try store.ownAccount(else: defaultAccount) ?? defaultAccount
    case .postgres(_, let store): try store.ownAccount()
    }
  }

  /// Makes sure that the account of a user of another machine is that of who logs in there, and
  /// that one in a database is the role's.
  func requireOwn(_ account: AccountID) throws {
    if case .postgres(_, let store) = self, let refusal = try store.refusal(of: account) {
      throw refusal
    }
    guard case .ssh(_, let store) = self, account.userID != nil,
      let own = try store.ownAccount(else: nil), own != account
    else { return }
    throw AppError(
      .notPermitted, "“\(account)” is the account of another user of \(name).",
      hint: "Yours is \(own).")
  }

  private static func account(named name: String?) -> AccountID {
    AccountID(name: name ?? AccountID.ofUser.loginName ?? "\(AccountID.ofUser)") ?? .ofUser
  }

  /// Who logs in to a database whose address does not say it.
  private static var defaultRole: String? { ProcessInfo.processInfo.environment["PGUSER"] }

  /// One's own account, as typed.
  func account(typed name: String) throws -> AccountID {
    switch self {
    case .directory: try AccountID(typed: name)
    // `u1000` is a user of that machine, who has to prove it there.
    // In a bucket or a database, one who was a user of a machine before it was copied there.
    case .ssh, .s3, .postgres:
      try AccountID(rawValue: name) ?? AccountID(name: name) ?? AccountID(typed: name)
    }
  }

  /// The user or role of the place whom somebody means by a name; nil when there is none.
  ///
  /// - Parameters:
  ///   - name: The name that people know.
  ///   - own: Whoever asks: on a machine, accounts that are only names mean others of their kind.
  func user(named name: String, askedBy own: AccountID) throws -> AccountID? {
    switch self {
    case .postgres(_, let store): try store.account(ofRole: name)
    case .ssh(_, let store) where own.userID != nil: try store.account(loginName: name)
    default: own.userID == nil ? nil : AccountID(loginName: name)
    }
  }
}

extension AccountID {
  /// The account of whoever runs the program.
  static var ofUser: AccountID { AccountID(userID: getuid()) }

  /// One's own account, as typed.
  ///
  /// That of the Unix user is called by his login name, or `u1000` by his number; nobody else's can
  /// be. `@ann` is one that is only a name, also for the user who is called ann.
  init(typed name: String) throws {
    if name == Self.ofUser.displayName || name == Self.ofUser.rawValue {
      self = .ofUser
      return
    }
    let isNumber = name.first == "u" && name.count > 1 && name.dropFirst().allSatisfy(\.isNumber)
    guard !isNumber else {
      throw AppError(
        .notPermitted, "“\(name)” is the account of another user of this system.",
        hint: "Yours is \(Self.ofUser.displayName).")
    }
    guard let account = AccountID(rawValue: name) ?? AccountID(name: name) else {
      throw AppError(
        .invalidInput, "“\(name)” cannot be the name of an account.",
        hint: "Use up to 32 lower-case letters, digits, dots, hyphens and underscores.")
    }
    self = account
  }
}
