/// A request of SFTP version 3 without its number
/// (https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02), with OpenSSH's extensions
/// (https://github.com/openssh/openssh-portable/blob/master/PROTOCOL).
enum SFTPRequest {
  case open(path: String, SFTPOpenFlags, permissions: UInt32?)
  case close(handle: [UInt8])
  case read(handle: [UInt8], offset: UInt64, count: UInt32)
  case write(handle: [UInt8], offset: UInt64, ArraySlice<UInt8>)
  /// Of a link itself, not of what it leads to.
  case linkStatus(path: String)
  case status(path: String)
  case setPermissions(path: String, UInt32)
  case setHandlePermissions(handle: [UInt8], UInt32)
  case openDirectory(path: String)
  case readDirectory(handle: [UInt8])
  case remove(path: String)
  case makeDirectory(path: String, permissions: UInt32)
  case synchronize(handle: [UInt8])
  case hardLink(existing: String, new: String)
  case diskStatus(path: String)
  case names(users: [UInt32])

  /// The packet, with its length.
  func packet(number: UInt32) -> [UInt8] {
    var body = PacketWriter()
    body.bytes.append(type)
    body.put(number)
    write(to: &body)
    var packet = PacketWriter()
    packet.put(UInt32(body.bytes.count))
    return packet.bytes + body.bytes
  }

  private var type: UInt8 {
    switch self {
    case .open: 3
    case .close: 4
    case .read: 5
    case .write: 6
    case .linkStatus: 7
    case .setPermissions: 9
    case .setHandlePermissions: 10
    case .openDirectory: 11
    case .readDirectory: 12
    case .remove: 13
    case .makeDirectory: 14
    case .status: 17
    case .synchronize, .hardLink, .diskStatus, .names: 200
    }
  }

  private func write(to body: inout PacketWriter) {
    switch self {
    case .open(let path, let flags, let permissions):
      body.put(path)
      body.put(flags.rawValue)
      body.put(permissions: permissions)
    case .close(let handle), .readDirectory(let handle): body.put(handle)
    case .read(let handle, let offset, let count):
      body.put(handle)
      body.put(offset)
      body.put(count)
    case .write(let handle, let offset, let bytes):
      body.put(handle)
      body.put(offset)
      body.put(bytes)
    case .linkStatus(let path), .status(let path), .openDirectory(let path), .remove(let path):
      body.put(path)
    case .setPermissions(let path, let permissions), .makeDirectory(let path, let permissions):
      body.put(path)
      body.put(permissions: permissions)
    case .setHandlePermissions(let handle, let permissions):
      body.put(handle)
      body.put(permissions: permissions)
    case .synchronize(let handle):
      body.put(SFTPExtension.synchronize.rawValue)
      body.put(handle)
    case .hardLink(let existing, let new):
      body.put(SFTPExtension.hardLink.rawValue)
      body.put(existing)
      body.put(new)
    case .diskStatus(let path):
      body.put(SFTPExtension.diskStatus.rawValue)
      body.put(path)
    case .names(let users):
      var numbers = PacketWriter()
      for user in users { numbers.put(user) }
      body.put(SFTPExtension.names.rawValue)
      body.put(numbers.bytes)
      // Of no groups.
      body.put("")
    }
  }
}

/// How a file is opened.
struct SFTPOpenFlags: OptionSet {
  let rawValue: UInt32

  static let read = SFTPOpenFlags(rawValue: 0x01)
  static let write = SFTPOpenFlags(rawValue: 0x02)
  static let create = SFTPOpenFlags(rawValue: 0x08)
  static let exclusive = SFTPOpenFlags(rawValue: 0x20)
}

/// What a server may be able to do beyond version 3.
enum SFTPExtension: String {
  case hardLink = "hardlink@openssh.com"
  case synchronize = "fsync@openssh.com"
  case diskStatus = "statvfs@openssh.com"
  case names = "users-groups-by-id@openssh.com"
}

/// What a server answers.
enum SFTPReply {
  case status(SFTPStatus)
  case handle([UInt8])
  case data(ArraySlice<UInt8>)
  case names([(name: String?, attributes: SFTPAttributes)])
  case attributes(SFTPAttributes)
  /// Of an extension with an answer of its own.
  case extended(ArraySlice<UInt8>)

  /// Reads a packet without its length, and the number of its request; nil for what is none.
  static func parse(_ packet: ArraySlice<UInt8>) -> (number: UInt32, reply: SFTPReply)? {
    var reader = PacketReader(packet)
    guard let type = reader.byte(), let number = reader.number32() else { return nil }
    return parse(type, &reader).map { (number, $0) }
  }

