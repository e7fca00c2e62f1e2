import Foundation
import SQLiteSyncHashing
import Synchronization

/// Why a request to S3 did not do as asked.
struct S3Failure: Error {
  let error: CloudError
  /// Whether nothing was done, for certain.
  let isCertain: Bool
}

/// Signed requests to one bucket.
final class S3Client: Sendable {
  /// One request.
  struct Call {
    let method: String
    /// The key, without the address's prefix; nil for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    var headers: [String: String] = [:]
    var body: Data?
    var limit = 1 << 16
    /// The answers that are none of `failure(for:)`'s.
    var expected: Set<Int> = [200]
  }

  private struct Place {
    let settings: AWSSettings
    let endpoint: S3Endpoint
    let keys: AWSSettings.Keys
  }

  private struct State {
    /// As the environment and the files said when it was first asked; read again after a refusal.
    var place: Place?
    /// How many milliseconds the server's clock is ahead of this device's.
    var skew: Int64?
  }

  private let address: S3Address
  private let readSettings: @Sendable () -> AWSSettings
  private let now: @Sendable () -> Int64
  private let http: HTTPClient
  private let state = Mutex(State())

  /// - Parameters:
  ///   - patience: How many milliseconds a server may be silent.
  ///   - now: The device's clock.
  init(
    _ address: S3Address, patience: Int, now: @escaping @Sendable () -> Int64,
    settings: @escaping @Sendable () -> AWSSettings
  ) {
    self.address = address
    self.now = now
    readSettings = settings
    http = HTTPClient(patience: patience)
  }

  /// The time of the server, by its latest answer; nil before the first.
  var serverTime: Int64? { state.withLock(\.skew).map { now() + $0 } }

  /// Where requests go, for messages.
  func endpointName() throws(S3Failure) -> String { try place().endpoint.name }

  /// What keys begin with in the bucket.
  var keyPrefix: String { address.prefix.isEmpty ? "" : address.prefix + "/" }

  /// Asks, and returns an expected answer.
  func send(_ call: Call) throws(S3Failure) -> HTTPResponse {
    do throws(S3Failure) {
      return try sendOnce(call)
    } catch {
      // The server has just said what time it is.
      guard error.error == Self.skewed else { throw error }
      return try sendOnce(call)
    }
  }

