/// Who may do what in a zone that is shared, as the zone's own log says.
///
/// It is a record of the zone like any other (`recordName`), so it is versioned, merged field by
/// field and folded into checkpoints with the rest, and every reader of the log knows who was
/// allowed to write at each commit. A zone without this record is its owner's alone.
public struct Share: Hashable, Sendable {
  /// What someone may do with the records of a zone.
  public enum Permission: String, Hashable, Comparable, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// To read them.
    case read
    /// To read and change them.
    case write

    /// Whether the left one allows less.
    public static func < (left: Permission, right: Permission) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// Someone the zone is shared with.
  public struct Participant: Hashable, Sendable {
    /// Where an invitation stands.
    public enum State: String, Hashable, Sendable {
      /// Has not answered.
      case invited
      /// Takes part.
      case accepted
      /// Left: may come back by the link, as anyone may.
      case left
      /// Was removed.
      case gone
    }

    /// What they may do.
    public var permission: Permission
    /// Whether they accepted.
    public var state: State

    /// Whether they take part, or are invited to.
    public var takesPart: Bool { state == .invited || state == .accepted }

    /// A participant.
    public init(permission: Permission, state: State = .invited) {
      self.permission = permission
      self.state = state
    }
  }

  /// The name of the record that a share is.
  public static let recordName = "share:" + recordType
  /// The field of that record that has `root`.
  public static let rootField = "root"
  /// The type of that record.
  public static let recordType = "cloud.share"

  /// The name of the record that is shared with all that depends on it.
  public var root: String
  /// What is shared, in words.
  public var title: String
  /// What anyone may do who has the link.
  public var publicPermission: Permission
  /// The people that were invited.
  public var participants: [AccountID: Participant]

  /// A share of a record.
  public init(
    root: String, title: String, publicPermission: Permission = .none,
    participants: [AccountID: Participant] = [:]
  ) {
    self.root = root
    self.title = title
    self.publicPermission = publicPermission
    self.participants = participants
  }

  /// What an account that does not own the zone may do.
  public func permission(of account: AccountID) -> Permission {
    guard let participant = participants[account] else { return publicPermission }
    switch participant.state {
    case .gone: return .none
    case .left: return publicPermission
    case .invited, .accepted: return max(participant.permission, publicPermission)
    }
  }
}

// MARK: - As a record

extension Share {
  private static let participantPrefix = "participant "

  /// Reads a share; nil when the record is not one.
  ///
  /// A participant that cannot be read has no permission.
  public init?(_ record: CloudRecord) {
    guard record.name == Self.recordName, record.type == Self.recordType,
      case .text(let root)? = record.fields[Self.rootField]?.value
    else { return nil }
    self.init(root: root, title: "")
    if case .text(let title)? = record.fields["title"]?.value { self.title = title }
    if case .text(let text)? = record.fields["public"]?.value {
      publicPermission = Permission(rawValue: text) ?? .none
    }
    for (name, field) in record.fields {
      guard let account = Self.account(ofField: name) else { continue }
      participants[account] = Participant(field.value)
    }
  }

  /// Whom a field is about; nil for other fields.
  private static func account(ofField name: String) -> AccountID? {
    guard name.hasPrefix(participantPrefix) else { return nil }
    return AccountID(rawValue: String(name.dropFirst(participantPrefix.count)))
  }

  /// The record of this share over the version that is known; what did not change keeps its clock,
  /// and who is not named any more has no field.
  ///
  /// - Parameters:
  ///   - known: The version that is known; nil for a new share.
  ///   - edit: Makes the clock of an edit from the one that the field has.
  public func record(
    over known: CloudRecord?, edit: (FieldClock) -> FieldClock
  ) -> CloudRecord {
    var record =
      known
      ?? CloudRecord(name: Self.recordName, type: Self.recordType, life: edit(.zero))
    for name in record.fields.keys {
      if let account = Self.account(ofField: name), participants[account] == nil {
        record.fields[name] = nil
      }
    }
    for (name, value) in values where record.fields[name]?.value != value {
      record.fields[name] = CloudField(value, edit(record.fields[name]?.clock ?? .zero))
    }
    return record
  }

  private var values: [String: CloudValue] {
    var values: [String: CloudValue] = [
      Self.rootField: .text(root), "title": .text(title),
      "public": .text(publicPermission.rawValue),
    ]
    for (account, participant) in participants {
      values[Self.participantPrefix + account.rawValue] = participant.value
    }
    return values
  }
}

extension Share.Participant {
  /// `write accepted`: one field, so that permission and state cannot be merged apart.
  fileprivate var value: CloudValue { .text("\(permission.rawValue) \(state.rawValue)") }

  fileprivate init(_ value: CloudValue) {
    self.init(permission: .none, state: .gone)
    guard case .text(let text) = value else { return }
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 2, let permission = Share.Permission(rawValue: words[0]),
      let state = State(rawValue: words[1])
    else { return }
    self.init(permission: permission, state: state)
  }
}
