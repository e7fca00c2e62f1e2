import Foundation

/// The changes of one request, and which of them can be committed onto a state.
///
/// Pure.
struct ModifyRequest {
  private let changes: [CloudChange]
  private let lines: [[UInt8]]
  private let permissions: SharePermissions
  /// Why changes cannot be committed onto any state.
  var failures: [String: CloudError] = [:]

  /// A commit to be.
  struct Draft {
    var changes: [CloudChange] = []
    var lines: [[UInt8]] = []
    var failures: [String: CloudError]
  }

  init(_ changes: [CloudChange], permissions: SharePermissions) {
    self.changes = changes
    self.permissions = permissions
    lines = changes.map(Commit.line)
  }

  /// The operations that the rules accept, encoded, and why the others are not among them.
  func draft(onto fold: ZoneFold, atomically: Bool) throws -> Draft {
    var draft = Draft(failures: failures)
    var candidates: [Int] = []
    let needless = try needlessDeletions(in: fold)
    for (index, change) in changes.enumerated() {
      if let refusal = change.refusal(asLine: lines[index]) {
        draft.failures[change.name] = refusal
      } else if failures[change.name] == nil, !needless.contains(index) {
        candidates.append(index)
      }
    }
    let refusals = try CommitRules(role: .writer, permissions: permissions).refusals(
      of: candidates.map { changes[$0] }, in: fold)
    for (offset, index) in candidates.enumerated() {
      if let refusal = refusals[offset] {
        draft.failures[changes[index].name] = refusal
      } else {
        draft.changes.append(changes[index])
        draft.lines.append(lines[index])
      }
    }
    return atomically && !draft.failures.isEmpty ? refusingAll(draft) : draft
  }

  private func refusingAll(_ draft: Draft) -> Draft {
    var draft = draft
    for change in changes where draft.failures[change.name] == nil {
      draft.failures[change.name] = CloudError(
        .batchRequestFailed, "Another change of the same request failed.")
    }
    draft.changes = []
    draft.lines = []
    return draft
  }

  /// The changes with which there is nothing left to delete.
  private func needlessDeletions(in fold: ZoneFold) throws -> Set<Int> {
    let deletions = changes.enumerated().filter(\.element.isDeletion)
    // There are none in most requests.
    guard !deletions.isEmpty else { return [] }
    var needless: Set<Int> = []
    try fold.together(deletions.map(\.element.name)) {
      for (index, change) in deletions {
        guard case .delete(let tombstone, _) = change else { continue }
        let state = try fold.state(of: tombstone.name)
        let isThere = state.map { $0.deleted.map { $0 < tombstone.clock } ?? true } ?? false
        if !isThere { needless.insert(index) }
      }
    }
    return needless
  }

}

extension CloudChange {
  /// Why no cloud can hold it, whatever else is there; nil when one can.
  package var refusal: CloudError? { refusal(asLine: Commit.line(self)) }

  /// - Parameter line: The change, encoded.
  fileprivate func refusal(asLine line: [UInt8]) -> CloudError? {
    if line.count > CloudLimits.recordBytes {
      return CloudError(
        .limitExceeded, "\(name) has \(line.count) bytes.",
        hint: "At most \(CloudLimits.recordBytes); longer texts and images belong in assets.")
    }
    return Validity.objection(to: self).map { CloudError(.invalidArguments, "\($0).") }
  }
}
