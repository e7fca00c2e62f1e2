/// One operation of a commit: what a device asks the cloud to do with a record.
public enum CloudChange: Hashable, Sendable {
  /// Writes the whole image of a record over the version `base`; `nil` when it must not exist.
  case save(CloudRecord, base: ChangeTag?)
  /// Deletes the version `base` of a record.
  case delete(Tombstone, base: ChangeTag?)

  /// The name of the record.
  public var name: String {
    switch self {
    case .save(let record, _): record.name
    case .delete(let tombstone, _): tombstone.name
    }
  }

  /// The record's type.
  public var type: String {
    switch self {
    case .save(let record, _): record.type
    case .delete(let tombstone, _): tombstone.type
    }
  }

  /// The version that its sender has seen.
  public var base: ChangeTag? {
    switch self {
    case .save(_, let base), .delete(_, let base): base
    }
  }

  /// Whether it takes a record away.
  var isDeletion: Bool {
    if case .delete = self { true } else { false }
  }
}
