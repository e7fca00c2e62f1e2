import Foundation
import Synchronization

/// A cloud in a bucket of S3, or of anything that speaks S3 and creates objects conditionally.
///
/// What is needed of it is `PUT` with `If-None-Match: *`. There are services that ignore that
/// header or check it without a lock, so a place is probed before the first object is created
/// there.
///
/// Whoever has a key to the bucket can do everything in it: nothing can be shared.
public final class S3Store: ObjectStore {
  /// Where it is, for messages.
  let place: String
  let client: S3Client
  /// Whether the place creates an object once, or why it does not; nil before it is known.
  let verdict = Mutex<Verdict?>(nil)

  let onProbe: @Sendable (_ isRunning: Bool) -> Void

  /// How many requests are made at once.
  public let readsAtOnce = 8

  /// How long a server may be silent, in milliseconds.
  static let patience = 30_000
  /// How often a create is tried that the server has refused because of another one.
  private static let conflicts = 4

  /// The store of a bucket, which must exist when it is used.
  ///
  /// Keys, and what the address does not say, come from the environment and from `~/.aws`, as for
  /// Amazon's own tools.
  ///
  /// - Parameters:
  ///   - address: The bucket.
  ///   - onProbe: Is told when the store begins to find out whether the place creates an object
  ///     once, and when it knows: the first time, that can take ten seconds.
  public convenience init(
    _ address: S3Address, onProbe: @escaping @Sendable (_ isRunning: Bool) -> Void = { _ in }
  ) {
    self.init(address, patience: Self.patience, onProbe: onProbe) {
      AWSSettings(environment: ProcessInfo.processInfo.environment)
    }
  }

  init(
    _ address: S3Address, patience: Int = patience,
    now: @escaping @Sendable () -> Int64 = CloudEnvironment.live.now,
    onProbe: @escaping @Sendable (_ isRunning: Bool) -> Void = { _ in },
    settings: @escaping @Sendable () -> AWSSettings
  ) {
    place = address.description
    self.onProbe = onProbe
    client = S3Client(address, patience: patience, now: now, settings: settings)
  }

