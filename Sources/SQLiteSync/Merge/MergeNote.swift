import SQLiteSyncCloud

/// What stands with a field in the cloud that has a merge policy: the policy's name, and the edits
/// that are in the value.
///
/// It is a field of its own, `merge:` and the name of the other: programs that know nothing of it
/// keep fields without a column, and send them along.
struct MergeNote: Equatable {
  /// The name of the policy.
  let policy: String
  /// The edits that are in the value.
  var edits = SeenEdits()

  /// The name of the field that is about another.
  static func field(of column: String) -> String { "merge:" + column }

  /// Whether a field is one about another.
  static func isField(_ name: String) -> Bool { name.hasPrefix(field(of: "")) }

  /// The name of a field when columns have other names: what is about one follows it.
  static func renamed(_ field: String, _ name: (String) -> String) -> String {
    let other = name(field)
    guard other == field, isField(field) else { return other }
    return Self.field(of: name(String(field.dropFirst(Self.field(of: "").count))))
  }

  /// Nothing is known yet of what is in the value.
  init(policy: String) { self.policy = policy }

  /// Nil when there is none, or none that can be read.
  init?(_ field: CloudField?) {
    guard case .text(let text)? = field?.value else { return nil }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let policy = words.first, !policy.isEmpty else { return nil }
    self.policy = String(policy)
    for word in words.dropFirst().prefix(SeenEdits.limit) {
      guard let clock = Int64(word) else { return nil }
      edits.insert(FieldClock(rawValue: clock).clamped)
    }
  }

  /// The value of the field.
  var text: String {
    ([policy] + edits.clocks.map { "\($0.rawValue)" }).joined(separator: " ")
  }
}

/// Edits of a field, of each device the latest: all of the device's before it are among them.
struct SeenEdits: Equatable {
  /// The clocks of the latest edits, the latest first.
  private(set) var clocks: [FieldClock] = []

  /// How many devices are remembered.
  static let limit = 64

  /// Adds an edit, and with it those that the device had made before.
  mutating func insert(_ clock: FieldClock) {
    guard clock > .zero, !contains(clock) else { return }
    clocks.removeAll { $0.device == clock.device }
    clocks.insert(clock, at: clocks.firstIndex { $0 < clock } ?? clocks.endIndex)
    if clocks.count > Self.limit { clocks.removeLast() }
  }

  /// Whether an edit is among them.
  func contains(_ clock: FieldClock) -> Bool {
    clocks.contains { $0.device == clock.device && $0 >= clock }
  }

  /// Whether an edit may have been among them before there were too many devices.
  func mayHaveDropped(_ clock: FieldClock) -> Bool {
    clocks.count == Self.limit && clocks.last.map { clock < $0 } ?? false
  }

  /// Whether others are all among them, as far as they are remembered.
  func contains(_ others: SeenEdits) -> Bool {
    others.clocks.allSatisfy { contains($0) || mayHaveDropped($0) }
  }
}
