/// The access control list of a directory, as Linux keeps it in the attribute
/// `system.posix_acl_access` (`struct posix_acl_xattr_header` in `linux/posix_acl_xattr.h`).
struct AccessControlList {
  static let attribute = "system.posix_acl_access"

  private enum Tag: UInt16 {
    case owner = 0x01
    case user = 0x02
    case group = 0x04
    case mask = 0x10
    case other = 0x20
  }

  private static let version: UInt32 = 2
  private static let nobody = UInt32.max
  private static let entrySize = 8

  /// What single users may do, by their numbers.
  let users: [UInt32: StoreAccess.Level]
  /// What all others may do, those of the owner's group among them.
  let others: StoreAccess.Level

  init(users: [UInt32: StoreAccess.Level], others: StoreAccess.Level) {
    (self.users, self.others) = (users, others)
  }

  /// The list of who may do what; throws `permissionFailure` for a user who has no number.
  init(_ access: StoreAccess) throws(CloudError) {
    var users: [UInt32: StoreAccess.Level] = [:]
    for (user, level) in access.users {
      guard let number = user.number else {
        throw CloudError(.permissionFailure, "“\(user)” is not the number of a user.")
      }
      users[number] = level
    }
    self.init(users: users, others: access.others)
  }

  /// Reads an attribute; nil when it says what has no name here.
  ///
  /// - Parameters:
  ///   - bytes: The attribute.
  ///   - others: The mode of the directory.
  ///   - masked: Whether to read what users may do, or what they could without the mask.
  init?(_ bytes: [UInt8], others: UInt32, masked: Bool = true) {
    guard bytes.count >= 4, (bytes.count - 4).isMultiple(of: Self.entrySize) else { return nil }
    var (group, mask): (UInt16, UInt16) = (0, 7)
    var named: [UInt32: UInt16] = [:]
    for start in stride(from: 4, to: bytes.count, by: Self.entrySize) {
      func number(_ offset: Int, _ count: Int) -> UInt32 {
        bytes[(start + offset)..<(start + offset + count)].reversed().reduce(0) {
          $0 << 8 | UInt32($1)
        }
      }
      let bits = UInt16(number(2, 2))
      switch Tag(rawValue: UInt16(number(0, 2))) {
      case .user: named[number(4, 4)] = bits
      case .group: group = bits
      case .mask: mask = bits
      case .owner, .other: continue
      case nil: return nil
      }
    }
    self.init(
      named: named, group: group, mask: masked ? mask : 7, others: UInt16(others & 7))
  }

  /// What the entries of a list come to; nil when that has no name here.
  init?(named: [UInt32: UInt16], group: UInt16, mask: UInt16, others: UInt16) {
    var users: [UInt32: StoreAccess.Level] = [:]
    for (user, bits) in named {
      guard let level = StoreAccess.Level(rawValue: bits & mask) else { return nil }
      users[user] = level
    }
    guard let level = StoreAccess.Level(rawValue: group & mask | others) else { return nil }
    self.init(users: users, others: level)
  }

  var access: StoreAccess {
    StoreAccess(
      users: users.reduce(into: [:]) { $0[StoreUser(number: $1.key)] = $1.value }, others: others)
  }

  /// The twelve bits of the directory's mode; users come on top, in the list.
  ///
  /// Where others may write, the sticky bit keeps them from removing what is not theirs.
  var mode: UInt32 {
    let isShared = ([others] + users.values).contains { $0 == .write || $0 == .drop }
    return 0o700 | UInt32(others.rawValue) * 0o11 | (isShared ? 0o1000 : 0)
  }

  /// Whether the list leaves a user nothing to do.
  func keepsOut(_ user: UInt32) -> Bool { (users[user] ?? others) == .none }

  /// The most that anyone but the owner may do: what the middle bits of the mode say.
  var mask: UInt16 {
    users.values.reduce(others.rawValue) { $0 | $1.rawValue }
  }

  /// The attribute; its entries are in the order that the kernel asks for.
  var bytes: [UInt8] {
    var bytes = Self.littleEndian(Self.version)
    func add(_ tag: Tag, _ bits: UInt16, id: UInt32 = Self.nobody) {
      bytes += Self.littleEndian(tag.rawValue) + Self.littleEndian(bits) + Self.littleEndian(id)
    }
    add(.owner, 7)
    for (user, level) in users.sorted(by: { $0.key < $1.key }) {
      add(.user, level.rawValue, id: user)
    }
    add(.group, others.rawValue)
    add(.mask, mask)
    add(.other, others.rawValue)
    return bytes
  }

  private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
