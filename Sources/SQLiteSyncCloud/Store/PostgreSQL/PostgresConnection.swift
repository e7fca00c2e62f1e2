import CSQLiteSyncPQ
import Foundation
import Synchronization

/// A value that is sent along with a command.
enum PostgresParameter {
  case text(String)
  case bytes(Data)

  static func number(_ number: some BinaryInteger) -> Self { .text("\(number)") }

  var bytes: Data {
    switch self {
    case .text(let text): Data(text.utf8)
    case .bytes(let bytes): bytes
    }
  }
}

/// What a command returned: rows of columns in PostgreSQL's binary form, and how many it wrote.
struct PostgresReply {
  var rows: [[Data?]] = []
  var count = 0
}

/// A connection to a database, through libpq, that never waits without an end.
//
// `@unchecked Sendable`, because libpq lets a connection be used by any thread, one at a time: the
// store has it behind a lock, and the listener in its only thread.
final class PostgresConnection: @unchecked Sendable {
  private let library: pq_library
  private let connection: OpaquePointer
  /// How long the server may be silent while it owes an answer.
  private let patience: Duration

  /// How much longer than one silence a whole call may take, however slowly bytes trickle.
  private static let longestCall = 20
  /// What libpq is told unless the address says otherwise.
  private static let defaults = [
    ("application_name", "SQLiteSync"), ("client_encoding", "UTF8"),
    ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
    ("tcp_user_timeout", "30000"),
  ]

