import Foundation

/// A directory on another machine, as `ssh://[user@]host[:port]/path` names it.
///
/// `/~/path` is relative to the home of the user there. See
/// https://datatracker.ietf.org/doc/html/draft-ietf-secsh-scp-sftp-ssh-uri-04 for the form.
public struct SSHAddress: Hashable, Sendable, CustomStringConvertible {
  /// Who logs in; nil for whom ssh's configuration says.
  public let user: String?
  /// The machine, or a name from ssh's configuration.
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
    guard path.hasPrefix("/"), !path.contains("\0") else { return nil }
    user = url.user
    self.host = host
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

  /// The address as it is typed.
  public var description: String {
    let user = user.map { $0 + "@" } ?? ""
    let port = port.map { ":\($0)" } ?? ""
    return "ssh://\(user)\(host)\(port)\(path.hasPrefix("/") ? path : "/~/" + path)"
  }

  /// The command whose standard input and output are a session of SFTP with that machine.
  var command: [String] { connecting + ["-s", "--", host, "sftp"] }

  /// The command that runs another one there, which reads what this one reads.
  ///
  /// What shell reads it is the other machine's choice: there are no backslashes nor exclamation
  /// marks but in names, which shells do not all read alike.
  func command(running words: [String]) -> [String] {
    let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    return connecting + ["-T", "--", host, line]
  }

  /// The user's own ssh, so that its configuration, agent, jump hosts, known hosts and keys count.
  ///
  /// Nobody is there to be asked anything.
  private var connecting: [String] {
    let options = [
      "BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=2",
      "ClearAllForwardings=yes", "PermitLocalCommand=no",
    ]
    return ["ssh"] + options.flatMap { ["-o", $0] } + (port.map { ["-p", "\($0)"] } ?? [])
      + (user.map { ["-l", $0] } ?? [])
  }
}
