import Foundation

/// OpenSSH's sshd with two users whom this machine does not have, `ann` (4001) and `ben` (4002).
///
/// Each connection has an sshd of its own, on a pipe instead of a port, in a namespace of mounts in
/// which the list of users is another one. It logs in by keys that are made for it.
struct SSHServer {
  /// Whether this machine has all that is needed.
  static let isThere =
    geteuid() == 0
    && [
      "/usr/sbin/sshd", "/usr/bin/ssh-keygen", "/usr/bin/setfacl", "/usr/lib/openssh/sftp-server",
    ]
    .allSatisfy(FileManager.default.isExecutableFile)
    && (try? run(["unshare", "-m", "true"])) != nil
  /// Why what needs a server is skipped.
  static let absence = """
    root, namespaces of mounts, or one of the packages openssh-server, openssh-sftp-server and acl \
    is missing
    """

  /// Where a program called ssh is, which goes to this server whatever it is told.
  let path: String

  /// - Parameters:
  ///   - directory: Where keys and configuration are: others must be able to go there.
  ///   - onlyFiles: Whether it lets nobody run anything.
  init(in directory: URL, onlyFiles: Bool = false) throws {
    path = "\(directory.path):/usr/bin:/bin"
    for key in ["host", "user"] {
      try Self.run([
        "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory.appending(path: key).path,
      ])
    }
    let users = try String(contentsOfFile: "/etc/passwd", encoding: .utf8)
    let files = [
      "passwd": users + "ann:x:4001:4001::/tmp:/bin/sh\nben:x:4002:4002::/tmp:/bin/sh\n",
      "sshd_config": Self.serverConfiguration(directory.path, onlyFiles: onlyFiles),
      "serve": """
      #!/bin/sh
      mkdir -p /run/sshd
      exec unshare -m sh -c "mount --bind '\(directory.path)/passwd' /etc/passwd &&
        exec /usr/sbin/sshd -i -f '\(directory.path)/sshd_config'"

      """,
      "ssh_config": Self.clientConfiguration(directory.path),
      "ssh": "#!/bin/sh\nexec /usr/bin/ssh -F '\(directory.path)/ssh_config' \"$@\"\n",
    ]
    for (name, text) in files {
      let file = directory.appending(path: name)
      try Data(text.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
  }

  private static func serverConfiguration(_ directory: String, onlyFiles: Bool) -> String {
    """
    HostKey \(directory)/host
    AuthorizedKeysFile \(directory)/user.pub
    StrictModes no
    UsePAM no
    LogLevel QUIET
    Subsystem sftp /usr/lib/openssh/sftp-server
    \(onlyFiles ? "ForceCommand internal-sftp" : "")

    """
  }

  private static func clientConfiguration(_ directory: String) -> String {
    """
    IdentityFile \(directory)/user
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile \(directory)/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking accept-new
    ProxyCommand \(directory)/serve

    """
  }

  private struct Failure: Error { let status: Int32 }

  private static func run(_ command: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(status: process.terminationStatus) }
  }
}
