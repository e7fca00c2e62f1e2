import Foundation

/// What Amazon's own tools read from the environment and from `~/.aws`: keys, region and endpoint
/// (https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html and
/// https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html).
struct AWSSettings: Hashable, Sendable {
  /// A key; it is never shown.
  struct Keys: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let id: String
    let secret: String
    let token: String?

    var description: String { "a key" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  let keys: Keys?
  /// Where the keys were found, for messages.
  let source: String
  let region: String?
  let endpoint: String?
  /// The path of a file with the certificates that are trusted; nil: those of the system.
  let certificates: String?
  /// The section of the files that is used.
  let profile: String

  /// - Parameter read: The text of a file; nil when there is none.
  init(
    environment: [String: String],
    read: (String) -> String? = { path in
      FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
  ) {
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    let home = environment["HOME"] ?? ""
    let profile = variable("AWS_PROFILE") ?? "default"
    let files = (
      credentials: variable("AWS_SHARED_CREDENTIALS_FILE") ?? home + "/.aws/credentials",
      configuration: variable("AWS_CONFIG_FILE") ?? home + "/.aws/config"
    )
    let credentials = Self.section(profile, of: read(files.credentials))
    let configuration = read(files.configuration)
    let own = Self.section("profile \(profile)", of: configuration)
      .merging(profile == "default" ? Self.section(profile, of: configuration) : [:]) { $1 }
    self.profile = profile
    let named = Self.keys(
      id: variable("AWS_ACCESS_KEY_ID"), secret: variable("AWS_SECRET_ACCESS_KEY"),
      token: variable("AWS_SESSION_TOKEN"))
    let found = [
      (named, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
      (Self.keys(in: credentials), "\(files.credentials) under [\(profile)]"),
      (Self.keys(in: own), "\(files.configuration) of the profile \(profile)"),
    ].first { $0.0 != nil }
    (keys, source) = (found?.0, found?.1 ?? "")
    region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? own["region"]
    certificates = variable("AWS_CA_BUNDLE") ?? own["ca_bundle"]
    endpoint =
      variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL") ?? own["endpoint_url"]
  }

  private static func keys(in section: [String: String]) -> Keys? {
    keys(
      id: section["aws_access_key_id"], secret: section["aws_secret_access_key"],
      token: section["aws_session_token"])
  }

  private static func keys(id: String?, secret: String?, token: String?) -> Keys? {
    guard let id, let secret, isVisible(id), isVisible(secret), token.map(isVisible) ?? true else {
      return nil
    }
    return Keys(id: id, secret: secret, token: token)
  }

  /// They become parts of headers.
  private static func isVisible(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }

  /// The values of a section of a file; what is indented belongs to the line before, and is none.
  private static func section(_ name: String, of text: String?) -> [String: String] {
    var values: [String: String] = [:]
    var isInside = false
    for line in (text ?? "").split(whereSeparator: \.isNewline) {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      guard let first = trimmed.first, first != "#", first != ";" else { continue }
      if first == "[" {
        let title = trimmed.dropFirst().prefix { $0 != "]" }.split(separator: " ")
        isInside = title.joined(separator: " ") == name
      } else if isInside, line.first?.isWhitespace == false,
        let sign = trimmed.firstIndex(of: "=")
      {
        let key = trimmed[..<sign].trimmingCharacters(in: .whitespaces).lowercased()
        values[key] = trimmed[trimmed.index(after: sign)...].trimmingCharacters(in: .whitespaces)
      }
    }
    return values
  }
}
