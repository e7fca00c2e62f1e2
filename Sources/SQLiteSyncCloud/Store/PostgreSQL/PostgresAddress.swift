import Foundation

/// A PostgreSQL database, as `postgres://[role[:password]@][host][:port][/database][?option=value]`
/// names it.
///
/// libpq reads it, so everything counts that counts for `psql`: its environment variables, service
/// and password files too. See
/// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING-URIS for the form.
public struct PostgresAddress: StoreAddress, Hashable, Sendable, CustomStringConvertible {
  /// The address without what is secret in it.
  public let description: String
  /// Who logs in, as far as the address says.
  public let role: String?
  /// The address as libpq gets it.
  let text: String
  private let hasPassword: Bool
  /// What must not be shown: as it is typed, and as it is meant.
  private let secrets: [String]

  /// The options that are shown; of the others some are secret.
  private static let shown: Set<String> = [
    "channel_binding", "connect_timeout", "dbname", "host", "hostaddr", "passfile", "port",
    "service", "sslcert", "sslcrl", "sslkey", "sslmode", "sslrootcert", "target_session_attrs",
    "user",
  ]
  private static let secret: Set<String> = ["password", "sslpassword"]

  /// Reads an address that somebody has typed.
  ///
  /// - Throws: `badContainer`, which says what is wrong with it; no password that was typed is in
  ///   that. What only libpq can tell it says when it connects.
  public init(typed text: String) throws(CloudError) {
    guard let colon = text.range(of: "://"),
      ["postgres", "postgresql"].contains(text[..<colon.lowerBound].lowercased())
    else { throw Self.wrong("It does not begin with postgres://") }
    guard !text.hasControlCharacter, !text.utf8.contains(0x20) else {
      throw Self.wrong("There is a space or a control character in it")
    }
    let parts = text[colon.upperBound...].split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let options = parts.count == 2 ? parts[1].split(separator: "&") : []
    // A password with `@` in it: libpq and people would not agree on where the host begins.
    guard parts[0].count(where: { $0 == "@" }) < 2, parts.count < 2 || !parts[1].contains("@")
    else { throw Self.wrong("There is more than one @ in it, or one after the ?") }
    var place = parts[0]
    while place.hasSuffix("/"), place.dropLast().contains("/") { place.removeLast() }
    let at = place.lastIndex(of: "@")
    let login = place[..<(at ?? place.startIndex)].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let address = at.map { place[place.index(after: $0)...] } ?? place
    guard !login.contains(where: { $0.contains("/") }) else {
      throw Self.wrong("There is a / before the @")
    }
    try Self.requirePlace(address)
    var secrets = login.count == 2 ? [String(login[1])] : []
    var shownOptions: [Substring] = []
    var hasPassword = !secrets.allSatisfy(\.isEmpty)
    var role = login.first.map(String.init)
    for option in options {
      let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw Self.wrong("An option after the ? has no value") }
      if Self.shown.contains(String(pair[0])) { shownOptions.append(option) }
      if Self.secret.contains(String(pair[0])) { secrets.append(String(pair[1])) }
      if pair[0] == "password" { hasPassword = true }
      if pair[0] == "user" { role = String(pair[1]) }
    }
    self.text = "postgres://\(place)" + (parts.count == 2 ? "?\(parts[1])" : "")
    self.hasPassword = hasPassword
    self.secrets = (secrets + secrets.compactMap(\.removingPercentEncoding)).filter { !$0.isEmpty }
    self.role = role.flatMap { $0.isEmpty ? nil : $0.removingPercentEncoding }
    description =
      "postgres://" + (login.first.map { $0.isEmpty ? "" : $0 + "@" } ?? "") + address
      + (shownOptions.isEmpty ? "" : "?" + shownOptions.joined(separator: "&"))
  }

  /// Throws unless something is hosts with ports and the name of a database.
  ///
  /// A password without a role, or with a `/` in it, would be taken for such.
  private static func requirePlace(_ text: Substring) throws(CloudError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    for host in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
      let end = host.hasPrefix("[") ? host.firstIndex(of: "]") ?? host.endIndex : host.startIndex
      guard let colon = host[end...].firstIndex(of: ":") else { continue }
      guard host[host.index(after: colon)...].utf8.allSatisfy({ (48...57).contains($0) }) else {
        throw wrong("What follows the host and a colon is not a port")
      }
    }
    guard parts.dropFirst().allSatisfy({ !$0.contains("/") }) else {
      throw wrong("There is a / in the name of the database")
    }
  }

  private static func wrong(_ reason: String) -> CloudError {
    CloudError(
      .badContainer, "That is not the address of a PostgreSQL database. \(reason).",
      hint: example + " What means something in an address is written in a password as %40 (for "
        + "@), %2F and the like.")
  }

  /// What an address looks like.
  static let example = "Such as postgres://ann@example.org:5432/cloud?sslmode=require."

  /// Where libpq finds the password.
  func passwordSource(_ environment: [String: String]) -> String {
    if hasPassword { return "the address" }
    if environment["PGPASSWORD"]?.isEmpty == false { return "PGPASSWORD" }
    return environment["PGPASSFILE"] ?? "~/.pgpass"
  }

  /// What libpq says about the address; nothing that may be secret is in it.
  func withoutSecrets(_ message: String) -> String {
    guard !message.contains(text), !secrets.contains(where: message.contains) else {
      return "libpq does not understand the address"
    }
    return message
  }
}
