extension ZoneLog {
  /// Reads what is left of a log that was begun anew, past a position: of each commit that can be
  /// read the versions whose author may write.
  ///
  /// Where a commit was lost, nobody could read on, and nobody else may have what the later ones
  /// say. They are read without what they build on, so the other rules of the log cannot be asked:
  /// deletions are taken of the zone's owner alone, and whoever merges versions by their clocks
  /// needs no more.
  ///
  /// - Parameters:
  ///   - token: Where the caller stands: nothing is read where the log of that goes on, or the zone
  ///     is another one.
  ///   - share: Who may write besides the owner of the zone.
  ///   - body: Takes the versions of one commit.
  /// - Throws: What the store says, and what the body throws.
  public func remains(
    after token: ChangeToken, sharedAs share: Share?, _ body: ([ServerCopy]) throws -> Void
  ) throws {
    try container.requireOpen()
    guard let manifest = try container.manifest(of: id, in: layout), manifest.deletion == nil,
      manifest.identity == token.zone, token.epoch < manifest.epoch
    else { return }
    let left = try store.list(
      layout.log(epoch: token.epoch), after: ZoneLayout.fileName(token.sequence), limit: .max
    ) { ZoneLayout.number(inFileName: $0) != nil }
    for number in left.compactMap({ ZoneLayout.number(inFileName: $0.name) }).sorted() {
      let copies = try copies(in: number, epoch: token.epoch, sharedAs: share)
      if !copies.isEmpty { try body(copies) }
    }
  }

  private func copies(
    in number: Int64, epoch: Int64, sharedAs share: Share?
  ) throws -> [ServerCopy] {
    guard let (commit, owner) = try leavingOut({ try commit(number, epoch: epoch) }),
      commit.isAt(number, epoch: epoch, zone: id.name)
    else { return [] }
    let permissions = SharePermissions(author: commit.origin.author, owner: id.owner)
    let isAuthentic = try container.vouches(owner, for: commit.origin.author)
    return commit.operations.enumerated().compactMap { index, change in
      guard change.name != Share.recordName, permissions.refusal(of: change, in: share) == nil,
        !change.isDeletion || isAuthentic && commit.origin.author == id.owner
      else { return nil }
      let tag = ChangeTag(epoch: epoch, sequence: number, index: index)
      return commit.copy(at: tag, isAuthentic: isAuthentic)
    }
  }
}

extension Commit {
  /// Whether it says that its place is this one.
  func isAt(_ number: Int64, epoch: Int64, zone: String) -> Bool {
    sequence == number && self.epoch == epoch && ExactString(self.zone) == ExactString(zone)
  }
}