  // MARK: - Reading

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try reporting { () throws(S3Failure) in try read(path: key.description, limit: limit) }
  }

  /// See `ObjectStore.objects`: all at once.
  public func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    let results = Mutex<[Int: Result<Data?, any Error>]>([:])
    inParallel(keys.count, atOnce: readsAtOnce) { index in
      let result = Result { try self.read(keys[index], limit: limit) }
      results.withLock { $0[index] = result }
    }
    return try keys.indices.map { index in
      try results.withLock { $0[index] }?.get().map { StoredObject(bytes: $0) }
    }
  }

  /// Reads an object by its path in the cloud.
  func read(path: String, limit: Int) throws(S3Failure) -> Data? {
    // At least one byte: there is no range of none.
    let count = max(limit, 1)
    let range = count < 1 << 40 ? ["range": "bytes=0-\(count - 1)"] : [:]
    let response = try client.send(
      .init(
        method: "GET", key: path, headers: range, limit: count, expected: [200, 206, 404, 416]))
    switch response.status {
    // An object without bytes has no first one.
    case 416: return Data()
    case 404:
      let complaint = S3Complaint(response)
      if complaint.code == "NoSuchKey" { return nil }
      throw try failure(complaint, at: path)
    default:
      // A page that asks to sign in to a network has none.
      guard response.headers["etag"] != nil,
        response.headers["content-range"]?.hasPrefix("bytes 0-") ?? true
      else { throw try foreign() }
      return response.body.prefix(max(0, limit))
    }
  }

  /// A `404` that is not about the object.
  private func failure(_ complaint: S3Complaint, at path: String) throws(S3Failure) -> S3Failure {
    let name = try client.endpointName()
    let reason =
      switch complaint.code {
      case "NoSuchBucket": "There is no bucket for \(place) at \(name)."
      case "": "\(name) does not speak S3 (404)."
      default: "\(name) refuses to read \(path): \(complaint.text)."
      }
    return S3Failure(
      error: CloudError(
        .accountTemporarilyUnavailable, reason,
        hint: "Create the bucket there, or check its name and the endpoint."), isCertain: true)
  }

  private func foreign() throws(S3Failure) -> S3Failure {
    S3Failure(
      error: CloudError(
        .networkUnavailable, "What answers for \(try client.endpointName()) is not S3.",
        hint: "A network that asks to sign in does that."), isCertain: false)
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    guard limit > 0 else { return [] }
    let folder = prefix.components.map { $0 + "/" }.joined()
    var (entries, token) = ([StoreEntry](), String?.none)
    var (size, hasDirectories) = (min(1_000, limit), false)
    repeat {
      let page = try reporting { () throws(S3Failure) in
        try self.page(folder, after: name, token: token, size: size)
      }
      entries += page.entries.filter {
        isWanted($0.name) && !(folder.isEmpty && $0.name == Self.probeFolder)
      }
      token = page.next
      size = min(1_000, 2 * size)
      // Keys with `/` sort otherwise than names without: a directory may come late.
      hasDirectories = hasDirectories || page.hasDirectories
    } while token != nil && (entries.count < limit || hasDirectories)
    return StoreEntry.page(of: entries, after: name, limit: limit)
  }

  private func page(
    _ folder: String, after name: String?, token: String?, size: Int
  ) throws(S3Failure) -> S3Listing {
    let prefix = client.keyPrefix + folder
    var query = [
      (name: "list-type", value: "2"), ("delimiter", "/"), ("prefix", prefix),
      ("max-keys", "\(size)"),
    ]
    if let name { query.append(("start-after", prefix + name)) }
    if let token { query.append(("continuation-token", token)) }
    let response = try client.send(.init(method: "GET", query: query, limit: 1 << 22))
    guard let listing = S3Listing(response.body, prefix: prefix) else { throw try foreign() }
    return listing
  }

  // MARK: - Writing

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do throws(S3Failure) {
      try requireProbed()
      return create(path: key.description, bytes)
    } catch {
      return .failed(error.error)
    }
  }

  /// Creates an object by its path in the cloud.
  func create(path: String, _ bytes: Data) -> CreateOutcome {
    for attempt in 1...Self.conflicts {
      do throws(S3Failure) {
        let response = try client.send(
          .init(
            method: "PUT", key: path, headers: ["if-none-match": "*"], body: bytes,
            expected: [200, 201, 204, 409, 412]))
        switch response.status {
        case 412: return .exists
        // Another create of the same name was under way: this one was not carried out.
        case 409 where attempt < Self.conflicts: CloudEnvironment.live.pause(20 << Int64(attempt))
        case 409: break
        default:
          guard response.headers["etag"] != nil else { throw try foreign() }
          return .created
        }
      } catch {
        return error.isCertain ? .failed(error.error) : .unknown(error.error)
      }
    }
    return .unknown(
      CloudError(
        .networkUnavailable, "Others create \(path) at the same time.", hint: "It is tried again."))
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) throws {
    try reporting { () throws(S3Failure) in try delete(path: key.description) }
  }

  func delete(path: String) throws(S3Failure) {
    let response = try client.send(
      .init(method: "DELETE", key: path, expected: [200, 204, 404]))
    let complaint = S3Complaint(response)
    if response.status == 404, complaint.code != "NoSuchKey" {
      throw try failure(complaint, at: path)
    }
  }

  /// Returns at once: what a service answers for is durable, and seen by everybody.
  public func barrier(_ prefix: StorePrefix) {}

  /// See `ObjectStore.now`: by the header `Date` of the latest answer.
  public func now(in prefix: StorePrefix) throws -> Int64? {
    if let time = client.serverTime { return time }
    _ = try list(prefix, after: nil, limit: 1)
    return client.serverTime
  }

  // MARK: - Other users

  /// A bucket knows keys, and no users.
  public var sharingRefusal: CloudError? {
    CloudError(
      .permissionFailure,
      "A bucket keeps nobody apart: whoever has a key to it can read and change everything.",
      hint: "To share, use a cloud in a directory of several users, or in PostgreSQL.")
  }

  /// Tells nothing by itself: whoever uses the store asks for the next names from time to time.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    StoreWatch {}
  }

  private func reporting<Result>(_ body: () throws(S3Failure) -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw error.error
    }
  }
}

/// Works on numbers from 0 in several threads, and waits for all.
///
/// Threads of their own: Dispatch would have only as many as there are cores, and they all wait.
func inParallel(_ count: Int, atOnce width: Int, _ work: @escaping @Sendable (Int) -> Void) {
  let next = Mutex(0)
  let group = DispatchGroup()
  for _ in 0..<min(count, width) {
    group.enter()
    Thread {
      while true {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < count else { break }
        work(number)
      }
      group.leave()
    }.start()
  }
  group.wait()
}
