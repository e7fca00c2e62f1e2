import RemindersCore
import SQLiteSync
import SQLiteSyncCloud
import Synchronization

/// What people are told of a synchronization that came to its end: what could not be done, and
/// which lists others do not share any more.
final class SyncNotes: Sendable {
  /// The titles of lists that others share, by the names of their zones.
  private let titles: [String: String]
  private let found = Mutex((texts: [String](), ended: [String]()))

  /// - Parameter shares: What is shared before.
  init(_ shares: [ListShare]) {
    titles = shares.filter { !$0.isOwn }.reduce(into: [:]) { titles, share in
      if let zone = share.link.flatMap(ShareLink.init)?.zone { titles[zone.name] = share.title }
    }
  }

  /// The titles of the lists that others do not share any more.
  var ended: [String] { found.withLock(\.ended) }

  func hear(_ event: SyncEvent) {
    switch event {
    case .fetchedDatabaseChanges(let zone, let owner, .ended):
      let title = titles[zone] ?? zone
      found.withLock { $0.ended.append(title) }
      note("\(owner) no longer shares “\(title)” with you.")
    case .failed(let message, let hint):
      note([message, hint].compactMap(\.self).joined(separator: "\n"))
    default: break
    }
  }

  private func note(_ text: String) {
    found.withLock { if !$0.texts.contains(text) { $0.texts.append(text) } }
  }

  /// Says it on standard error.
  func tell() {
    for text in found.withLock(\.texts) { Messages.write(text) }
  }
}
