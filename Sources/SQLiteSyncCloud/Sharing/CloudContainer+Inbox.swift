import Foundation

/// A message as it lies in the inbox.
public struct ReceivedMessage: Hashable, Sendable {
  /// What it says.
  public let message: ShareMessage
  let key: StoreKey
}

extension CloudContainer {
  /// Whether an account has used this cloud.
  public func isUsed(by account: AccountID) throws -> Bool {
    try store.read(CloudLayout.accountFile(account), limit: 1) != nil
  }

  /// Drops a message into another account's inbox.
  ///
  /// Throws `unknownItem` when nobody of that name has used this cloud.
  public func send(_ message: ShareMessage, to account: AccountID) throws {
    try requireWritable()
    guard try isUsed(by: account) else {
      throw CloudError(
        .unknownItem, "Nobody called \(account.displayName) has used this cloud.",
        hint: "They are invited once they have opened it; the link works as well.")
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
  /// Anyone may drop anything there. Of each user's files only the newest are read, so that
  /// nobody's hide somebody else's; the older ones, and what is not a message, are deleted.
  public func messages() throws -> [ReceivedMessage] {
    try requireOpen()
    let entries = try store.list(
      CloudLayout.inbox(of: account), after: nil, limit: .max, where: AssetReference.isName)
    var messages: [(modified: Int64, received: ReceivedMessage)] = []
    var junk: [StoreEntry] = []
    for files in Dictionary(grouping: entries, by: \.owner).values {
      let newestFirst = files.sorted { ($0.modified, $0.name) > ($1.modified, $1.name) }
      for entry in newestFirst.prefix(CloudLimits.messages) {
        switch try content(of: entry) {
        case .message(let message): messages.append((entry.modified, message))
        case .ofNewerVersion: continue
        case .junk: junk.append(entry)
        }
      }
      junk += newestFirst.dropFirst(CloudLimits.messages)
    }
    try delete(junk.prefix(CloudLimits.messagesDeletedAtOnce))
    return messages.sorted { $0.modified < $1.modified }.map(\.received)
  }

  private enum InboxContent {
    case message(ReceivedMessage)
    case ofNewerVersion
    case junk
  }

  private func content(of entry: StoreEntry) throws -> InboxContent {
    guard entry.isRegular, entry.byteCount <= CloudLimits.messageBytes else { return .junk }
    let key = StoreKey(CloudLayout.inbox(of: account), listed: entry)
    let bytes: Data?
    do {
      bytes = try store.read(key, limit: CloudLimits.messageBytes)
    } catch let error as CloudError
      where [.permissionFailure, .internalError].contains(error.code)
    {
      return .junk  // Its sender lets nobody read it.
    }
    guard let bytes else { return .ofNewerVersion }  // Somebody else has just dealt with it.
    switch ShareMessage.read(Array(bytes)) {
    case .message(let message):
      return try isGenuine(message, in: entry)
        ? .message(ReceivedMessage(message: message, key: key)) : .junk
    case .ofNewerVersion: return .ofNewerVersion
    case nil: return .junk
    }
  }

  /// Deletes what nobody will miss; the inbox is this account's, whosever the files are.
  private func delete(_ junk: some Sequence<StoreEntry>) throws {
    guard try presentFile().canWrite else { return }
    for entry in junk {
      // What cannot be deleted, a directory for instance, is passed over the next time, too.
      try? store.delete(StoreKey(CloudLayout.inbox(of: account), listed: entry))
    }
  }

  /// Whether a message can be of whom it says: a user's files are his, or were copied by the owner
  /// of the inbox.
  ///
  /// The accounts that one user plays trust each other.
  private func isGenuine(_ message: ShareMessage, in entry: StoreEntry) throws -> Bool {
    let users = store.accessControl
    guard let owner = entry.owner, let sender = try users.user(of: message.sender)
    else { return true }
    return try owner == sender || owner == users.user(of: account)
  }

  /// Removes a message that was dealt with.
  public func discard(_ message: ReceivedMessage) throws {
    try requireOpen()
    try store.delete(message.key)
  }
}
