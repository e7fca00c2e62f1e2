import Foundation

/// A place in a bucket, as `s3://bucket/prefix` names it.
///
/// `?endpoint=https://…` says where the bucket is, if it is not at Amazon; `region=…` in which
/// region it is; `style=path` or `style=virtual` whether the bucket is a part of the path or of the
/// host.
/// Keys are not part of an address, which is shown and logged.
public struct S3Address: StoreAddress, Hashable, Sendable, CustomStringConvertible {
  /// Where in the host or the path the bucket is named.
  public enum Style: String, Hashable, Sendable {
    /// In the path.
    case path
    /// In the name of the host.
    case virtual
  }

  /// The bucket.
  public let bucket: String
  /// What the keys of all objects begin with, without a slash at its ends; empty for the bucket.
  public let prefix: String
  /// Where to ask; nil for what the environment says.
  public let endpoint: String?
  /// The region; nil for what the environment says.
  public let region: String?
  /// The style; nil for what is usual at the endpoint.
  public let style: Style?

  /// Reads an address that somebody has typed.
  ///
  /// - Throws: `badContainer`, which says what is wrong with it; no key that was typed is in that.
  public init(typed text: String) throws(CloudError) {
    guard let url = URLComponents(string: text), url.scheme?.lowercased() == "s3",
      text.dropFirst(2).hasPrefix("://")
    else { throw Self.wrong("It does not begin with s3:// and a bucket") }
    guard url.user == nil, url.password == nil else {
      throw Self.wrong("There is a key in it, or an @")
    }
    guard let bucket = url.host, Self.isBucket(bucket) else {
      throw Self.wrong("What follows s3:// is not the name of a bucket")
    }
    guard url.port == nil else {
      throw Self.wrong("There is a port after the bucket, which belongs to the endpoint")
    }
    guard url.fragment == nil else { throw Self.wrong("There is a # in it, which is written %23") }
    let names = url.path.split(separator: "/", omittingEmptySubsequences: true)
    guard names.allSatisfy({ $0 != "." && $0 != ".." }),
      !url.path.hasControlCharacter
    else { throw Self.wrong("In the path after the bucket is “.”, “..” or a control character") }
    // Else the bucket would be looked for at Amazon.
    guard !Self.options.contains(where: { url.path.contains("&\($0)=") }) else {
      throw Self.wrong("Before the first option is a & instead of a ?")
    }
    self.bucket = bucket
    prefix = names.joined(separator: "/")
    var options: [String: String] = [:]
    for item in url.queryItems ?? [] {
      guard Self.options.contains(item.name) else {
        throw Self.wrong(AddressOption.unknown(item.name, of: Self.options))
      }
      guard let value = item.value, !value.isEmpty else {
        throw Self.wrong("The option \(item.name) has no value")
      }
      guard options.updateValue(value, forKey: item.name) == nil else {
        throw Self.wrong("The option \(item.name) is there twice")
      }
    }
    (endpoint, region) = (options["endpoint"], options["region"])
    style = options["style"].flatMap(Style.init)
    guard (options["style"] == nil) == (style == nil) else {
      throw Self.wrong("The style is neither path nor virtual")
    }
    guard endpoint.map({ S3Endpoint.url($0) != nil }) ?? true else {
      throw Self.wrong("The endpoint is none: it is https://host[:port], without a user or a query")
    }
    guard region.map(S3Endpoint.isRegion) ?? true else {
      throw Self.wrong("The region is none, such as eu-west-1")
    }
  }

  private static let options = ["endpoint", "region", "style"]

  private static func wrong(_ reason: String) -> CloudError {
    CloudError(
      .badContainer, "This is not the address of a bucket. \(reason).",
      hint: "Such as 's3://bucket/reminders?endpoint=https://minio.example&region=eu-west-1'; "
        + "keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials.")
  }

  /// Lower-case letters, digits, dots and hyphens, as the rules for buckets have it; old ones have
  /// capital letters and underscores, too.
  private static func isBucket(_ text: String) -> Bool {
    (3...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      } && text.first != "." && text.first != "-"
  }

  /// The address as it can be typed again.
  public var description: String {
    let options = [
      endpoint.map { "endpoint=" + PercentEncoding.address($0) }, region.map { "region=\($0)" },
      style.map { "style=\($0.rawValue)" },
    ].compactMap(\.self)
    return "s3://\(bucket)" + (prefix.isEmpty ? "" : "/" + PercentEncoding.path(prefix))
      + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
  }
}

/// Where the requests of an address go.
struct S3Endpoint: Hashable, Sendable {
  /// `https` or `http`.
  let scheme: String
  /// With the port, where it is not the usual one; with the bucket, where it is a part of it.
  let host: String
  /// What stands before the key in every path, encoded, without a slash at its end.
  let path: String
  let region: String
  /// As messages name it.
  let name: String

  /// - Throws: `CloudError` when the environment names what is not an endpoint or region.
  init(_ address: S3Address, _ settings: AWSSettings) throws {
    region = address.region ?? settings.region ?? "us-east-1"
    guard Self.isRegion(region) else {
      throw CloudError(
        .badContainer, "“\(region)” is not a region of S3.",
        hint: "AWS_REGION, AWS_DEFAULT_REGION or ~/.aws/config says so.")
    }
    let named = address.endpoint ?? settings.endpoint
    guard let url = Self.url(named ?? "https://s3.\(region).amazonaws.com"), let host = url.host
    else {
      throw CloudError(
        .badContainer, "“\(named ?? "")” is not an endpoint of S3.",
        hint: "AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or ~/.aws/config says so; an endpoint begins "
          + "with https:// and has no user, query or fragment.")
    }
    scheme = url.scheme?.lowercased() ?? "https"
    let usualPort = scheme == "https" ? 443 : 80
    let port = url.port.flatMap { $0 == usualPort ? nil : ":\($0)" } ?? ""
    let base = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
    // A dot would make a host that no certificate is for.
    let usual: S3Address.Style = named == nil && !address.bucket.contains(".") ? .virtual : .path
    if address.style ?? usual == .virtual {
      self.host = "\(address.bucket).\(host)\(port)"
      path = PercentEncoding.path(base)
    } else {
      self.host = host + port
      path = PercentEncoding.path("\(base)/\(address.bucket)")
    }
    name = "\(scheme)://\(host)\(port)"
  }

  static func url(_ text: String) -> URLComponents? {
    guard let url = URLComponents(string: text),
      ["http", "https"].contains(url.scheme?.lowercased()),
      let host = url.host, !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      url.user == nil, url.password == nil, url.query == nil, url.fragment == nil,
      url.port.map((1...65_535).contains) ?? true
    else { return nil }
    return url
  }

  static func isRegion(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
      }
  }
}
