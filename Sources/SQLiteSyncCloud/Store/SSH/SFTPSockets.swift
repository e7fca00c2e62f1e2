import Foundation

/// The sockets to a server of SFTP, and the bytes that were read too far.
struct SFTPSockets: ~Copyable {
  /// No file of the cloud is read in larger pieces; a server that announces more is none.
  private static let largestPacket = 1 << 20
  /// How many bytes of the server's complaints are kept: the last ones.
  private static let largestComplaint = 4_096

  private let socket: Int32
  /// Where the server's standard error comes out.
  private let complaints: Int32
  private let patience: Int32
  private var nextNumber: UInt32 = 1
  private var received: [UInt8] = []
  private var complaint: [UInt8] = []
  private var isComplaining = true
  /// What is closed along with the next requests: nobody need wait for that.
  private var unneeded: [[UInt8]] = []

  /// - Parameter patience: How many milliseconds the server may be silent while it owes an answer.
  init(socket: Int32, complaints: Int32, patience: Int32) {
    (self.socket, self.complaints, self.patience) = (socket, complaints, patience)
    for end in [socket, complaints] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(socket)
    close(complaints)
  }

  /// Says which version is spoken, and returns what the server can do beyond it.
  mutating func greet() throws(SFTPError) -> Set<String> {
    var hello = PacketWriter()
    hello.put(5 as UInt32)
    hello.bytes.append(1)
    hello.put(3 as UInt32)
    var extensions: Set<String> = []
    try pump(hello.bytes) { packet throws(SFTPError) in
      var reader = PacketReader(packet)
      guard reader.byte() == 2, let version = reader.number32(), version >= 3 else {
        throw Self.nonsense
      }
      while let name = reader.string(), reader.string() != nil {
        extensions.insert(String(decoding: name, as: UTF8.self))
      }
      return true
    }
    return extensions
  }

  /// Closes a handle along with the next requests.
  mutating func closeLater(_ handle: [UInt8]) { unneeded.append(handle) }

  /// Sends requests all at once, and returns the answers in their order.
  mutating func exchange(_ wanted: [SFTPRequest]) throws(SFTPError) -> [SFTPReply] {
    guard !wanted.isEmpty else { return [] }
    let closes = unneeded.map(SFTPRequest.close)
    unneeded = []
    let requests = closes + wanted
    let first = nextNumber
    var output: [UInt8] = []
    for request in requests {
      output += request.packet(number: nextNumber)
      nextNumber &+= 1
    }
    var replies: [SFTPReply?] = Array(repeating: nil, count: requests.count)
    var missing = requests.count
    try pump(output) { packet throws(SFTPError) in
      guard let (number, reply) = SFTPReply.parse(packet) else { throw Self.nonsense }
      let index = Int(number &- first)
      guard replies.indices.contains(index), replies[index] == nil else { throw Self.nonsense }
      replies[index] = reply
      missing -= 1
      return missing == 0
    }
    return replies.dropFirst(closes.count).compactMap(\.self)
  }

  private static let nonsense = SFTPError.lost("The server does not speak SFTP as it should.")
  private static let closed = SFTPError.lost("The connection was closed.")

  // MARK: - Bytes

  /// Writes and reads until `take`, which is given each packet that comes, says that it was the
  /// last one.
  ///
  /// Both at once: the server stops reading while nobody takes what it answers.
  private mutating func pump(
    _ output: [UInt8], _ take: (ArraySlice<UInt8>) throws(SFTPError) -> Bool
  ) throws(SFTPError) {
    do throws(SFTPError) {
      var sent = 0
      var silence = ContinuousClock.now
      while true {
        while let packet = try nextPacket() {
          if try take(packet) { return }
        }
        let ready = try wait(sending: sent < output.count, since: silence)
        if ready.isWritable { sent += try send(output[sent...]) }
        if ready.isReadable { try receive() }
        if ready.isWritable || ready.isReadable { silence = .now }
      }
    } catch {
      throw explaining(error)
    }
  }

  /// Waits until bytes can be sent, or are there; complaints are taken meanwhile.
  private mutating func wait(
    sending isSending: Bool, since silence: ContinuousClock.Instant
  ) throws(SFTPError) -> (isReadable: Bool, isWritable: Bool) {
    let left = ContinuousClock.now.duration(to: silence + .milliseconds(Int(patience)))
    let milliseconds =
      Int32(clamping: left.components.seconds * 1_000)
      + Int32(left.components.attoseconds / 1_000_000_000_000_000)
    var states = [
      pollfd(fd: socket, events: Int16(POLLIN | (isSending ? POLLOUT : 0)), revents: 0),
      // A negative number is passed over.
      pollfd(fd: isComplaining ? complaints : -1, events: Int16(POLLIN), revents: 0),
    ]
    let ready = milliseconds > 0 ? poll(&states, 2, milliseconds) : 0
    if ready < 0, errno == EINTR { return (false, false) }
    guard ready > 0 else {
      throw .silent(Int(max(1, patience / 1_000)))
    }
    if states[1].revents != 0 { takeComplaint() }
    let seen = states[0].revents
    return (seen & Int16(POLLIN | POLLHUP | POLLERR) != 0, seen & Int16(POLLOUT) != 0)
  }

  private func send(_ bytes: ArraySlice<UInt8>) throws(SFTPError) -> Int {
    // A child that has ended must not end this process by a signal.
    let count = bytes.withUnsafeBytes {
      Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count < 0 else { return count }
    guard [EAGAIN, EINTR].contains(errno) else { throw Self.closed }
    return 0
  }

  private mutating func receive() throws(SFTPError) {
    guard let bytes = Self.read(socket) else { return }
    guard !bytes.isEmpty else { throw Self.closed }
    received += bytes
  }

  /// What is there; nothing at the end, nil when there may be more later.
  private static func read(_ socket: Int32) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
    if count < 0, [EAGAIN, EINTR].contains(errno) { return nil }
    return buffer.prefix(max(0, count))
  }

  // MARK: - Complaints

  private mutating func takeComplaint() {
    guard let bytes = Self.read(complaints) else { return }
    isComplaining = !bytes.isEmpty
    complaint = Array((complaint + bytes).suffix(Self.largestComplaint))
  }

  /// An error with what the child said about it: that is better than what can be seen from here.
  private mutating func explaining(_ error: SFTPError) -> SFTPError {
    guard case .lost(let reason) = error else { return error }
    // A child that has ended has said all that it will; one that hangs, or never stops talking, is
    // not waited for.
    var state = pollfd(fd: complaints, events: Int16(POLLIN), revents: 0)
    for _ in 0..<64 where isComplaining && poll(&state, 1, 100) > 0 { takeComplaint() }
    let said = String(decoding: complaint, as: UTF8.self)
    if said.contains(SFTPError.changedKeyWarning) { return .lost(SFTPError.changedKey) }
    let line = said.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      // What ssh says when it first goes to a host, whatever comes of it.
      .last { !$0.isEmpty && !$0.hasPrefix("Warning: Permanently added") }
    return .lost(line ?? reason)
  }

  private mutating func nextPacket() throws(SFTPError) -> ArraySlice<UInt8>? {
    var reader = PacketReader(received[...])
    guard let length = reader.number32() else { return nil }
    guard (1...Self.largestPacket).contains(Int(length)) else { throw Self.nonsense }
    guard reader.rest.count >= Int(length) else { return nil }
    let packet = Array(reader.rest.prefix(Int(length)))
    received.removeFirst(4 + Int(length))
    return packet[...]
  }
}
