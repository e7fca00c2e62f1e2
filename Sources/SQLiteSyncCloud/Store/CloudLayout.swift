import Foundation
import SQLiteSyncHashing

/// A directory of the cloud.
///
/// Only `CloudLayout` makes one, out of components of fixed forms.
public struct StorePrefix: Hashable, Sendable, CustomStringConvertible {
  let components: [String]
  /// Where files that are being written lie; nil: beside their final name.
  let stage: [String]?

  fileprivate init(_ components: [String], stage: [String]? = nil) {
    self.components = components
    self.stage = stage
  }

  /// The path below the cloud's directory.
  public var description: String { components.joined(separator: "/") }

  /// The directory of the zone that it is or lies in, if that belongs to another Unix user.
  func zone(ofOtherThan user: UInt32) -> StorePrefix? {
    guard components.count >= 4, components[2] == "zones",
      let owner = AccountID(rawValue: components[1])?.userID, owner != user
    else { return nil }
    return StorePrefix(Array(components.prefix(4)))
  }
}

/// An object of the cloud.
///
/// Made by `CloudLayout`, or from what a listing returned.
public struct StoreKey: Hashable, Sendable, CustomStringConvertible {
  /// The directory.
  public let prefix: StorePrefix
  /// The last component of the path.
  public let name: String

  fileprivate init(_ prefix: StorePrefix, _ name: String) {
    self.prefix = prefix
    self.name = name
  }

  /// The key of a listed object: a name that is in the directory holds no separator.
  init(_ prefix: StorePrefix, listed entry: StoreEntry) {
    self.init(prefix, entry.name)
  }

  /// The path below the cloud's directory.
  public var description: String {
    (prefix.components + [name]).joined(separator: "/")
  }
}

/// Where everything lies in the cloud's directory.
///
/// Names of records, types, fields and people are never path components. What is comes from here
/// and matches one of the fixed forms, which rules out path traversal by construction.
enum CloudLayout {
  static let root = StorePrefix([])
  static let cloudFile = StoreKey(root, "CLOUD.json")

  static let accounts = StorePrefix(["accounts"])

  static func account(_ account: AccountID) -> StorePrefix {
    StorePrefix(["accounts", account.rawValue])
  }

  static func accountFile(_ account: AccountID) -> StoreKey {
    StoreKey(self.account(account), "account.json")
  }

  /// Where others leave messages; nothing is staged elsewhere, because they may write only here.
  static func inbox(of account: AccountID) -> StorePrefix {
    StorePrefix(["accounts", account.rawValue, "inbox"])
  }

  /// A message: named like an asset, by its content and a number of this sending.
  static func message(_ hash: ContentHash, number: UInt64, to account: AccountID) -> StoreKey {
    let suffix = withUnsafeBytes(of: number.bigEndian) { $0.prefix(4).hexadecimal }
    return StoreKey(inbox(of: account), "\(hash)-\(suffix)")
  }

  static func zones(of account: AccountID) -> StorePrefix {
    StorePrefix(["accounts", account.rawValue, "zones"])
  }
}

/// The directories and files of one zone.
struct ZoneLayout: Hashable, Sendable {
  /// The zone's directory: `slug-` and 16 digits of the hash of its name, so that two devices that
  /// create the same zone at the same moment create the same one.
  let directory: [String]
  private let stagePath: [String]
  let meta: StorePrefix
  /// The log of the first epoch, which most zones never leave: every commit is looked up in it.
  private let firstLog: StorePrefix

  init(_ zone: ZoneID) {
    self.init(owner: zone.owner, key: Self.key(of: zone.name))
  }

  /// The zone in a listed directory; nil unless the name has the form of a zone's key.
  init?(owner: AccountID, listed entry: StoreEntry) {
    let parts = entry.name.split(separator: "-", omittingEmptySubsequences: false)
    guard entry.kind == .directory, parts.count == 2, (1...40) ~= parts[0].utf8.count,
      parts[0].utf8.allSatisfy(Self.isOfSlug), parts[1].utf8.count == 16,
      parts[1].isLowercaseHexadecimal
    else { return nil }
    self.init(owner: owner, key: entry.name)
  }

  private init(owner: AccountID, key: String) {
    directory = CloudLayout.zones(of: owner).components + [key]
    stagePath = directory + ["stage"]
    meta = StorePrefix(directory + ["meta"], stage: stagePath)
    firstLog = StorePrefix(directory + ["e1", "log"], stage: stagePath)
  }

