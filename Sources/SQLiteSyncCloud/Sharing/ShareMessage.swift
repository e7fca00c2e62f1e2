import Foundation

/// What one account drops into another's inbox: the only place where others may write.
public struct ShareMessage: Hashable, Sendable {
  /// What is said.
  public enum Kind: String, Hashable, Sendable {
    /// The owner of a zone invites the recipient.
    case invitation
    /// Someone accepted, and tells the owner.
    case acceptance
    /// Someone left, and tells the owner.
    case departure
  }

  /// What is said.
  public let kind: Kind
  /// Who says it.
  public let sender: AccountID
  /// The zone it is about.
  public let zone: ZoneID
  /// What is shared, in words.
  public let title: String

  /// A message about a zone.
  public init(_ kind: Kind, sender: AccountID, zone: ZoneID, title: String) {
    self.kind = kind
    self.sender = sender
    self.zone = zone
    self.title = title
  }
}

// MARK: - As a file

extension ShareMessage {
  var encoded: Data {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("f", "message")
      writer.member("kind", kind.rawValue)
      writer.member("owner", zone.owner.rawValue)
      writer.member("sender", sender.rawValue)
      writer.member("title", title)
      writer.member("v", Commit.version)
      writer.member("zone", zone.name)
    }
    writer.newline()
    return Data(writer.bytes)
  }

  /// What a file in an inbox can be.
  enum Reading: Equatable {
    case message(ShareMessage)
    case ofNewerVersion
  }

  /// Reads a file; nil when it is not a message.
  ///
  /// Anyone may put anything into an inbox, so what is not a message is nothing to report.
  static func read(_ bytes: [UInt8]) -> Reading? {
    var scanner = JSONScanner(bytes)
    // Not even JSON: no message.
    guard let file = try? scanner.line(), file["f"]?.string == "message",
      let version = file["v"]?.integer, let kind = file["kind"]?.string
    else { return nil }
    guard version <= Commit.version, let kind = Kind(rawValue: kind) else { return .ofNewerVersion }
    guard let owner = file["owner"]?.string.flatMap(AccountID.init(rawValue:)),
      let sender = file["sender"]?.string.flatMap(AccountID.init(rawValue:)),
      let title = file["title"]?.string, let zone = file["zone"]?.string,
      Validity.objection(toName: zone) == nil
    else { return nil }
    return .message(
      ShareMessage(kind, sender: sender, zone: ZoneID(name: zone, owner: owner), title: title))
  }
}
