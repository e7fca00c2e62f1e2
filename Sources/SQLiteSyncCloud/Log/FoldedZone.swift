import Foundation

/// The state of a whole zone: what the rules ask of each record, and what the caller keeps of it.
final class FoldedZone<Kept> {
  struct Version {
    let state: RecordState
    let assets: [AssetReference]
    let kept: Kept
  }

  private(set) var versions: [ExactString: Version] = [:]
  private var children: [ExactString: Set<ExactString>] = [:]
  private var share: Share?
  /// Whether the share record as it stands was written by somebody else than its owner.
  private(set) var isShareForged = false

  /// What the rules ask.
  var view: ServerView {
    ServerView(
      record: { [unowned self] name in versions[ExactString(name)]?.state },
      children: { [unowned self] parent in
        (children[ExactString(parent)] ?? []).map(\.string)
      },
      share: { [unowned self] in share })
  }

  /// Brings a version in, and keeps something of it.
  func put(_ copy: ServerCopy, keeping kept: Kept) {
    let name = ExactString(copy.name)
    if copy.name == Share.recordName { (share, isShareForged) = (copy.share, !copy.isAuthentic) }
    if let parent = versions[name]?.state.parent { children[ExactString(parent)]?.remove(name) }
    let state = RecordState(copy)
    if let parent = state.parent { children[ExactString(parent), default: []].insert(name) }
    versions[name] = Version(state: state, assets: copy.assets, kept: kept)
  }

  /// Forgets deletions from before a time, in milliseconds since 1970.
  func forgetDeletions(before limit: Int64) {
    versions = versions.filter { _, version in
      version.state.deleted.map { $0.milliseconds >= limit } ?? true
    }
  }

  /// The names of the assets that the living records name.
  var assets: Set<String> {
    versions.values.reduce(into: []) { $0.formUnion($1.assets.map(\.name)) }
  }
}

/// A zone that is to become a checkpoint.
extension FoldedZone<CheckpointPart.Line> {
  /// Brings a version in; `operation` is its line in a commit or a checkpoint.
  func put(_ copy: ServerCopy, operation: ArraySlice<UInt8>) {
    put(
      copy,
      keeping: CheckpointPart.Line(
        tag: copy.tag, author: copy.author, device: copy.device, operation: Array(operation)))
  }

  /// The lines in the order of their tags.
  var lines: [CheckpointPart.Line] {
    versions.values.map(\.kept).sorted { $0.tag < $1.tag }
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