  static func key(of name: String) -> String {
    let slug = name.lowercased().utf8.prefix(40).map { byte in
      isOfSlug(byte) ? byte : UInt8(ascii: "_")
    }
    let hash = ContentHash(of: Array(name.utf8)).description.prefix(16)
    return "\(slug.isEmpty ? "_" : String(decoding: slug, as: UTF8.self))-\(hash)"
  }

  private static func isOfSlug(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// The zone itself.
  var zone: StorePrefix { prefix() }
  var stage: StorePrefix { prefix("stage") }
  /// Damaged files that were replaced by a repair: nobody reads or collects them.
  var quarantine: StorePrefix { prefix("quarantine") }
  func epoch(_ epoch: Int64) -> StorePrefix { prefix("e\(epoch)") }
  func log(epoch: Int64) -> StorePrefix { epoch == 1 ? firstLog : prefix("e\(epoch)", "log") }
  func checkpoints(epoch: Int64) -> StorePrefix { prefix("e\(epoch)", "cp") }
  func assets(epoch: Int64) -> StorePrefix { prefix("e\(epoch)", "assets") }

  /// The directories of files that have numbers or hashes as names.
  func all(epoch: Int64) -> [StorePrefix] {
    [meta, log(epoch: epoch), checkpoints(epoch: epoch), assets(epoch: epoch)]
  }

  func metaEntry(_ number: Int64) -> StoreKey {
    StoreKey(meta, Self.fileName(number))
  }

  func commit(_ number: Int64, epoch: Int64) -> StoreKey {
    StoreKey(log(epoch: epoch), Self.fileName(number))
  }

  /// The key of a checkpoint's part, whose name was checked when it was read.
  func part(_ part: Checkpoint.Part, epoch: Int64) -> StoreKey {
    StoreKey(checkpoints(epoch: epoch), part.name)
  }

  /// The key of an asset; nil when the reference's name does not have the form of one.
  func asset(_ reference: AssetReference, epoch: Int64) -> StoreKey? {
    guard AssetReference.isName(reference.name) else { return nil }
    return StoreKey(assets(epoch: epoch), reference.name)
  }

  /// 16 decimal digits, so that the order of the names is the order of the numbers.
  static func fileName(_ number: Int64) -> String {
    digits(number, count: 16, suffix: ".json")
  }

  /// The digits of a number that is not negative, at least `count`, and something after them.
  static func digits(_ number: Int64, count: Int, suffix: StaticString = "") -> String {
    var (rest, needed) = (number, 1)
    while rest >= 10 { (rest, needed) = (rest / 10, needed + 1) }
    let count = max(count, needed)
    return String(unsafeUninitializedCapacity: count + suffix.utf8CodeUnitCount) { text in
      text.write(number, in: 0..<count)
      suffix.withUTF8Buffer { _ = text[count...].update(fromContentsOf: $0) }
      return count + suffix.utf8CodeUnitCount
    }
  }

  /// The number in a listed file's name; nil when it is not one of ours.
  static func number(inFileName name: String) -> Int64? {
    guard name.utf8.count > 16, name.hasSuffix(".json"), let number = Int64(name.dropLast(5)),
      (1...CloudLimits.number) ~= number, fileName(number) == name
    else { return nil }
    return number
  }

  /// The epoch in a listed directory's name; nil when it is not one of ours.
  static func epoch(inDirectoryName name: String) -> Int64? {
    guard name.first == "e", let epoch = Int64(name.dropFirst()), name == "e\(epoch)",
      (1...CloudLimits.number) ~= epoch
    else { return nil }
    return epoch
  }

  /// Where a file of this zone is put aside.
  func quarantine(_ key: StoreKey, _ bytes: Data) -> StoreKey {
    StoreKey(quarantine, "\(key.name)-\(ContentHash(of: bytes).description.prefix(12))")
  }

  private func prefix(_ names: String...) -> StorePrefix {
    StorePrefix(directory + names, stage: stagePath)
  }
}

extension AssetReference {
  /// Whether a name is 64 hexadecimal digits, `-`, 8 hexadecimal digits.
  static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 64 && parts[1].utf8.count == 8
      && parts.allSatisfy(\.isLowercaseHexadecimal)
  }
}
