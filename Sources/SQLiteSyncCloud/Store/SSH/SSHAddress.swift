import Foundation

/// A directory on another machine, as `ssh://[user@]host[:port]/path` names it.
///
/// `/~/path` is relative to the home of the user there. See
/// https://datatracker.ietf.org/doc/html/draft-ietf-secsh-scp-sftp-ssh-uri-04 for the form.
public struct SSHAddress: Hashable, Sendable, CustomStringConvertible {
  /// Who logs in; nil for whom ssh's configuration says.
  public let user: String?
  /// The machine, or a name from ssh's configuration; an address of IPv6 without its brackets.
  public let host: String
  /// The port; nil for the one that ssh's configuration says.
  public let port: Int?
  /// The directory there: absolute, or relative to the user's home.
  public let path: String

  /// Reads an address; nil for what is none.
  ///
  /// Neither host nor user may begin with a hyphen: ssh would take it for an option.
  public init?(_ text: String) {
    guard let url = URLComponents(string: text), url.scheme?.lowercased() == "ssh",
      let host = url.host, Self.isName(host), url.user.map(Self.isName) ?? true,
      url.password == nil, url.query == nil, url.fragment == nil,
      url.port.map((1...65_535).contains) ?? true
    else { return nil }
    let path = url.path
    guard path.hasPrefix("/"), path != "/~",
      !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else { return nil }
    user = url.user
    // Brackets keep an address of IPv6 apart from the port; ssh would look for a host of that name.
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
    port = url.port
    if path.hasPrefix("/~/") {
      self.path = String(path.dropFirst(3))
    } else {
      self.path = path
    }
    guard !self.path.isEmpty else { return nil }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-") else { return false }
    return text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
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
