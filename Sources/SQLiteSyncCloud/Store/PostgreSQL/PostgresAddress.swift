import Foundation

/// A PostgreSQL database, as `postgres://[role[:password]@][host][:port][/database][?option=value]`
/// names it.
///
/// libpq reads it, so everything counts that counts for `psql`: its environment variables, service
/// and password files too. See
/// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING-URIS for the form.
public struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address without what is secret in it.
  public let description: String
  /// Who logs in, as far as the address says.
  public let role: String?
  /// The address as libpq gets it.
  let text: String
  /// What must not be shown: as it is typed, and as it is meant.
  private let secrets: [String]

  /// The options that are shown; of the others some are secret.
  private static let shown: Set<String> = [
    "channel_binding", "connect_timeout", "dbname", "host", "hostaddr", "passfile", "port",
    "service", "sslcert", "sslcrl", "sslkey", "sslmode", "sslrootcert", "target_session_attrs",
    "user",
  ]
  private static let secret: Set<String> = ["password", "sslpassword"]

  /// Reads an address; nil for what is none, or leaves open where the password ends.
  public init?(_ text: String) {
    guard let colon = text.range(of: "://"),
      ["postgres", "postgresql"].contains(text[..<colon.lowerBound].lowercased()),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { return nil }
    let parts = text[colon.upperBound...].split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0]
    let options = parts.count == 2 ? parts[1].split(separator: "&") : []
    guard parts.count < 2 || !parts[1].contains("@") else { return nil }
    // A password with `@` in it: libpq and people would not agree on where the host begins.
    guard place.count(where: { $0 == "@" }) < 2 else { return nil }
    let at = place.lastIndex(of: "@")
    let login = place[..<(at ?? place.startIndex)].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let address = at.map { place[place.index(after: $0)...] } ?? place
    guard Self.isPlace(address), !login.contains(where: { $0.contains("/") }) else { return nil }
    var secrets = login.count == 2 ? [String(login[1])] : []
    var shownOptions: [Substring] = []
    var role = login.first.map(String.init)
    for option in options {
      let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { return nil }
      if Self.shown.contains(String(pair[0])) { shownOptions.append(option) }
      if Self.secret.contains(String(pair[0])) { secrets.append(String(pair[1])) }
      if pair[0] == "user" { role = String(pair[1]) }
    }
    self.text = "postgres://" + text[colon.upperBound...]
    self.secrets = (secrets + secrets.compactMap(\.removingPercentEncoding)).filter { !$0.isEmpty }
    self.role = role.flatMap { $0.isEmpty ? nil : $0.removingPercentEncoding }
    description =
      "postgres://" + (login.first.map { $0.isEmpty ? "" : $0 + "@" } ?? "") + address
      + (shownOptions.isEmpty ? "" : "?" + shownOptions.joined(separator: "&"))
  }

  /// Whether something is hosts with ports and the name of a database.
  ///
  /// A password without a role, or with a `/` in it, would be taken for such.
  private static func isPlace(_ text: Substring) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return parts[0].split(separator: ",", omittingEmptySubsequences: false).allSatisfy { host in
      let end = host.hasPrefix("[") ? host.firstIndex(of: "]") ?? host.endIndex : host.startIndex
      guard let colon = host[end...].firstIndex(of: ":") else { return true }
      let port = host[host.index(after: colon)...]
      return port.utf8.allSatisfy { (48...57).contains($0) }
    } && parts.dropFirst().allSatisfy { !$0.contains("/") }
  }

  /// What libpq says about the address; nothing that may be secret is in it.
  func withoutSecrets(_ message: String) -> String {
    guard !message.contains(text), !secrets.contains(where: message.contains) else {
      return "libpq does not understand the address."
    }
    return message
  }
}
