/// The state of a zone after some commits: what the caller knew before, and what is new.
///
/// A value, so that a commit can be tried on a copy. It holds no more than what was touched.
struct ZoneFold {
  /// The state at the token; nil when the fold begins with the log.
  private let view: ServerView?
  /// The latest version of each record that was touched.
  private var copies: [ExactString: ServerCopy] = [:]
  /// The living records among `copies` by their parent.
  private var children: [ExactString: Set<ExactString>] = [:]
  /// The latest version of the share record whose author can be who it says.
  private var trustedShareCopy: ServerCopy?

  init(view: ServerView?) {
    self.view = view
  }

  /// The latest version of each touched record in the order of the tags.
  var latest: [ServerCopy] {
    copies.values.sorted { $0.tag < $1.tag }
  }

  /// The same for readers: before a version of the share record that is not authentic comes the
  /// latest one that is, which goes on to hold.
  var changed: [ServerCopy] {
    guard let trusted = trustedShareCopy, copies[ExactString(Share.recordName)] != trusted else {
      return latest
    }
    return (latest + [trusted]).sorted { $0.tag < $1.tag }
  }

  /// The version of a record if it was touched.
  func copy(of name: String) -> ServerCopy? {
    copies[ExactString(name)]
  }

  func state(of name: String) throws -> RecordState? {
    if let copy = copies[ExactString(name)] { return RecordState(copy) }
    return try view?.record(name)
  }

  /// Runs a body that asks all about one commit, whose records have these names, and reads nothing
  /// of the cloud.
  func together(_ names: [String], _ body: () throws -> Void) throws {
    guard let view else { return try body() }
    try view.together(names.filter { copies[ExactString($0)] == nil }, body)
  }

  /// The living records whose parent is `name`.
  func children(of name: String) throws -> Set<ExactString> {
    var result = children[ExactString(name)] ?? []
    for child in try view?.children(name) ?? [] where copies[ExactString(child)] == nil {
      result.insert(ExactString(child))
    }
    return result
  }

  /// Who may do what in the zone; nil when it is not shared.
  func share() throws -> Share? {
    guard let copy = copies[ExactString(Share.recordName)] else { return try view?.share() }
    return copy.share
  }

  /// The same, as far as its author can be who it says: what a reader may rely on.
  ///
  /// The rules of the log go by `share`, because they must not depend on the owners of files.
  func trustedShare() throws -> Share? {
    guard let copy = trustedShareCopy else { return try view?.trustedShare() }
    return copy.share
  }

  /// Brings the operations of a commit in, each as the version that `tag` says of its place.
  ///
  /// A deletion of what was deleted later already keeps the later clock.
  mutating func apply(
    _ commit: Commit, isAuthentic: Bool, tag: (Int) -> ChangeTag
  ) throws {
    let deletions = commit.operations.filter(\.isDeletion).map(\.name)
    var deaths: [ExactString: FieldClock] = [:]
    if !deletions.isEmpty {
      try together(deletions) {
        for name in deletions { deaths[ExactString(name)] = try state(of: name)?.deleted }
      }
    }
    for (index, change) in commit.operations.enumerated() {
      var content: ServerCopy.Content
      switch change {
      case .save(let record, _): content = .record(record)
      case .delete(var tombstone, _):
        tombstone.clock = max(tombstone.clock, deaths[ExactString(tombstone.name)] ?? .zero)
        content = .tombstone(tombstone)
      }
      put(
        ServerCopy(
          content: content, tag: tag(index), author: commit.origin.author,
          device: commit.origin.device, isAuthentic: isAuthentic))
    }
  }

  /// Brings a version of a record in.
  mutating func put(_ copy: ServerCopy) {
    let name = ExactString(copy.name)
    if copy.isAuthentic, copy.name == Share.recordName { trustedShareCopy = copy }
    if case .record(let old)? = copies[name]?.content, let parent = old.parent {
      children[ExactString(parent)]?.remove(name)
    }
    if case .record(let new) = copy.content, let parent = new.parent {
      children[ExactString(parent), default: []].insert(name)
    }
    copies[name] = copy
  }
}

extension ServerCopy {
  /// The share that a living record of that name is.
  public var share: Share? {
    if case .record(let record) = content { Share(record) } else { nil }
  }
}

extension RecordState {
  init(_ copy: ServerCopy) {
    switch copy.content {
    case .record(let record):
      self.init(type: record.type, parent: record.parent, tag: copy.tag)
    case .tombstone(let tombstone):
      self.init(type: tombstone.type, parent: nil, tag: copy.tag, deleted: tombstone.clock)
    }
  }
}
