import GRDB
import SQLiteSyncCloud

/// What is shared: by this account, or with it.
public struct SyncShare: Hashable, Sendable {
  /// What this account may do with the rows.
  public enum Access: String, Hashable, Sendable {
    /// Everything: they are its own.
    case owner
    /// Everything but to delete the row that is shared, and to decide who takes part.
    case write
    /// To look at them.
    case read
  }

  /// The zone in which the rows live.
  public let zone: ZoneID
  /// The table of the row that is shared with all that depends on it; empty until the share was
  /// fetched.
  public let table: String
  /// The primary key of that row.
  public let key: String
  /// What is shared, in words.
  public let title: String
  /// What this account may do.
  public let access: Access
  /// What anyone may do who has the link.
  public let publicPermission: Share.Permission
  /// The people that were invited, and those who came by the link.
  public let participants: [AccountID: Share.Participant]

  /// Whose rows these are.
  public var owner: AccountID { zone.owner }

  /// The link with which others accept it, in the cloud with an id.
  public func link(in cloud: String) -> String {
    ShareLink(cloud: cloud, zone: zone).description
  }

  /// Everything that is shared by this account or with it, its own first.
  public static func all(_ db: Database) throws -> [SyncShare] {
    let shared = SharedZones(db: db)
    guard try shared.isInstalled() else { return [] }
    return try shared.followed().compactMap { try ZoneShare(of: $0, in: db).map(SyncShare.init) }
  }

  init(_ share: ZoneShare) {
    let root = RecordName.parsing(share.share?.root ?? "")
    zone = share.zone
    table = root.table
    key = root.key
    title = share.share?.title ?? ""
    access = Access(rawValue: share.access.rawValue) ?? .read
    publicPermission = share.share?.publicPermission ?? .none
    participants = share.share?.participants ?? [:]
  }
}
