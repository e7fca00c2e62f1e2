import GRDB
import SQLiteSyncCloud

/// Whose data a database is in step with: remembered in it, so that it outlives every process.
public struct SyncAccount: Hashable, Sendable {
  /// Who is signed in, or was last; nil before anybody was.
  public let id: AccountID?
  /// Whether somebody signed out and nobody has signed in since.
  ///
  /// Every engine over the database is signed out then, whatever cloud it is given.
  public let isSignedOut: Bool
  /// The id of the cloud that the database was last in step with; nil before the first time.
  public let cloud: String?
  /// Whether what was synchronized for the account is here.
  public let hasData: Bool

  /// Reads what the metadata says.
  ///
  /// Nobody was ever signed in before an engine has installed it.
  public init(_ db: Database) throws {
    let state = DeviceState(db: db)
    guard try state.exists() else {
      (id, isSignedOut, cloud, hasData) = (nil, false, nil, false)
      return
    }
    (id, isSignedOut, cloud) = try (state.account(), state.isSignedOut(), state.cloud())
    hasData = try Zones(db: db).isAny()
  }

  /// The name by which people know an account, given as the cloud writes it.
  public static func name(of account: String) -> String {
    AccountID(rawValue: account)?.displayName ?? account
  }

  /// Throws `accountChanged` when another account's data is here.
  func requireFree(for account: AccountID) throws {
    guard let id, id != account, hasData || !isSignedOut else { return }
    throw SyncError(
      .accountChanged,
      "This data belongs to the account \(id.displayName(beside: account)), not to "
        + "\(account.displayName(beside: id)).",
      hint: "Sign out first, or use another database for the other account.")
  }

  /// Throws unless an account is signed in: `notAuthenticated` when nobody is, `accountChanged`
  /// when somebody else is.
  func requireSignedIn(_ account: AccountID) throws {
    guard !isSignedOut else { throw Self.nobody }
    try requireFree(for: account)
  }

  /// What the engine answers while nobody is signed in.
  static let nobody = CloudError(
    .notAuthenticated, "Nobody is signed in.",
    hint: "Sign in; what is written until then is kept, and sent afterwards.")

  /// Writes down that an account is signed in.
  static func signIn(_ account: AccountID, zone: ZoneID, in db: Database) throws {
    try DeviceState(db: db).signIn(account)
    try Zones(db: db).add(zone, id: SyncZone.defaultID)
  }

  /// Writes down which cloud the database is in step with.
  static func remember(cloud: String, in db: Database) throws {
    try DeviceState(db: db).set(cloud: cloud)
  }
}
