import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What people did themselves, from which follows what forgers must not bring about.
///
/// - *Who may read*: a directory lets somebody in only where the owner of the zone has ever said so
///   of its list, to the account or to everybody.
/// - *What is where*: a text that an honest person wrote is uploaded by honest devices only to the
///   zone of a list in which somebody honest put its row, or to the writer's own zone.
/// - *What stays*: such a row is not lost, keeps to such a list, and says nothing forged.
///
/// All that holds of rows that are out of the forgers' reach. Whoever may write into a list may do
/// to its rows what he likes: a row is exposed that was ever in a list of a forger's, or in one
/// into which a forger was ever allowed to write. Of such rows, and in zones into which a forger
/// may write, devices may also differ from each other and from the cloud, and have something left
/// to do; what is everybody's own goes on all the same, and every sync comes to an end.
struct SharingSecrets {
  /// What somebody wrote: into which row, which hangs on which, in which list it was then.
  private struct Text {
    let row: String
    let parent: String?
    let list: String
  }

  private let forgers: Set<AccountID>
  /// Whose the lists are.
  private var owners: [String: AccountID] = [:]
  /// The most that was ever allowed of a list.
  private var allowed: [String: [AccountID: Share.Permission]] = [:]
  private var allowedToAll: [String: Share.Permission] = [:]
  /// The lists of zones that are shared.
  private var lists: [ZoneID: String] = [:]
  /// The lists in which somebody put a row.
  private var places: [String: Set<String>] = [:]
  private var parents: [String: String] = [:]
  private var tables: [String: String] = [:]
  private var texts: [String: Text] = [:]

  init(forgers: Set<AccountID>) {
    self.forgers = forgers
  }

  /// The names of the records of all rows.
  var names: [String] { tables.map { "\($0.key):\($0.value)" }.sorted() }
  /// All zones that are shared.
  var zones: [ZoneID] { lists.keys.sorted { $0.path < $1.path } }
  /// All lists.
  var allLists: [String] { owners.keys.sorted() }

  // MARK: - What people do

  mutating func makes(list: String, _ account: AccountID) {
    owners[list] = account
    places[list] = [list]
    tables[list] = "lists"
  }

  /// Somebody puts a row into a list, below another row or directly.
  mutating func puts(
    _ row: String, of table: String, into list: String, below parent: String? = nil
  ) {
    places[row, default: []].insert(list)
    tables[row] = table
    if let parent { parents[row] = parent }
  }

  /// Somebody writes a text into a row that is in a list.
  mutating func writes(_ text: String, into row: String, of list: String) {
    texts[text] = Text(row: row, parent: parents[row], list: list)
  }

  mutating func allows(
    _ permission: Share.Permission, to account: AccountID?, list: String
  ) {
    if let account {
      allowed[list, default: [:]][account] = max(allowed[list]?[account] ?? .none, permission)
    } else {
      allowedToAll[list] = max(allowedToAll[list] ?? .none, permission)
    }
  }

  mutating func shares(_ list: String, as zone: ZoneID) { lists[zone] = list }

  // MARK: - What follows

  private func permission(of account: AccountID, in list: String) -> Share.Permission {
    max(allowed[list]?[account] ?? .none, allowedToAll[list] ?? .none)
  }

  /// Whether a forger may do what he likes with the rows of a list.
  func isExposed(list: String) -> Bool {
    guard let owner = owners[list] else { return true }
    return forgers.contains(owner)
      || forgers.contains { permission(of: $0, in: list) == .write }
  }

  /// Whether a forger may write into a zone.
  func isExposed(zone: ZoneID) -> Bool {
    forgers.contains(zone.owner) || lists[zone].map { isExposed(list: $0) } ?? false
  }

  /// Whether a forger may do what he likes with a row.
  func isExposed(row: String) -> Bool {
    guard let lists = places(ofRow: row) else { return true }
    return lists.contains { isExposed(list: $0) }
  }

  /// The lists in which somebody put a row; nil for one that nobody made.
  func places(ofRow row: String) -> Set<String>? {
    guard let own = places[row] else { return nil }
    return parents[row].map { own.union(places[$0] ?? []) } ?? own
  }

  /// Whether somebody put a row into a list of theirs, so that they have the right one of its name.
  ///
  /// To others a forged one is just a row; and what they read of the right one is compared with the
  /// cloud.
  func isKnown(row: String, to account: AccountID) -> Bool {
    (places(ofRow: row) ?? []).contains { owners[$0] == account }
  }

  /// Why a text must not be in a zone; nil when it may.
  func objection(to text: String, in zone: ZoneID) -> String? {
    guard let known = texts[text] else { return nil }
    var allowed = (places[known.row] ?? []).union([known.list])
    if let parent = known.parent { allowed.formUnion(places[parent] ?? []) }
    guard !allowed.contains(where: { isExposed(list: $0) }), zone.name != "default" else {
      return nil
    }
    guard let list = lists[zone], allowed.contains(list) else {
      return "\(text) of \(known.row) in \(allowed.sorted()) is uploaded to \(zone.path)"
    }
    return nil
  }

  /// Why somebody must not be let into a directory of the cloud; nil when they may.
  func objection(to grant: GuardedStore.Grant) -> String? {
    let names = grant.path.split(separator: "/").map(String.init)
    guard names.count >= 4, names[2] == "zones", let owner = AccountID(rawValue: names[1]),
      !forgers.contains(owner)
    else { return nil }
    let zone = lists.keys.first { $0.owner == owner && ZoneLayout.key(of: $0.name) == names[3] }
    let list = zone.flatMap { lists[$0] } ?? ""
    let isTooMuch =
      exceeds(grant.access.others, allowedToAll[list] ?? .none)
      || grant.access.users.contains { user, level in
        let account = user.number.map(AccountID.init(userID:))
        return exceeds(level, account.map { permission(of: $0, in: list) } ?? .none)
      }
    return isTooMuch ? "\(grant.path) of \(list) is opened: \(grant.access)" : nil
  }

  private func exceeds(_ level: StoreAccess.Level, _ permission: Share.Permission) -> Bool {
    switch level {
    case .none, .enter: false
    case .read: permission == .none
    case .drop, .write: permission != .write
    }
  }
}
