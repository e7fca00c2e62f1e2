import Foundation

/// A person on a cloud: a Unix user (`u1001`), or one of several names that a Unix user plays
/// (`@ann`).
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
  /// `u` and the user id, or `@` and a name: also the directory under `accounts/`.
  public let rawValue: String

  /// The account of a Unix user, protected by the ownership of its directory.
  public init(userID: UInt32) {
    self.rawValue = "u\(userID)"
  }

  /// A cooperative account.
  ///
  /// Nil unless the name matches `[a-z0-9][a-z0-9._-]{0,31}`.
  public init?(name: String) {
    // By hand: every commit that is read names an account, and a regular expression takes longer
    // than the rest of the file.
    guard (1...32).contains(name.utf8.count), name.utf8.first.map(Self.isLetterOrDigit) == true,
      name.utf8.allSatisfy({ Self.isLetterOrDigit($0) || "._-".utf8.contains($0) })
    else { return nil }
    self.rawValue = "@" + name
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// An account as written in a commit: `u1001` or `@ann`.
  ///
  /// Nil if it is neither.
  public init?(rawValue: String) {
    var rest = rawValue.utf8[...]
    switch rest.popFirst() {
    case UInt8(ascii: "@"): self.init(name: String(Substring(rest)))
    case UInt8(ascii: "u"):
      guard let id = rest.takeNumber(), rest.isEmpty, id <= UInt32.max else { return nil }
      self.init(valid: rawValue)
    default: return nil
    }
  }

  private init(valid rawValue: String) {
    self.rawValue = rawValue
  }

  /// The Unix user; nil for a cooperative account.
  public var userID: UInt32? { rawValue.first == "u" ? UInt32(rawValue.dropFirst()) : nil }

  /// The name as shown to people: without the `@`.
  public var description: String {
    rawValue.first == "@" ? String(rawValue.dropFirst()) : rawValue
  }
}

extension AccountID: ExpressibleByStringLiteral {
  /// A cooperative account by its name, such as `"ann"`, or an account as written in a commit:
  /// `"u1001"`.
  ///
  /// A literal that is neither is a mistake in the program, and ends it.
  public init(stringLiteral text: String) {
    guard let account = AccountID(rawValue: text) ?? AccountID(name: text) else {
      // Only literals come here: no data does.
      preconditionFailure("“\(text)” is not an account: [a-z0-9][a-z0-9._-]{0,31}")
    }
    self = account
  }
}

extension AccountID {
  /// The account of the Unix user who runs this process.
  public static var currentUser: AccountID { AccountID(userID: getuid()) }
}

/// Names a zone: a set of records with one commit log.
public struct ZoneID: Hashable, Sendable {
  /// The zone's name, unique among its owner's.
  public let name: String
  /// Whose zone it is.
  public let owner: AccountID

  /// A zone of an account.
  public init(name: String, owner: AccountID) {
    self.name = name
    self.owner = owner
  }
}

extension ZoneID {
  /// Why no zone can have a name; nil when one can.
  package static func objection(toName name: String) -> String? {
    Validity.objection(toName: name)
  }
}
