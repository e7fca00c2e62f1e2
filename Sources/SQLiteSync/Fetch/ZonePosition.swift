import GRDB
import SQLiteSyncCloud

/// Why a zone is fetched whole: it says what becomes of a record that the fetch does not mention.
enum FullFetch: String, Sendable {
  /// The log no longer reaches back to the change token, or the zone was deleted: such a record was
  /// deleted elsewhere.
  case expired
  /// The log was begun anew or restored from a backup: it lost the record, which is sent again.
  case rebuilt

  /// The full fetch that an answer of the cloud asks for; nil for other answers.
  init?(after code: CloudError.Code) {
    switch code {
    case .changeTokenExpired, .userDeletedZone: self = .expired
    case .zoneNotFound: self = .rebuilt
    default: return nil
    }
  }
}

/// How far this device has fetched a zone.
struct ZonePosition: Equatable {
  /// The number of the zone.
  let zoneID: Int64
  /// Everything up to here was fetched; nil before the first page.
  var token: ChangeToken?
  /// The number of the latest full fetch.
  ///
  /// Every record bears it that a fetch has mentioned since that one began.
  private(set) var pass: Int64
  /// The full fetch under way.
  private(set) var fullFetch: FullFetch?

  /// Reads the position in a zone.
  init(in db: Database, zone zoneID: Int64 = SyncZone.defaultID) throws {
    self.zoneID = zoneID
    let row = try Zones(db: db).row(of: zoneID)
    token = try (row?.read("token") as String?).flatMap(ChangeToken.init)
    pass = try row?.read("pass") ?? 0
    fullFetch = try (row?.read("fullFetch") as String?).flatMap(FullFetch.init(rawValue:))
  }

  /// Stores the position.
  func save(in db: Database) throws {
    try Zones(db: db).save(self)
  }

  /// Goes back to the beginning, to fetch the zone whole.
  ///
  /// What a rebuilt log lost may be missing in every later one too.
  mutating func begin(_ next: FullFetch) {
    token = nil
    // Whatever it was, it is another one.
    pass &+= 1
    fullFetch = fullFetch == .rebuilt ? .rebuilt : next
  }

  /// Has a zone fetched whole next, its share too.
  static func begin(_ fullFetch: FullFetch, ofZone zoneID: Int64, in db: Database) throws {
    var position = try ZonePosition(in: db, zone: zoneID)
    position.begin(fullFetch)
    try position.save(in: db)
    try Zones(db: db).forgetShareTag(of: zoneID)
  }

  /// Ends the full fetch: what it did not mention has been dealt with.
  mutating func end() {
    fullFetch = nil
  }
}