  /// Connects.
  ///
  /// In a thread of its own, which is left to itself when it takes too long: nothing ends the
  /// system's search for the address of a host.
  static func open(
    _ address: PostgresAddress, patience: Duration
  ) throws(PostgresError) -> PostgresConnection {
    let library = try PostgresLibrary.functions()
    let result = Mutex<Result<PostgresConnection, PostgresError>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let answer = Result { () throws(PostgresError) in
        let connection = try PostgresConnection(address, library, patience: patience)
        try connection.finishConnecting(address)
        return connection
      }
      result.withLock { $0 = answer }
      isDone.signal()
    }
    let milliseconds = Int(patience / .milliseconds(1))
    guard isDone.wait(timeout: .now() + .milliseconds(milliseconds + 1_000)) == .success,
      let answer = result.withLock({ $0 })
    else { throw Self.silence(patience) }
    return try answer.get()
  }

  private init(
    _ address: PostgresAddress, _ library: pq_library, patience: Duration
  ) throws(PostgresError) {
    let options = Self.defaults + [("dbname", address.text)]
    let connection = Self.withCStrings(options.map(\.0)) { keywords in
      Self.withCStrings(options.map(\.1)) { values in
        library.PQconnectStartParams(keywords, values, 1)
      }
    }
    guard let connection else {
      throw .lost("There is no memory.")
    }
    (self.library, self.connection, self.patience) = (library, connection, patience)
    // It would print them over the screen.
    _ = library.PQsetNoticeProcessor(connection, { _, _ in }, nil)
    guard library.PQstatus(connection) != Int32(PQ_CONNECTION_BAD) else {
      let complaint = address.withoutSecrets(complaint)
      guard Self.attempts.contains(where: complaint.hasPrefix) else { throw .misread(complaint) }
      throw refusal(complaint, address)
    }
  }

  /// How complaints begin when the server was looked for; before that, libpq reads the address.
  private static let attempts = [
    "connection to server", "could not connect", "could not create socket",
    "could not translate host name",
  ]

  private func refusal(_ complaint: String, _ address: PostgresAddress) -> PostgresError {
    .refused(
      complaint, needsPassword: library.PQconnectionNeedsPassword(connection) != 0,
      password: address.passwordSource(ProcessInfo.processInfo.environment))
  }

  deinit {
    library.PQfinish(connection)
  }

  private func finishConnecting(_ address: PostgresAddress) throws(PostgresError) {
    let end = ContinuousClock.now + patience
    var next = PQ_POLLING_WRITING
    while next != PQ_POLLING_OK {
      guard next != PQ_POLLING_FAILED else {
        throw refusal(address.withoutSecrets(complaint), address)
      }
      let events = next == PQ_POLLING_READING ? POLLIN : POLLOUT
      guard try wait(for: Int16(events), until: end) != 0 else { throw Self.silence(patience) }
      next = Int(library.PQconnectPoll(connection))
    }
    guard library.PQsetnonblocking(connection, 1) == 0 else { throw .lost(complaint) }
  }

  /// What libpq says of the latest failure, in one line.
  private var complaint: String {
    let text = library.PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    let lines = text.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.isEmpty ? "The connection was closed." : lines.joined(separator: " ")
  }

  private static func silence(_ patience: Duration) -> PostgresError {
    .silent(max(1, patience.components.seconds))
  }

  // MARK: - Waiting

  /// The socket, to be waited for beside others.
  var socket: Int32 { library.PQsocket(connection) }

  /// Whether the connection is still there, as far as can be seen without asking.
  ///
  /// What the server says last is read before the end is.
  var isAlive: Bool {
    for _ in 0..<8 {
      var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 0) > 0 else { break }
      guard library.PQconsumeInput(connection) == 1 else { return false }
    }
    return library.PQstatus(connection) == Int32(PQ_CONNECTION_OK)
  }

  /// Waits until bytes can be read or written; returns which, nothing when the time has come.
  private func wait(
    for events: Int16, until end: ContinuousClock.Instant
  ) throws(PostgresError) -> Int16 {
    while true {
      let left = Int32(clamping: Int64(ContinuousClock.now.duration(to: end) / .milliseconds(1)))
      guard left > 0 else { return 0 }
      var state = pollfd(fd: socket, events: events, revents: 0)
      let ready = poll(&state, 1, left)
      if ready > 0 { return state.revents }
      if ready < 0, errno != EINTR { throw .lost(String(cString: strerror(errno))) }
    }
  }

  // MARK: - Commands

  /// Carries out one command, in a transaction of its own.
  func run(
    _ command: String, _ parameters: PostgresParameter...
  ) throws(PostgresError) -> PostgresReply {
    // Text is given as text, whose type the server finds out, and bytes as such.
    let values = parameters.map { Array($0.bytes) + [0] }
    let formats: [Int32] = parameters.map { if case .bytes = $0 { 1 } else { 0 } }
    let lengths = values.map { Int32($0.count - 1) }
    let isSent = Self.withPointers(to: values) { pointers in
      library.PQsendQueryParams(
        connection, command, Int32(values.count), nil, pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw .lost(complaint) }
    return try reply()
  }

  /// Carries out several commands in one transaction.
  func runScript(_ script: String) throws(PostgresError) {
    guard library.PQsendQuery(connection, script) == 1 else { throw .lost(complaint) }
    _ = try reply()
  }

  /// The channel's notifications that have come, by what they say.
  func notifications() -> [String] {
    var payloads: [String] = []
    while let notification = library.PQnotifies(connection) {
      payloads.append(String(cString: notification.pointee.payload))
      library.PQfreemem(notification)
    }
    return payloads
  }

  private func reply() throws(PostgresError) -> PostgresReply {
    let end = ContinuousClock.now + patience * Self.longestCall
    var reply = PostgresReply()
    var failure: PostgresError?
    while true {
      try waitForResult(until: end)
      guard let result = library.PQgetResult(connection) else { break }
      defer { library.PQclear(result) }
      switch Int(library.PQresultStatus(result)) {
      case PQ_TUPLES_OK: reply.rows += rows(of: result)
      case PQ_COMMAND_OK: break
      default: failure = failure ?? error(of: result)
      }
      reply.count = Int(String(cString: library.PQcmdTuples(result))) ?? 0
    }
    if let failure { throw failure }
    return reply
  }

  /// Sends what is to be sent, and reads until there is a result, or none will come.
  private func waitForResult(until end: ContinuousClock.Instant) throws(PostgresError) {
    while true {
      let unsent = library.PQflush(connection)
      guard unsent >= 0 else { throw .lost(complaint) }
      guard unsent > 0 || library.PQisBusy(connection) != 0 else { return }
      let ready = try wait(
        for: Int16(POLLIN | (unsent > 0 ? POLLOUT : 0)), until: min(end, .now + patience))
      guard ready != 0 else { throw Self.silence(patience) }
      if ready & ~Int16(POLLOUT) != 0, library.PQconsumeInput(connection) == 0 {
        throw .lost(complaint)
      }
    }
  }

  private func rows(of result: OpaquePointer) -> [[Data?]] {
    let columns = library.PQnfields(result)
    return (0..<library.PQntuples(result)).map { row in
      (0..<columns).map { column in
        guard library.PQgetisnull(result, row, column) == 0,
          let value = library.PQgetvalue(result, row, column)
        else { return nil }
        return Data(bytes: value, count: Int(library.PQgetlength(result, row, column)))
      }
    }
  }

  private func error(of result: OpaquePointer) -> PostgresError {
    func field(_ field: Int) -> String? {
      library.PQresultErrorField(result, Int32(field)).map { String(cString: $0) }
    }
    // libpq's own errors, that the connection is gone, have none.
    guard let state = field(PQ_STATE) else { return .lost(complaint) }
    return .server(
      state: state, message: field(PQ_MESSAGE) ?? complaint,
      endsConnection: field(PQ_SEVERITY) != "ERROR")
  }

  // MARK: - C

  /// Strings in an array that ends with none, as C likes it.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    withPointers(to: strings.map { Array($0.utf8) + [0] }, body)
  }

  private static func withPointers<Result>(
    to values: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = values.map { value in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: value.count)
      _ = copy.initialize(from: value)
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    var pointers: [UnsafePointer<CChar>?] = copies.map {
      UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)
    }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("it ends with nil") }
      return body(start)
    }
  }
}

extension [Data?] {
  /// The column as a number of PostgreSQL's type `bigint`; nil when it is null or something else.
  func number(_ column: Int) -> Int64? {
    guard indices.contains(column), let bytes = self[column], bytes.count == 8 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The column as text.
  func text(_ column: Int) -> String? {
    guard indices.contains(column), let bytes = self[column] else { return nil }
    return String(data: bytes, encoding: .utf8)
  }
}
