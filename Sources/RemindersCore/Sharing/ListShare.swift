import GRDB
import SQLiteSync

/// A list that several people have: whose it is, who takes part, and what they may do.
public struct ListShare: Identifiable, Hashable, Sendable {
  /// What somebody may do with a list.
  public enum Permission: String, CaseIterable, Sendable {
    case none
    case read
    case write
  }

  /// Somebody whom a list is shared with.
  public struct Participant: Identifiable, Hashable, Sendable {
    /// The account, as the cloud writes it.
    public let id: String
    /// Who it is, as people read it.
    public let account: String
    /// What they may do.
    public let permission: Permission
    /// Whether they have accepted; else they are invited.
    public let hasAccepted: Bool
  }

  /// The list.
  public let id: RemindersList.ID
  /// What it was called when it was shared.
  public let title: String
  /// Whose list it is, as people read it.
  public let owner: String
  /// What this account may do.
  public let access: SyncShare.Access
  /// What anyone may do who has the link.
  public let publicPermission: Permission
  /// Who takes part or is invited, by name.
  public let participants: [Participant]
  /// What others accept it by; nil before the file has met a cloud.
  public let link: String?

  /// Whether this account may change the list and its reminders.
  public var isWritable: Bool { access != .read }
  /// Whether it is this account's list.
  public var isOwn: Bool { access == .owner }
}

extension ListShare {
  /// What is shared, if it is a list.
  ///
  /// - Parameters:
  ///   - share: What the cloud knows of it.
  ///   - known: The account and its cloud.
  init?(_ share: SyncShare, _ known: SyncAccount) {
    guard share.table == RemindersList.databaseTableName else { return nil }
    id = share.key
    title = share.title
    owner = share.owner.displayName
    access = share.access
    publicPermission = Permission(rawValue: share.publicPermission.rawValue) ?? .none
    participants = share.participants.filter { $0.value.takesPart }.map { account, its in
      Participant(
        id: account.rawValue, account: account.displayName,
        permission: Permission(rawValue: its.permission.rawValue) ?? .none,
        // What is followed here was accepted; its owner notes that later.
        hasAccepted: its.state == .accepted || account == known.id)
    }.sorted { $0.account < $1.account }
    link = known.cloud.map(share.link(in:))
  }

  /// `shared with ben, carla`, or `shared from ann, read only`.
  public var summary: String {
    guard isOwn else { return "shared from \(owner)" + (isWritable ? "" : ", read only") }
    if participants.isEmpty {
      return publicPermission == .none ? "shared with nobody yet" : "shared by its link"
    }
    return "shared with " + participants.map(\.account).joined(separator: ", ")
  }

  /// `&ben`, or `&ben+1`: the others, where there is little room.
  public var badge: String {
    guard isOwn else { return "&" + owner }
    guard let first = participants.first?.account else { return "&" }
    return "&" + first + (participants.count > 1 ? "+\(participants.count - 1)" : "")
  }
}

/// Finds the lists that are shared, by this account or with it.
public struct SharesQuery: Query {
  /// The query.
  public init() {}

  /// Finds them, with one snapshot of the database: this account's own first.
  public func fetch(_ db: Database) throws -> [ListShare] {
    let known = try SyncAccount(db)
    return try SyncShare.all(db).compactMap { ListShare($0, known) }
  }
}

extension SQL {
  /// Whether a reminder is in a list that this account may change.
  static func isWritable(_ db: Database) throws -> String {
    "remindersListID NOT IN \(try readOnlyLists(db))"
  }

  /// The ids of the lists that this account may only read.
  static func readOnlyLists(_ db: Database) throws -> String {
    try lists(db) { !$0.isWritable }
  }

  /// The ids of the lists that others share with this account.
  static func listsOfOthers(_ db: Database) throws -> String {
    try lists(db) { !$0.isOwn }
  }

  private static func lists(
    _ db: Database, where isMeant: (ListShare) -> Bool
  ) throws -> String {
    let ids = try SharesQuery().fetch(db).filter(isMeant).map(\.id.sqlLiteral)
    return "(\(ids.joined(separator: ", ")))"
  }
}

extension String {
  fileprivate var sqlLiteral: String { "'" + replacing("'", with: "''") + "'" }
}
