/// What other users may do in a directory of the cloud, as the store enforces it.
public struct StoreAccess: Hashable, Sendable {
  /// What someone may do.
  ///
  /// The raw value is a sum: 1 to open what one knows the name of, 2 to add, 4 to list. Who may not
  /// open anything may do nothing.
  public enum Level: UInt16, Hashable, Sendable {
    /// Nothing.
    case none = 0
    /// Open what they know the name of.
    case enter = 1
    /// Add objects, and list nothing.
    case drop = 3
    /// List and read.
    case read = 5
    /// Add objects, and remove their own.
    case write = 7
  }

  /// What single users may do: also less than all others.
  public var users: [StoreUser: Level]
  /// What all others may do.
  public var others: Level

  /// Nobody but the owner, unless something else is said.
  public init(users: [StoreUser: Level] = [:], others: Level = .none) {
    // Where others may do nothing, nobody needs to be kept out by name.
    self.users = users.filter { $0.value != .none || others != .none }
    self.others = others
  }
}
