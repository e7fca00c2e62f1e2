import Foundation

/// Takes connections on the loopback, each in a thread of its own.
final class LoopbackServer: Sendable {
  let port: UInt16
  private let listener: Int32

  /// - Parameter serve: Works on a connection, which is closed afterwards.
  init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw CocoaError(.fileReadUnknown) }
    Thread {
      // Until it is shut down.
      while case let socket = accept(listener, nil, nil), socket >= 0 {
        Thread { serve(Connection(socket: socket)) }.start()
      }
      // Not by whoever ends it: this thread would take the next server's connections, whose socket
      // may get the same number.
      close(listener)
    }.start()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// One end of a connection.
final class Connection: Sendable {
  private let socket: Int32

  init(socket: Int32) { self.socket = socket }

  /// A connection to a port of the loopback.
  convenience init?(port: UInt16) {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = LoopbackServer.address(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(socket)
      return nil
    }
    self.init(socket: socket)
  }

  deinit { close(socket) }

  /// What comes next; nothing at the end.
  func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(socket, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  /// - Parameter size: How many bytes leave at once at most.
  func send(_ bytes: some Collection<UInt8>, inPiecesOf size: Int = .max) {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].prefix(size).withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// The bytes of the next message of HTTP; nil when the connection has ended before its end.
  func message(_ rest: inout [UInt8]) -> HTTPMessage? {
    while true {
      if let message = HTTPMessage(rest) {
        rest.removeFirst(message.bytes.count)
        return message
      }
      let more = receive()
      guard !more.isEmpty else { return nil }
      rest += more
    }
  }
}

/// A request or an answer of HTTP/1.1 that says how long it is.
struct HTTPMessage {
  /// All of it.
  let bytes: [UInt8]
  let firstLine: String
  let headers: [String: String]
  let body: [UInt8]

  /// Reads one from the beginning of some bytes; nil while it is not whole.
  init?(_ received: [UInt8]) {
    let end = Array("\r\n\r\n".utf8)
    guard let start = received.indices.first(where: { received[$0...].starts(with: end) }) else {
      return nil
    }
    let lines = String(decoding: received[..<start], as: UTF8.self).components(separatedBy: "\r\n")
    firstLine = lines[0]
    headers = Dictionary(
      lines.dropFirst().compactMap { line in
        line.firstIndex(of: ":").map { colon in
          let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
          return (line[..<colon].lowercased(), value)
        }
      }, uniquingKeysWith: { $1 })
    let count = headers["content-length"].flatMap { Int($0) } ?? 0
    guard received.count >= start + 4 + count else { return nil }
    bytes = Array(received[..<(start + 4 + count)])
    body = Array(bytes[(start + 4)...])
  }

  static func answer(_ status: String, headers: [String] = [], _ body: String = "") -> [UInt8] {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