  private static func parse(_ type: UInt8, _ reader: inout PacketReader) -> SFTPReply? {
    switch type {
    case 101: reader.number32().map { .status(SFTPStatus(rawValue: $0)) }
    case 102: reader.string().map { .handle(Array($0)) }
    case 103: reader.string().map { .data($0) }
    case 104: reader.names().map { .names($0) }
    case 105: reader.attributes().map { .attributes($0) }
    case 201: .extended(reader.rest)
    default: nil
    }
  }
}

/// The code of an answer that carries nothing else.
struct SFTPStatus: RawRepresentable, Hashable {
  let rawValue: UInt32

  static let ok = SFTPStatus(rawValue: 0)
  static let endOfFile = SFTPStatus(rawValue: 1)
  static let noSuchFile = SFTPStatus(rawValue: 2)
  static let permissionDenied = SFTPStatus(rawValue: 3)
  static let failure = SFTPStatus(rawValue: 4)
}

/// What is known of a file, as far as the server says.
struct SFTPAttributes: Hashable {
  var size: UInt64?
  var owner: UInt32?
  /// Type and permissions, as `st_mode` has them.
  var mode: UInt32?
  /// Seconds since 1970.
  var modified: UInt32?

  /// What a name stands for: what is not said to be an object is none.
  var kind: StoreEntry.Kind {
    switch (mode ?? 0) & 0o170_000 {
    case 0o100_000: .file
    case 0o040_000: .directory
    case 0o120_000: .link
    default: .other
    }
  }

  /// Who owns the file.
  var user: StoreUser? { owner.map(StoreUser.init(number:)) }
}

/// Puts numbers, most significant byte first, and texts with their lengths one after the other.
struct PacketWriter {
  var bytes: [UInt8] = []

  mutating func put(_ number: UInt32) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ text: some Collection<UInt8>) {
    put(UInt32(text.count))
    bytes.append(contentsOf: text)
  }

  mutating func put(_ text: String) { put(text.utf8) }

  /// Attributes of which at most the permissions are said.
  mutating func put(permissions: UInt32?) {
    put(permissions == nil ? 0 : SFTPAttributes.Flag.mode)
    if let permissions { put(permissions) }
  }
}

extension SFTPAttributes {
  fileprivate enum Flag {
    static let size: UInt32 = 0x01
    static let owner: UInt32 = 0x02
    static let mode: UInt32 = 0x04
    static let times: UInt32 = 0x08
    static let extended: UInt32 = 0x8000_0000
  }
}

/// Takes a packet apart; nil from where it ends too early.
struct PacketReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ packet: ArraySlice<UInt8>) { rest = packet }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number32() -> UInt32? { number(of: 4).map(UInt32.init(truncatingIfNeeded:)) }

  mutating func number64() -> UInt64? { number(of: 8) }

  private mutating func number(of count: Int) -> UInt64? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func string() -> ArraySlice<UInt8>? {
    guard let count = number32(), Int(count) <= rest.count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }

  mutating func attributes() -> SFTPAttributes? {
    typealias Flag = SFTPAttributes.Flag
    guard let flags = number32() else { return nil }
    var attributes = SFTPAttributes()
    if flags & Flag.size != 0 {
      guard let size = number64() else { return nil }
      attributes.size = size
    }
    if flags & Flag.owner != 0 {
      guard let owner = number32(), number32() != nil else { return nil }
      attributes.owner = owner
    }
    if flags & Flag.mode != 0 {
      guard let mode = number32() else { return nil }
      attributes.mode = mode
    }
    if flags & Flag.times != 0 {
      guard number32() != nil, let modified = number32() else { return nil }
      attributes.modified = modified
    }
    if flags & Flag.extended != 0 {
      guard let count = number32() else { return nil }
      // Each is read, not reserved for: the server says any number.
      for _ in 0..<count { guard string() != nil, string() != nil else { return nil } }
    }
    return attributes
  }

  /// A part of a listing; a name that is not UTF-8 is none of the cloud's.
  mutating func names() -> [(name: String?, attributes: SFTPAttributes)]? {
    guard let count = number32() else { return nil }
    var names: [(name: String?, attributes: SFTPAttributes)] = []
    for _ in 0..<count {
      guard let name = string(), string() != nil, let attributes = attributes() else { return nil }
      names.append((String(validating: name, as: UTF8.self), attributes))
    }
    return names
  }
}
