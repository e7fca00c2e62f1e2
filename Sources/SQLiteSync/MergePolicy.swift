import GRDB

/// How two edits of one column are merged that were made without knowing of each other.
///
/// Without a policy the later edit wins. With one the value that this device has not sent yet and
/// the cloud's are merged into a third, by what both were made of: see
/// ``SyncConfiguration/mergePolicies``. The name of the policy stands with the field in the cloud,
/// and what stands there counts on every device that has a policy for the column.
///
/// Where values cannot be merged, because one is `NULL` or of another type, or nothing is known of
/// what they were made of, the later edit wins.
public struct MergePolicy: Hashable, Sendable {
  /// Merges two values, or returns nil: then the later edit wins.
  ///
  /// - Parameters:
  ///   - base: What both were made of; nil when both devices made the row, or it was `NULL`.
  ///   - mine: The value on this device, which the cloud does not have yet.
  ///   - theirs: The value in the cloud.
  public typealias Function =
    @Sendable (
      _ base: DatabaseValue?, _ mine: DatabaseValue, _ theirs: DatabaseValue
    ) -> DatabaseValue?

  /// The name that stands with the field in the cloud.
  public let name: String
  private let function: Function
  private let isCustom: Bool

  private init(name: String, isCustom: Bool = false, _ function: @escaping Function) {
    self.name = name
    self.isCustom = isCustom
    self.function = function
  }

  /// The later edit wins, as for every column without a policy.
  public static let lastEdit = MergePolicy(name: "lastEdit") { _, _, _ in nil }
  /// Numbers that are counted up and down: what both added is added.
  ///
  /// A sum beyond 64 bits is the greatest or the least number. In a row that two devices made both
  /// count from 0.
  public static let counter = MergePolicy(name: "counter", NumberMerge.sum)
  /// The greater of two numbers, or of two texts by their bytes, as of dates in ISO 8601.
  public static let max = MergePolicy(name: "max") { _, mine, theirs in
    NumberMerge.greater(mine, theirs)
  }
  /// JSON arrays as sets: what either added is in it, what either removed is not.
  ///
  /// Elements are the same that are written the same, white space aside.
  public static let union = MergePolicy(name: "union", ArrayUnion.merge)
  /// Texts by their lines: changes of different lines are both made; of lines that both changed,
  /// both versions are kept, the cloud's first.
  public static let text = MergePolicy(name: "text", LineMerge.merge)

  /// A function of the app's own.
  ///
  /// It has to be pure: what it returns depends on its arguments alone. All versions of the app
  /// that know it give it the same name, and a function that is another gets another name.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 letters, digits, `-`, `_` and `.` of ASCII; none of those above.
  ///   - merge: The function. What it returns is the value, unless it cannot be a field's: `NaN`, a
  ///     text with NUL, or more than 4 KiB of bytes.
  public static func custom(
    _ name: String, _ merge: @escaping Function
  ) -> MergePolicy {
    MergePolicy(name: name, isCustom: true, merge)
  }

  /// The policies that every version of the library knows, by name.
  private static let builtIn = Dictionary(
    uniqueKeysWithValues: [lastEdit, counter, max, union, text].map { ($0.name, $0) })

  /// The policy of a name: one of the library's, or this one.
  func named(_ name: String) -> MergePolicy? {
    name == self.name ? self : Self.builtIn[name]
  }

  /// Whether it is one of the app's own under a name that it cannot have.
  var isMisnamed: Bool {
    guard isCustom else { return false }
    let allowed = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    return !allowed || !(1...64).contains(name.utf8.count) || Self.builtIn[name] != nil
  }

  /// Merges two values: see ``Function``.
  func merge(
    base: DatabaseValue?, mine: DatabaseValue, theirs: DatabaseValue
  ) -> DatabaseValue? {
    function(base, mine, theirs)
  }

  /// Whether two policies have the same name.
  public static func == (one: MergePolicy, other: MergePolicy) -> Bool { one.name == other.name }

  /// By the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
