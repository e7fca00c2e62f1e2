/// What the cloud answers when it does not do as asked; codes and numbers are CloudKit's
/// (`CKError.Code`).
public struct CloudError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which refusal or failure, by CloudKit's name and number.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// Something in the cloud is damaged.
    case internalError = 1
    /// The cloud does not answer, or a mount shows it as it was; it is worth trying again.
    case networkUnavailable = 3
    /// The address, or what the environment says beside it, names no place of a cloud: only another
    /// address helps.
    case badContainer = 5
    /// Nobody is signed in, or the place refuses the password or the key.
    case notAuthenticated = 9
    /// This account may not do that, or the system keeps it out.
    case permissionFailure = 10
    /// The record is not in the cloud, or not any more.
    case unknownItem = 11
    /// No cloud can take that: a name or a value that records do not have.
    case invalidArguments = 12
    /// The cloud has another version than the one that the sender has seen.
    case serverRecordChanged = 14
    /// A record names an asset that was not published.
    case assetFileNotFound = 16
    /// The cloud or a zone needs what this version of the program cannot do.
    case incompatibleVersion = 18
    /// The log no longer reaches back to the token: everything is to be fetched again.
    case changeTokenExpired = 21
    /// Nothing is wrong with this change: another one of the same request was refused.
    case batchRequestFailed = 22
    /// The disk is full.
    case quotaExceeded = 25
    /// There is no such zone, or another one is there in its place.
    case zoneNotFound = 26
    /// Too much for one request, or one record.
    case limitExceeded = 27
    /// The owner has deleted the zone.
    case userDeletedZone = 28
    /// A record would be left without its parent.
    case referenceViolation = 31
    /// The bytes of an asset are missing or damaged.
    case assetNotAvailable = 35
    /// The cloud cannot be reached: its disk may not be mounted.
    case accountTemporarilyUnavailable = 36
  }

  /// The refusal.
  public let code: Code
  /// What happened, in a sentence for people.
  public let reason: String
  /// What can be done about it, when something can.
  public let hint: String?
  /// For `serverRecordChanged`: the cloud's copy.
  ///
  /// For `unknownItem`: the tombstone, when there is one.
  public let server: ServerCopy?

  /// A refusal with its reason.
  public init(
    _ code: Code, _ reason: String, hint: String? = nil, server: ServerCopy? = nil
  ) {
    self.code = code
    self.reason = reason
    self.hint = hint
    self.server = server
  }

  /// `serverRecordChanged (14)`, as the log shows it.
  public var label: String { "\(code) (\(code.rawValue))" }

  /// The code, what it is about, and the hint, in one line.
  public var description: String {
    [label + ": " + reason, hint].compactMap { $0 }.joined(separator: " ")
  }
}

/// The cloud's version of a record: its image or its tombstone, and the change tag.
public struct ServerCopy: Hashable, Sendable {
  /// A live record or what is left of a deleted one.
  public enum Content: Hashable, Sendable {
    /// A record that lives.
    case record(CloudRecord)
    /// What is left of one that was deleted.
    case tombstone(Tombstone)
  }

  /// The record or its tombstone.
  public let content: Content
  /// The tag of the operation that wrote it.
  public let tag: ChangeTag
  /// Whose commit it was.
  public let author: AccountID
  /// The device that made the commit.
  public let device: String
  /// Whether the author can be who the commit says, as far as the owner of its file tells.
  ///
  /// What is not counts for its content alone: not for who may do what, nor for what moves where.
  public let isAuthentic: Bool

  /// A version of a record.
  public init(
    content: Content, tag: ChangeTag, author: AccountID, device: String, isAuthentic: Bool = true
  ) {
    self.content = content
    self.tag = tag
    self.author = author
    self.device = device
    self.isAuthentic = isAuthentic
  }

  /// The record's name.
  public var name: String {
    switch content {
    case .record(let record): record.name
    case .tombstone(let tombstone): tombstone.name
    }
  }
}
