import GRDB
import SQLiteSyncCloud

/// An edit of a field with a merge policy that the cloud does not have yet, and what is known of
/// what it was made of: all that its merge with another version asks.
struct UnsentEdit: Equatable {
  /// What an edit was made of.
  enum Base: Equatable {
    /// The value that the cloud had; nil when it had none, because the row was made here.
    case value(DatabaseValue?)
    /// Nobody knows: the edit is older than the policy, or made the row anew.
    case unknown
  }

  /// The value here.
  let mine: DatabaseValue
  /// The clock of the edit.
  let clock: FieldClock
  let base: Base
  /// Values that were sent, and of which no answer has come, by their clocks.
  var sent: [FieldClock: DatabaseValue] = [:]
  /// The edits that were in the version of the cloud that is known here.
  var known = SeenEdits()

  /// What becomes of the edit when another version comes.
  enum Outcome: Equatable {
    /// The later edit wins.
    case lastEdit
    /// It stays as it is, over the version.
    case stands
    /// The two are merged into a value.
    case merged(DatabaseValue)
  }

  /// What becomes of the edit when a version of the field comes.
  ///
  /// - Parameters:
  ///   - theirs: The field.
  ///   - edits: The edits that are in it, as far as it says.
  func outcome(
    meeting theirs: CloudField, with edits: SeenEdits, by policy: MergePolicy
  ) -> Outcome {
    if case .asset = theirs.value { return .lastEdit }
    var edits = edits
    edits.insert(theirs.clock)
    // Its answer was lost, or another device had the same edit: it must not count twice.
    guard !edits.contains(clock) else { return .lastEdit }
    guard let base = base(for: edits) else {
      // An older version, as at the beginning of a full fetch: all of it is in this edit.
      return known.contains(edits) ? .stands : .lastEdit
    }
    let theirs = DatabaseValue(theirs.value)
    if theirs.isSameBytes(as: base ?? .null) { return .stands }
    if mine.isSameBytes(as: base ?? .null) { return .merged(theirs) }
    guard let merged = policy.merge(base: base, mine: mine, theirs: theirs), merged.isFieldValue
    else { return .lastEdit }
    guard merged.isSameBytes(as: mine) else { return .merged(merged) }
    return merged.isSameBytes(as: theirs) ? .lastEdit : .stands
  }

  /// What both were made of, which may be nothing; nil when nobody knows.
  private func base(for edits: SeenEdits) -> DatabaseValue?? {
    let latest = sent.filter { edits.contains($0.key) }.max { $0.key < $1.key }
    if let latest { return .some(latest.value.isNull ? nil : latest.value) }
    guard case .value(let value) = base, edits.contains(known),
      sent.isEmpty || !edits.mayHaveDropped(clock)
    else { return nil }
    return .some(value.flatMap { $0.isNull ? nil : $0 })
  }
}

extension DatabaseValue {
  /// Whether the cloud can have it as the value of a field.
  fileprivate var isFieldValue: Bool {
    switch storage {
    case .null, .int64: true
    case .double(let real): !real.isNaN
    case .string(let text): !text.utf8.contains(0)
    case .blob(let bytes): bytes.count <= CloudLimits.inlineBytes
    }
  }
}
