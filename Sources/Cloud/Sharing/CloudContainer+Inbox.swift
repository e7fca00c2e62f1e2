import Foundation

/// A message as it lies in the inbox.
public struct ReceivedMessage: Hashable, Sendable {
  /// What it says.
  public let message: ShareMessage
  let key: StoreKey
}

extension CloudContainer {
  /// Drops a message into another account's inbox.
  ///
  /// Throws `unknownItem` when nobody of that name has used this cloud.
  public func send(_ message: ShareMessage, to account: AccountID) throws {
    try requireWritable()
    guard try store.read(CloudLayout.accountFile(account), limit: 1) != nil else {
      throw CloudError(
        .unknownItem, "Nobody called \(account.displayName) has used this cloud.",
        hint: "They have to open it once before they can be invited.")
    }
    let bytes = message.encoded
    guard bytes.count <= CloudLimits.messageBytes else {
      throw CloudError(.limitExceeded, "The title of what is shared is too long.")
    }
    let hash = ContentHash(of: bytes)
    var contention = Contention(environment: environment)
    while true {
      let key = CloudLayout.message(hash, number: environment.random(), to: account)
      switch store.createIfAbsent(key, bytes) {
      case .created: return
      case .failed(let error): throw error
      // A message that arrives twice says nothing new.
      case .unknown(let error): try contention.lost(key, failure: error)
      case .exists: try contention.lost(key)
      }
    }
  }

  /// The messages in this account's inbox, oldest first.
  ///
  /// Anyone may drop anything there: what is no message, or not of whom it says, hides no other.
  public func messages() throws -> [ReceivedMessage] {
    try requireOpen()
    let entries = try store.list(
      CloudLayout.inbox(of: account), after: nil, limit: .max, where: AssetReference.isName)
    var messages: [ReceivedMessage] = []
    for entry in entries.sorted(by: { $0.modified < $1.modified })
    where messages.count < CloudLimits.messages {
      if let message = try message(in: entry) { messages.append(message) }
    }
    return messages
  }

  private func message(in entry: StoreEntry) throws -> ReceivedMessage? {
    guard entry.isRegular, entry.byteCount <= CloudLimits.messageBytes else { return nil }
    let key = StoreKey(CloudLayout.inbox(of: account), listed: entry)
    let bytes: Data?
    do {
      bytes = try store.read(key, limit: CloudLimits.messageBytes)
    } catch let error as CloudError where error.code == .permissionFailure {
      return nil  // Who dropped it lets nobody read it.
    }
    guard let bytes, let message = ShareMessage(file: Array(bytes)), isGenuine(message, in: entry)
    else { return nil }
    return ReceivedMessage(message: message, key: key)
  }

  /// Whether a message can be of whom it says: a Unix user's files are his, or were copied by the
  /// owner of the inbox.
  ///
  /// The accounts that one Unix user plays trust each other.
  private func isGenuine(_ message: ShareMessage, in entry: StoreEntry) -> Bool {
    guard let owner = entry.access?.owner, let sender = message.sender.userID else { return true }
    return owner == sender || owner == account.userID
  }

  /// Removes a message that was dealt with.
  public func discard(_ message: ReceivedMessage) throws {
    try requireOpen()
    try store.delete(message.key)
  }
}
