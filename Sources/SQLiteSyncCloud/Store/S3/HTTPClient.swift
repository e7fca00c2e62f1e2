import CSQLiteSyncCurl
import Foundation
import Synchronization

/// A request over HTTP.
struct HTTPRequest: Sendable {
  let method: String
  let url: String
  let headers: [(name: String, value: String)]
  let body: Data?
  /// How many bytes of the answer are wanted; what is more is not waited for.
  let limit: Int
  /// The path of a file with the certificates that are trusted, as PEM; nil: those of the system.
  var certificates: String?
}

/// What came back.
struct HTTPResponse: Sendable {
  fileprivate(set) var status = 0
  /// By lower-case names.
  fileprivate(set) var headers: [String: String] = [:]
  fileprivate(set) var body = Data()
}

/// Why there is no answer.
enum HTTPFailure: Error {
  /// The request was certainly not carried out.
  case notSent(String)
  /// It may have been carried out.
  case lost(String)

  var reason: String {
    switch self {
    case .notSent(let reason), .lost(let reason): reason
    }
  }
}

/// Requests by libcurl, over connections that are kept; any number at once.
///
/// libcurl sends a request a second time, by itself, when a kept connection turns out to be closed.
final class HTTPClient: Sendable {
  /// The addresses of handles that nobody uses now; each keeps its connections.
  private let idle = Mutex<[UInt]>([])
  /// How many milliseconds a server may be silent, and take to connect.
  private let patience: Int

  init(patience: Int) { self.patience = patience }

