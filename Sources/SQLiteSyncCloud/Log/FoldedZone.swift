import Foundation

/// The state of a whole zone: what the rules ask of each record, and the hash of its
/// line.
final class FoldedZone {
  struct Version {
    let state: RecordState
    let assets: [AssetReference]
    let lineHash: ContentHash
  }

  private(set) var versions: [ExactString: Version] = [:]
  private var children: [ExactString: Set<ExactString>] = [:]
  private var share: Share?

  /// What the rules ask.
  var view: ServerView {
    ServerView(
      record: { [unowned self] name in versions[ExactString(name)]?.state },
      children: { [unowned self] parent in
        (children[ExactString(parent)] ?? []).map(\.string)
      },
      share: { [unowned self] in share })
  }

  /// Brings a version in.
  func put(_ copy: ServerCopy, lineHash: ContentHash) {
    let name = ExactString(copy.name)
    if copy.name == Share.recordName { share = copy.share }
    if let parent = versions[name]?.state.parent { children[ExactString(parent)]?.remove(name) }
    let state = RecordState(copy)
    if let parent = state.parent { children[ExactString(parent), default: []].insert(name) }
    versions[name] = Version(state: state, assets: copy.assets, lineHash: lineHash)
  }
}

extension ServerCopy {
  /// The same copy as another account's.
  func written(by author: AccountID) -> ServerCopy {
    ServerCopy(
      content: content, tag: tag, author: author, device: device, isAuthentic: isAuthentic)
  }

  /// The assets that a living record names.
  var assets: [AssetReference] {
    if case .record(let record) = content { record.assets } else { [] }
  }
}

extension CloudRecord {
  /// The assets that the record names.
  var assets: [AssetReference] {
    fields.values.compactMap { field in
      if case .asset(let reference) = field.value { reference } else { nil }
    }
  }
}
