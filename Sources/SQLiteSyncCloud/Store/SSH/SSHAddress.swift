import Foundation

/// A directory on another machine, as `ssh://[user@]host[:port]/path` names it.
///
/// `/~/path` is relative to the home of the user there. See
/// https://datatracker.ietf.org/doc/html/draft-ietf-secsh-scp-sftp-ssh-uri-04 for the form.
public struct SSHAddress: StoreAddress, Hashable, Sendable, CustomStringConvertible {
  /// Who logs in; nil for whom ssh's configuration says.
  public let user: String?
  /// The machine, or a name from ssh's configuration; an address of IPv6 without its brackets.
  public let host: String
  /// The port; nil for the one that ssh's configuration says.
  public let port: Int?
  /// The directory there: absolute, or relative to the user's home.
  public let path: String

  /// Reads an address that somebody has typed.
  ///
  /// Neither host nor user may begin with a hyphen: ssh would take it for an option.
  ///
  /// - Throws: `badContainer`, which says what is wrong with it; no password that was typed is in
  ///   that.
  public init(typed text: String) throws(CloudError) {
    guard let url = URLComponents(string: text), url.scheme?.lowercased() == "ssh",
      text.dropFirst(3).hasPrefix("://")
    else { throw Self.wrong("It does not begin with ssh:// and a host") }
    guard url.password == nil else { throw Self.wrong("There is a password in it") }
    guard let host = url.host, Self.isName(host) else {
      throw Self.wrong("What follows ssh:// is not the name of a host")
    }
    guard url.user.map(Self.isName) ?? true else {
      throw Self.wrong("What stands before @ is not the name of a user")
    }
    guard url.port.map((1...65_535).contains) ?? true else {
      throw Self.wrong("The port is not a number from 1 to 65535")
    }
    guard url.query == nil, url.fragment == nil else {
      throw Self.wrong("There is a ? or a # in it, which are written %3F and %23 in a path")
    }
    user = url.user
    // Brackets keep an address of IPv6 apart from the port; ssh would look for a host of that name.
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
    port = url.port
    path = try Self.path(url.path)
  }

  /// The directory that the path of an address names.
  private static func path(_ text: String) throws(CloudError) -> String {
    guard !text.hasControlCharacter else {
      throw wrong("There is a control character in the path")
    }
    var path = Substring(text)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty else { throw wrong("It names no directory after the host") }
    guard path.hasPrefix("/~") else { return String(path) }
    guard path != "/~" else { throw wrong("It names no directory in your home") }
    guard path.hasPrefix("/~/") else {
      throw wrong("/~ stands for your own home there, and for nobody else's: write its path")
    }
    return String(path.dropFirst(3))
  }

  private static func wrong(_ reason: String) -> CloudError {
    CloudError(
      .badContainer, "That is not an address that ssh can go to. \(reason).",
      hint: "Such as ssh://ann@example.org/srv/cloud, or ssh://host/~/cloud in your home there; "
        + "ssh takes no password from an address, but a key from its agent or a file.")
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-") else { return false }
    return !text.hasControlCharacter && !text.utf8.contains(0x20)
  }

  /// The address as it can be typed again.
  public var description: String {
    let user = user.map { PercentEncoding.part($0) + "@" } ?? ""
    let port = port.map { ":\($0)" } ?? ""
    let path = (path.hasPrefix("/") ? "" : "/~/") + PercentEncoding.path(path)
    return "ssh://\(user)\(shownHost)\(port)\(path)"
  }

  private var shownHost: String {
    guard host.contains(":") else { return PercentEncoding.part(host) }
    return "[" + host.replacing("%", with: "%25") + "]"
  }

  /// The command whose standard input and output are a session of SFTP with that machine.
  var command: [String] { command(isAlone: false) }

  private func command(isAlone: Bool) -> [String] {
    connecting(isAlone: isAlone) + ["-s", "--", host, "sftp"]
  }

  /// The command that runs another one there, which reads what this one reads.
  ///
  /// What shell reads it is the other machine's choice: there are no backslashes nor exclamation
  /// marks but in names, which shells do not all read alike.
  func command(running words: [String], isAlone: Bool = false) -> [String] {
    let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    return connecting(isAlone: isAlone) + ["-T", "--", host, line]
  }

  /// All that a store runs.
  var route: SSHRoute {
    func commands(isAlone: Bool) -> SSHRoute.Commands {
      SSHRoute.Commands(session: command(isAlone: isAlone)) {
        command(running: $0, isAlone: isAlone)
      }
    }
    return SSHRoute(commands(isAlone: false), alone: commands(isAlone: true))
  }

  /// The user's own ssh, so that its configuration, agent, jump hosts, known hosts and keys count.
  ///
  /// Nobody is there to be asked anything.
  ///
  /// - Parameter isAlone: Whether it shares no connection with another ssh.
  private func connecting(isAlone: Bool) -> [String] {
    let options =
      [
        "BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=2",
        "ClearAllForwardings=yes", "PermitLocalCommand=no",
      ] + (isAlone ? ["ControlPath=none"] : [])
    return ["ssh"] + options.flatMap { ["-o", $0] } + (port.map { ["-p", "\($0)"] } ?? [])
      + (user.map { ["-l", $0] } ?? [])
  }
}
