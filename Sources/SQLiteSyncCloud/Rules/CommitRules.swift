/// What a server would refuse, as a pure function of the operations and the state before them.
///
/// A writer asks before it commits, so that it commits what is acceptable; every reader asks again,
/// and a commit with one refused operation is void: it changes nothing, for anybody.
struct CommitRules {
  /// Whose question it is.
  enum Role {
    /// A writer must have seen a deletion that it saves over.
    case writer
    /// A reader cannot ask for that: it may have learned the state from a checkpoint that no longer
    /// held the tombstone, and every reader must reach the same verdict.
    case reader
  }

  let role: Role
  let permissions: SharePermissions

  /// Why operations cannot be part of a commit, by their index.
  ///
  /// The others can, together.
  func refusals(
    of changes: [CloudChange], in state: ZoneFold
  ) throws -> [Int: CloudError] {
    var refusals: [Int: CloudError] = [:]
    try state.together(changes.map(\.name)) {
      refusals = try refusalsOneByOne(of: changes, in: state)
    }
    return refusals
  }

  private func refusalsOneByOne(
    of changes: [CloudChange], in state: ZoneFold
  ) throws -> [Int: CloudError] {
    var refusals: [Int: CloudError] = [:]
    let share = try state.share()
    var names: Set<ExactString> = []
    for (index, change) in changes.enumerated() {
      if names.insert(ExactString(change.name)).inserted {
        refusals[index] =
          try permissions.refusal(of: change, in: share) ?? versionRefusal(of: change, in: state)
      } else {
        refusals[index] = CloudError(.invalidArguments, "Two changes of \(change.name) at once.")
      }
    }
    // All the rest is about those, and is not prepared for nothing.
    guard changes.contains(where: Self.concernsOthers) else { return refusals }
    // Many records have the same parent.
    var parents: [ExactString: Bool] = [:]
    func isLivingBefore(_ name: String) throws -> Bool {
      if let known = parents[ExactString(name)] { return known }
      let isLiving = try state.state(of: name).map { $0.deleted == nil } ?? false
      parents[ExactString(name)] = isLiving
      return isLiving
    }
    // Refusing one operation can take away what another one stands on.
    var accepted = -1
    while accepted != changes.count - refusals.count {
      accepted = changes.count - refusals.count
      let after = AfterImage(changes, without: refusals)
      for (index, change) in changes.enumerated() where refusals[index] == nil {
        refusals[index] = try referenceRefusal(
          of: change, in: state, isLivingBefore: isLivingBefore, after: after)
      }
    }
    return refusals
  }

  /// Compares the version that the sender has seen with the one that is there.
  private func versionRefusal(
    of change: CloudChange, in fold: ZoneFold
  ) throws -> CloudError? {
    let name = change.name
    let state = try fold.state(of: name)
    if let state, state.deleted == nil {
      guard state.tag == change.base else {
        return CloudError(
          .serverRecordChanged, "The cloud has another version of \(name).",
          server: fold.copy(of: name))
      }
      guard state.type == change.type else {
        return CloudError(.invalidArguments, "\(name) is of type \(state.type).")
      }
      return nil
    }
    guard case .save = change, role == .writer, state?.tag != change.base else { return nil }
    return CloudError(
      .unknownItem, "\(name) is not in the cloud any more.", server: fold.copy(of: name))
  }

  /// Whether a change stands on other records, or others on what it takes away.
  private static func concernsOthers(_ change: CloudChange) -> Bool {
    switch change {
    case .save(let record, _): record.parent != nil
    case .delete: true
    }
  }

  /// Makes sure that every parent is there afterwards.
  private func referenceRefusal(
    of change: CloudChange, in fold: ZoneFold, isLivingBefore: (String) throws -> Bool,
    after: AfterImage
  ) throws -> CloudError? {
    switch change {
    case .save(let record, _):
      guard let parent = record.parent, parent != record.name else { return nil }
      let isThere = try after.isLiving(parent) ?? isLivingBefore(parent)
      guard !isThere else { return nil }
      return CloudError(
        .referenceViolation, "The parent \(parent) of \(record.name) is not in the cloud.")
    case .delete(let tombstone, _):
      guard let child = try after.child(of: tombstone.name, in: fold) else { return nil }
      return CloudError(
        .referenceViolation, "\(child) still has \(tombstone.name) as its parent.")
    }
  }
}

/// What the accepted operations of a commit say of the records that they touch.
private struct AfterImage {
  private var changes: [ExactString: CloudChange] = [:]
  private var saved: [ExactString: String] = [:]

  init(_ all: [CloudChange], without refusals: [Int: CloudError]) {
    for (index, change) in all.enumerated() where refusals[index] == nil {
      changes[ExactString(change.name)] = change
      if case .save(let record, _) = change, let parent = record.parent {
        saved[ExactString(parent)] = record.name
      }
    }
  }

  /// Whether a touched record lives afterwards; nil for one that is not touched.
  func isLiving(_ name: String) -> Bool? {
    switch changes[ExactString(name)] {
    case .save: true
    case .delete: false
    case nil: nil
    }
  }

  /// A record that has `name` as its parent afterwards.
  func child(of name: String, in fold: ZoneFold) throws -> String? {
    if let child = saved[ExactString(name)] { return child }
    return try fold.children(of: name).filter { changes[$0] == nil }.min()?.string
  }
}