  deinit {
    // Without the library there are no handles.
    guard let library = Self.library else { return }
    for address in idle.withLock(\.self) {
      if let handle = UnsafeMutableRawPointer(bitPattern: address) {
        library.pointee.curl_easy_cleanup(handle)
      }
    }
  }

  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    guard let library = Self.library else {
      throw .notSent("The library libcurl is missing (on Debian: apt install libcurl4).")
    }
    guard let handle = handle(library) else { throw .notSent("There is no memory for a request.") }
    let transfer = Transfer(limit: request.limit)
    let start = ContinuousClock.now
    let result = Self.perform(request, patience, transfer, handle, library)
    let seconds = max(1, (ContinuousClock.now - start).components.seconds)
    let reason =
      result == Self.timedOut
      ? "The server has not answered within \(seconds) second\(seconds == 1 ? "" : "s")"
      : String(cString: library.pointee.curl_easy_strerror(result))
    library.pointee.curl_easy_reset(handle)
    idle.withLock { $0.append(UInt(bitPattern: handle)) }
    if result == 0 || transfer.hasEnough {
      // libcurl takes a head that is cut off for a whole one, with no body.
      guard transfer.isWhole else { throw .lost("The answer is cut off") }
      return transfer.response
    }
    throw Self.unsent.contains(result) ? .notSent(reason) : .lost(reason)
  }

  private func handle(_ library: UnsafePointer<curl_library>) -> UnsafeMutableRawPointer? {
    let known = idle.withLock { $0.popLast() }
    return known.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
      ?? library.pointee.curl_easy_init()
  }

  // MARK: - libcurl

  /// Nil when there is no libcurl on this machine.
  // Nothing is written there any more once it has been loaded.
  private nonisolated(unsafe) static let library: UnsafePointer<curl_library>? = {
    let names = ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"]
    let library = names.lazy.compactMap { name in curl_library_load(name) }.first
    return library.flatMap { $0.pointee.curl_global_init(3) == 0 ? $0 : nil }
  }()

  /// What goes wrong before a server can have read a request: `CURLE_UNSUPPORTED_PROTOCOL`,
  /// `…URL_MALFORMAT`, `…COULDNT_RESOLVE_PROXY`, `…COULDNT_RESOLVE_HOST`, `…COULDNT_CONNECT`,
  /// `…SSL_CONNECT_ERROR`, `…PEER_FAILED_VERIFICATION`, `…SSL_CACERT_BADFILE`.
  private static let unsent: Set<Int32> = [1, 3, 5, 6, 7, 35, 60, 77]

  /// `CURLE_OPERATION_TIMEDOUT`, also of an answer that comes too slowly.
  private static let timedOut: Int32 = 28

  /// The numbers of options (`CURLOPT_…` in curl.h).
  private enum Option {
    static let writeData: Int32 = 10_001
    static let url: Int32 = 10_002
    static let postFields: Int32 = 10_015
    static let userAgent: Int32 = 10_018
    static let headers: Int32 = 10_023
    static let headerData: Int32 = 10_029
    static let method: Int32 = 10_036
    static let certificates: Int32 = 10_065
    static let writeFunction: Int32 = 20_011
    static let headerFunction: Int32 = 20_079
    static let postFieldSize: Int32 = 30_120
    static let lowSpeedLimit: Int32 = 19
    static let lowSpeedTime: Int32 = 20
    static let httpVersion: Int32 = 84
    static let noSignal: Int32 = 99
    static let timeout: Int32 = 155
    static let connectTimeout: Int32 = 156
    static let protocols: Int32 = 181
    static let pathAsIs: Int32 = 234
  }

  /// A server that sends less than this many bytes a second is slower than any line.
  private static let slowest = 1_000
  /// What a line carries at least, in bytes a millisecond, when the end of a call is reckoned.
  private static let slowLine = 8

  private static func perform(
    _ request: HTTPRequest, _ patience: Int, _ transfer: Transfer,
    _ handle: UnsafeMutableRawPointer, _ library: UnsafePointer<curl_library>
  ) -> Int32 {
    var list: UnsafeMutableRawPointer?
    // Without an empty `Expect`, a large body would wait for a second for leave to be sent.
    for (name, value) in request.headers + [("Expect", "")] {
      list = library.pointee.curl_slist_append(
        list, value.isEmpty ? "\(name):" : "\(name): \(value)")
    }
    defer { library.pointee.curl_slist_free_all(list) }
    let size = (request.body?.count ?? 0) + min(request.limit, 1 << 30)
    let numbers = [
      (Option.noSignal, 1), (Option.httpVersion, 2), (Option.pathAsIs, 1),
      // HTTP and HTTPS; redirections are not followed.
      (Option.protocols, 3), (Option.connectTimeout, patience),
      (Option.lowSpeedLimit, slowest), (Option.lowSpeedTime, max(1, patience / 1_000)),
      (Option.timeout, 2 * patience + size / slowLine),
    ]
    for (option, value) in numbers { curl_set_number(library, handle, option, value) }
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    curl_set_pointer(library, handle, Option.writeData, context)
    curl_set_pointer(library, handle, Option.headerData, context)
    curl_set_take(library, handle, Option.writeFunction) { bytes, size, count, context in
      Transfer.of(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    curl_set_take(library, handle, Option.headerFunction) { bytes, size, count, context in
      Transfer.of(context).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
      return size * count
    }
    curl_set_pointer(library, handle, Option.headers, list)
    // What is set as a text is copied.
    curl_set_pointer(library, handle, Option.userAgent, "SQLiteSyncCloud")
    curl_set_pointer(library, handle, Option.url, request.url)
    curl_set_pointer(library, handle, Option.method, request.method)
    if let certificates = request.certificates {
      curl_set_pointer(library, handle, Option.certificates, certificates)
    }
    guard let body = request.body else { return curl_perform(library, handle) }
    return body.withUnsafeBytes { bytes in
      curl_set_size(library, handle, Option.postFieldSize, Int64(bytes.count))
      // An empty body is one, too; it has no address.
      return withUnsafePointer(to: 0 as UInt8) { none in
        curl_set_pointer(library, handle, Option.postFields, bytes.baseAddress ?? .init(none))
        return curl_perform(library, handle)
      }
    }
  }
}

/// What comes in during one transfer, in the thread that waits for it.
private final class Transfer {
  /// The most bytes of a complaint.
  private static let complaint = 1 << 16

  private let limit: Int
  var response = HTTPResponse()
  /// Whether it was ended here, because nothing more was wanted.
  private(set) var hasEnough = false
  /// Whether the head of the answer has come to its end.
  private var hasHead = false

  /// Whether the answer says where it ends: not just where the connection does.
  var isWhole: Bool {
    let isBare = [204, 304].contains(response.status)
    let saysLength = ["content-length", "transfer-encoding"].contains {
      response.headers[$0] != nil
    }
    return hasHead && (isBare || saysLength)
  }

  init(limit: Int) { self.limit = limit }

  static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    let limit = response.status / 100 == 2 ? limit : Self.complaint
    let wanted = bytes.prefix(limit - response.body.count)
    response.body.append(contentsOf: wanted)
    hasEnough = wanted.count < bytes.count
    return wanted.count
  }

  func takeHeader(_ bytes: UnsafeRawBufferPointer) {
    let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    if line.hasPrefix("HTTP/") {
      response = HTTPResponse()
      hasHead = false
      response.status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      response.headers[line[..<colon].lowercased()] = value
    } else if line.isEmpty {
      hasHead = true
    }
  }
}
