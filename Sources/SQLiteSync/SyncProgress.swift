/// How far a long fetch or send is.
public struct SyncProgress: Hashable, Sendable {
  /// What is done: records when sending, bytes of the cloud's files when fetching.
  public var completed: Int
  /// All there was to do when it began, in the same unit; others may have written more since.
  public var total: Int

  /// So much of all.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }

  /// From 0 to 1.
  public var fraction: Double {
    total > 0 ? min(1, max(0, Double(completed) / Double(total))) : 1
  }
}
