import Foundation

extension SFTPError {
  /// The error of a call as the caller of the cloud gets it.
  func cloudError(_ action: String, _ path: String, place: String) -> CloudError {
    switch self {
    case .lost(let reason):
      CloudError(
        // What ssh says when no key and no password is taken.
        reason.contains("Permission denied") ? .notAuthenticated : .networkUnavailable,
        "\(place) cannot be reached: \(reason)", hint: Self.hint(for: reason))
    case .rootIsNoDirectory(let path): CloudError.notADirectory("\(path) of \(place)")
    case .silent(let seconds):
      CloudError(
        .networkUnavailable,
        "\(place) cannot be reached: The server has not answered for \(seconds) seconds.",
        hint: Self.hint(for: ""))
    case .unable(let needed):
      CloudError(
        .accountTemporarilyUnavailable,
        "The server of \(place) cannot do what a cloud needs: \(needed.rawValue).",
        hint: "It must be OpenSSH's own sftp-server, version 6.5 or newer.")
    case .noRoot: CloudError.unavailable("There is no directory \(place).")
    case .notADirectory(let path):
      CloudError.damaged("\(action) \(path): something else is in the place of a directory.")
    case .impostor(let impostor): impostor.cloudError(of: impostor.account)
    case .unreadable(let path):
      CloudError.damaged("\(path) may not be read by this user.")
    case .lostList(let path): CloudError.lostList(of: path)
    case .full:
      CloudError(
        .quotaExceeded, "\(action) \(path): no space is left on \(place).",
        hint: "Free some space on the cloud's disk.")
    case .readOnly:
      CloudError(
        .permissionFailure, "\(action) \(path): \(place) can only be read.",
        hint: "Its disk is mounted read-only there: mount it for writing.")
    case .noShell(let reason):
      CloudError(
        .permissionFailure,
        "\(place) lets other users in by commands on the server, which it does not run"
          + (reason.isEmpty ? "." : ": \(reason)"),
        hint: "Whoever administers the server can allow a shell, and install setfacl (the package "
          + "acl).")
    case .status(.permissionDenied):
      CloudError(
        .permissionFailure, "\(action) \(path): permission denied on \(place).",
        hint: "The owner of the directory can allow it.")
    case .status(let status):
      CloudError(
        .networkUnavailable, "\(action) \(path): \(place) answered with error \(status.rawValue).",
        hint: "It is tried again.")
    }
  }

  /// What ssh says above its last line.
  static let changedKeyWarning = "REMOTE HOST IDENTIFICATION HAS CHANGED"
  static let changedKey = "The key of the host is another one than ssh knows."

  /// What can be done about what ssh says.
  private static func hint(for reason: String) -> String {
    if reason == changedKey {
      return "Somebody else may be answering in its place. Ask whoever administers the host "
        + "whether it has a new key; only then remove the old one with `ssh-keygen -R HOST`."
    }
    if reason.contains("Host key verification failed") {
      return "Connect with ssh once in a terminal, and compare the key of the host."
    }
    if reason.contains("Permission denied") {
      return "Connect with ssh in a terminal: nobody is asked for a password here, so a key must be"
        + " in the agent (ssh-add) or have no passphrase."
    }
    if reason.contains("Could not resolve hostname") {
      return "Is the name of the host right, and is there a network? Nothing is lost."
    }
    if reason.contains("cannot be started") {
      return "Is it installed, and where PATH says? On Debian, install the package openssh-client."
    }
    return "Nothing is lost; it is tried again."
  }
}
