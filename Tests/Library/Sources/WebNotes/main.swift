// A web page over one database: notes that show at once in every browser, on all devices.
//
//     swift run WebNotes <database> <cloud> [<port>]
//
// Several servers may share a cloud, each with a database of its own, or a database.

import Foundation
import GRDB
import SQLiteSync

struct Note: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "notes"
  var id = UUID().uuidString.lowercased()
  var text: String
}

func escaped(_ text: String) -> String {
  ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"].sorted { $0.key < $1.key }
    .reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
}

func page(_ notes: [Note]) -> String {
  let items = notes.map { "<li>\(escaped($0.text))</li>" }.joined(separator: "\n")
  return """
    <!doctype html><meta charset="utf-8"><title>Notes</title>
    <form method="post"><input name="text" autofocus> <button>Add</button></form>
    <ul>
    \(items)
    </ul>
    <script>new EventSource("/changes").onmessage = () => location.reload()</script>

    """
}

/// What a form sends: `text=Buy+milk%21`.
func text(ofForm body: String) -> String? {
  body.split(separator: "&").first { $0.hasPrefix("text=") }?.dropFirst("text=".count)
    .replacingOccurrences(of: "+", with: " ").removingPercentEncoding
}

/// One request on one connection, in the little of HTTP that this page needs.
struct Connection {
  let socket: Int32
  let database: DatabasePool

  func serve() {
    defer { close(socket) }
    guard let (line, body) = request() else { return }
    do {
      switch line {
      case "GET /": answer("200 OK", page(try database.read { try Note.fetchAll($0) }))
      case "POST /":
        guard let text = text(ofForm: body), !text.isEmpty else { return answer("400 Bad Request") }
        try database.write { try Note(text: text).insert($0) }
        answer("303 See Other", headers: "Location: /\r\n")
      case "GET /changes": try tellChanges()
      default: answer("404 Not Found", "There is only one page.\n")
      }
    } catch {
      answer("500 Internal Server Error", escaped("\(error)"))
    }
  }

  /// The method and path, and the body; nil for what is no request.
  private func request() -> (line: String, body: String)? {
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
      let length = lines.lazy.map { $0.lowercased() }
        .first { $0.hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
      guard text[end.upperBound...].utf8.count >= length ?? 0 else { continue }
      let line = lines[0].split(separator: " ").prefix(2).joined(separator: " ")
      return (line, String(text[end.upperBound...]))
    }
    return nil
  }

  private func answer(_ status: String, _ body: String = "", headers: String = "") {
    send(
      """
      HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\n\(headers)\
      Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)
      """)
  }

  /// Server-sent events: one for every change of the table, by whomever, until the browser leaves.
  private func tellChanges() throws {
    send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let hasLeft = DispatchSemaphore(value: 0)
    let observation = ValueObservation.tracking { try Note.fetchCount($0) }.removeDuplicates()
    let cancellable = observation.start(in: database, scheduling: .async(onQueue: .global())) {
      _ in
      hasLeft.signal()
    } onChange: { count in
      if !send("data: \(count)\n\n") { hasLeft.signal() }
    }
    hasLeft.wait()
    cancellable.cancel()
  }

  @discardableResult
  private func send(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

func listen(port: UInt16) throws -> (socket: Int32, port: UInt16) {
  #if canImport(Glibc)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let listener = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian  // this machine only
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isListening = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, size) == 0 && Foundation.listen(listener, 16) == 0
        && getsockname(listener, $0, &size) == 0
    }
  }
  guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
  return (listener, UInt16(bigEndian: address.sin_port))
}

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
  print("usage: WebNotes <database> <cloud> [<port>]")
  exit(64)
}
signal(SIGPIPE, SIG_IGN)
let database = try DatabasePool(path: arguments[1], configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: "CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL)")
}
let engine = try SyncEngine(
  for: database, tables: [Note.self], cloud: URL(filePath: arguments[2]), startImmediately: true)
let server = try listen(port: arguments.count > 3 ? UInt16(arguments[3]) ?? 0 : 0)
print("http://127.0.0.1:\(server.port)")
fflush(nil)  // whoever reads this through a pipe waits for it
while true {
  let connection = Connection(socket: accept(server.socket, nil, nil), database: database)
  guard connection.socket >= 0 else { break }
  Thread.detachNewThread { connection.serve() }
}
