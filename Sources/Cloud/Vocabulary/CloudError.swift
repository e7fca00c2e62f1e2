/// What the cloud answers when it does not do as asked; codes and numbers are CloudKit's
/// (`CKError.Code`).
public struct CloudError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which refusal or failure, by CloudKit's name and number.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    case internalError = 1
    case networkUnavailable = 3
    case notAuthenticated = 9
    case permissionFailure = 10
    case unknownItem = 11
    case invalidArguments = 12
    case serverRecordChanged = 14
    case assetFileNotFound = 16
    case incompatibleVersion = 18
    case changeTokenExpired = 21
    case batchRequestFailed = 22
    case quotaExceeded = 25
    case zoneNotFound = 26
    case limitExceeded = 27
    case userDeletedZone = 28
    case referenceViolation = 31
    case assetNotAvailable = 35
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
    case record(CloudRecord)
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

  /// A version of a record.
  public init(content: Content, tag: ChangeTag, author: AccountID, device: String) {
    self.content = content
    self.tag = tag
    self.author = author
    self.device = device
  }

  /// The record's name.
  public var name: String {
    switch content {
    case .record(let record): record.name
    case .tombstone(let tombstone): tombstone.name
    }
  }
}