  private func sendOnce(_ call: Call) throws(S3Failure) -> HTTPResponse {
    let place = try place()
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try http.send(request(call, place))
    } catch {
      let isCertain = if case .notSent = error { true } else { false }
      throw S3Failure(
        error: CloudError(
          .networkUnavailable, "\(place.endpoint.name) cannot be reached: \(error.reason).",
          hint: Self.hint(for: error.reason)), isCertain: isCertain)
    }
    if let time = response.headers["date"].flatMap(CalendarTime.milliseconds(httpDate:)) {
      state.withLock { $0.skew = time - now() }
    }
    guard !call.expected.contains(response.status) else { return response }
    let failure = failure(S3Complaint(response), response.status, place)
    // The keys may be others by the next time.
    if response.status == 403 { state.withLock { $0.place = nil } }
    throw failure
  }

  private func place() throws(S3Failure) -> Place {
    if let place = state.withLock({ $0.place }) { return place }
    let settings = readSettings()
    guard let keys = settings.keys else {
      throw S3Failure(
        error: CloudError(
          .notAuthenticated, "There is no key for \(address).",
          hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into "
            + "~/.aws/credentials under [\(settings.profile)] (AWS_PROFILE)."), isCertain: true)
    }
    do {
      let place = Place(
        settings: settings, endpoint: try S3Endpoint(address, settings), keys: keys)
      state.withLock { $0.place = place }
      return place
    } catch {
      let cloudError = error as? CloudError ?? CloudError(.internalError, "\(error)")
      throw S3Failure(error: cloudError, isCertain: true)
    }
  }

  private func request(_ call: Call, _ place: Place) -> HTTPRequest {
    let time = now() + (state.withLock(\.skew) ?? 0)
    let endpoint = place.endpoint
    let key = call.key.map { "/" + PercentEncoding.path(keyPrefix + $0) } ?? ""
    let path = endpoint.path + key
    var headers = call.headers
    headers["host"] = endpoint.host
    headers["x-amz-date"] = AWSSignature.timestamp(time)
    headers["x-amz-content-sha256"] = SHA256.digest(of: call.body ?? Data()).hexadecimal
    headers["x-amz-security-token"] = place.keys.token
    if call.body != nil { headers["content-type"] = "application/octet-stream" }
    let signature = AWSSignature(
      keys: place.keys, region: endpoint.region, service: "s3", time: time)
    let authorization = signature.authorization(
      for: .init(
        method: call.method, path: path.isEmpty ? "/" : path, query: call.query, headers: headers,
        bodyHash: headers["x-amz-content-sha256"] ?? ""))
    headers["authorization"] = authorization
    let query = call.query.isEmpty ? "" : "?" + AWSSignature.query(call.query)
    return HTTPRequest(
      method: call.method,
      url: "\(endpoint.scheme)://\(endpoint.host)\(path.isEmpty ? "/" : path)\(query)",
      headers: headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
      body: call.body, limit: call.limit, certificates: place.settings.certificates)
  }

  // MARK: - Refusals

  /// What can be done about what libcurl says.
  private static func hint(for reason: String) -> String {
    if reason.contains("resolve host") {
      return "Is the endpoint right, and is there a network? Nothing is lost."
    }
    if reason.contains("SSL connect error") || reason.contains("Unsupported protocol") {
      return "Does S3 answer there, and by https or by http? Nothing is lost."
    }
    return "Nothing is lost; it is tried again."
  }

  private static let skewed = CloudError(
    .accountTemporarilyUnavailable, "The clock of this device and that of the server differ.",
    hint: "Set this device's clock.")

  private func failure(_ complaint: S3Complaint, _ status: Int, _ place: Place) -> S3Failure {
    let name = place.endpoint.name
    func refused(_ reason: String, _ hint: String, _ code: CloudError.Code) -> S3Failure {
      S3Failure(error: CloudError(code, reason, hint: hint), isCertain: true)
    }
    func unavailable(_ reason: String, _ hint: String) -> S3Failure {
      refused(reason, hint, .accountTemporarilyUnavailable)
    }
    switch (complaint.code, status) {
    case ("RequestTimeTooSkewed", _): return S3Failure(error: Self.skewed, isCertain: true)
    case ("NoSuchBucket", _):
      return unavailable(
        "There is no bucket \(address.bucket) at \(name).",
        "Create it there, or check its name and the endpoint.")
    case ("AuthorizationHeaderMalformed", _), ("PermanentRedirect", _), (_, 301), (_, 307):
      return refused(
        "The bucket \(address.bucket) is in another region than \(place.endpoint.region).",
        complaint.region.map { "Say where: ?region=\($0)" } ?? "Say where: ?region=…",
        .badContainer)
    case ("QuotaExceeded", _), ("XMinioStorageFull", _), (_, 507):
      return refused(
        "\(name) has no space left: \(complaint.text).", "Free some space there.", .quotaExceeded)
    case ("AccessDenied", _):
      return refused(
        "\(name) refuses: \(complaint.text).",
        "The key is that of \(place.settings.source); it must be allowed to get, put, list and "
          + "delete objects of the bucket \(address.bucket).", .notAuthenticated)
    case (_, 401), (_, 403):
      return refused(
        "\(name) does not accept the key: \(complaint.text).",
        "Check the key of \(place.settings.source).", .notAuthenticated)
    case ("NotImplemented", _), (_, 501):
      return unavailable(
        "\(name) cannot do what a cloud needs: \(complaint.text).",
        "It must create objects with If-None-Match.")
    case (_, 400..<500) where ![408, 409, 425, 429].contains(status):
      let isS3 = !complaint.code.isEmpty
      return unavailable(
        isS3 ? "\(name) refuses: \(complaint.text)." : "\(name) does not speak S3 (\(status)).",
        "Check the endpoint, the style and the name of the bucket.")
    default:
      return S3Failure(
        error: CloudError(
          .networkUnavailable, "\(name) answered with error \(status): \(complaint.text).",
          hint: "Nothing is lost; it is tried again."), isCertain: false)
    }
  }
}
