/// What the superuser does as another user.
enum UnixUser {
  /// What starts a program as a user.
  static func launcher(_ user: UInt32) -> [String] {
    ["/usr/bin/setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
  }
}

/// Whether a shell command succeeds as a user.
func can(_ user: UInt32, _ command: String) throws -> Bool {
  try exitCode(of: UnixUser.launcher(user) + ["/bin/sh", "-c", command]) == 0
}
