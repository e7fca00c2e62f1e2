import Foundation
import Synchronization

/// The login names of Unix users.
///
/// Not part of `description`: what a name stands for depends on the machine, and what is written to
/// the cloud or compared must not.
extension AccountID {
  /// The account of the Unix user with a login name; nil when this system has none.
  public init?(loginName: String) {
    guard !loginName.isEmpty, !loginName.contains("\0") else { return nil }
    let id = LoginNames.look { entry, buffer, size, result in
      getpwnam_r(loginName, entry, buffer, size, result)
    } found: {
      $0.pw_uid
    }
    guard let id else { return nil }
    self.init(userID: id)
  }

  /// The name as people know it: the login name of a Unix user whom this system knows, else the
  /// `description`.
  public var displayName: String {
    userID.flatMap(LoginNames.nameInCloud) ?? description
  }

  /// The name as people know it, and what it stands for where another account is called the same:
  /// `u0` and `@root` are both root.
  public func displayName(beside other: AccountID) -> String {
    displayName == other.displayName ? "\(displayName) (\(rawValue))" : displayName
  }

  /// The login name that this system has for a Unix user; nil when it has none.
  public var loginName: String? { userID.flatMap(LoginNames.name) }

  /// Says that the users of the cloud are those of another machine, for as long as this process
  /// runs: the login names of this one are not theirs.
  public static func usersAreOfAnotherMachine() {
    LoginNames.others.withLock { $0 = $0 ?? [:] }
  }

  /// Keeps the login name that another machine has for a Unix user.
  func isCalled(_ name: String) {
    guard let userID else { return }
    LoginNames.others.withLock { $0?[userID] = name }
  }
}

/// What the system's directory of users answered; asked once for each, because it may be a network
/// away.
private enum LoginNames {
  private static let known = Mutex<[UInt32: String?]>([:])
  /// Those of another machine, as far as it was asked; nil where the cloud has the users of this
  /// one.
  static let others = Mutex<[UInt32: String]?>(nil)

  static func nameInCloud(of user: UInt32) -> String? {
    if let others = others.withLock(\.self) { return others[user] }
    return name(of: user)
  }

  static func name(of user: UInt32) -> String? {
    if let known = known.withLock({ $0[user] }) { return known }
    let name = look { entry, buffer, size, result in
      getpwuid_r(user, entry, buffer, size, result)
    } found: {
      String(cString: $0.pw_name)
    }
    known.withLock { $0[user] = name }
    return name
  }

  /// Looks something up with a buffer that grows until the answer fits; nil when there is none.
  static func look<Answer>(
    _ call: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32, found: (passwd) -> Answer
  ) -> Answer? {
    var size = 1_024
    while size <= 1 << 20 {
      var buffer = [CChar](repeating: 0, count: size)
      var entry = passwd()
      var result: UnsafeMutablePointer<passwd>?
      let answer: (error: Int32, found: Answer?) = buffer.withUnsafeMutableBufferPointer {
        guard let start = $0.baseAddress else { return (EINVAL, nil) }
        let error = call(&entry, start, size, &result)
        // Its texts lie in the buffer.
        return (error, result.map { found($0.pointee) })
      }
      guard answer.error == ERANGE else { return answer.found }
      size *= 4
    }
    return nil
  }
}
