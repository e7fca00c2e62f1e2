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
  public func messages() throws -> [ReceivedMessage] {
    try requireOpen()
    let prefix = CloudLayout.inbox(of: account)
    let entries = try store.list(prefix, after: nil, limit: CloudLimits.messages)
    return try entries.sorted { $0.modified < $1.modified }.compactMap { entry in
      guard entry.isRegular, entry.byteCount <= CloudLimits.messageBytes,
        AssetReference.isName(entry.name)
      else { return nil }
      let key = StoreKey(prefix, listed: entry)
      guard let bytes = try store.read(key, limit: CloudLimits.messageBytes) else { return nil }
      return ShareMessage(file: Array(bytes)).map { ReceivedMessage(message: $0, key: key) }
    }
  }

  /// Removes a message that was dealt with.
  public func discard(_ message: ReceivedMessage) throws {
    try requireOpen()
    try store.delete(message.key)
  }
}
