import GRDB
import SQLiteSyncCloud

extension SyncConfiguration {
  /// Throws `invalidConfiguration` for a zone that no cloud can have: before anything is changed.
  func requireZone() throws {
    guard let objection = ZoneID.objection(toName: zone) else { return }
    throw SyncError(
      .invalidConfiguration,
      "The zone cannot be called \(String(zone.prefix(40)).debugDescription): \(objection).",
      hint: "Give `SyncConfiguration.zone` a short name without control characters.")
  }

  /// Throws `invalidConfiguration` for a time of edits in SQL that is no whole number.
  static func require(editTimeSQL sql: String, in db: Database) throws {
    func refusal(_ reason: String) -> SyncError {
      SyncError(
        .invalidConfiguration, "`SyncConfiguration.editTimeSQL` cannot be used: \(reason).",
        hint: "Give it one expression that is milliseconds since 1970, a whole number; CAST makes "
          + "one of others.")
    }
    do {
      let statement = try db.makeStatement(sql: "SELECT (\(sql))")
      guard statement.columnCount == 1 else {
        throw refusal("it is more than one expression")
      }
      guard case .int64 = try DatabaseValue.fetchOne(statement)?.storage else {
        throw refusal("it is no whole number")
      }
    } catch let error as DatabaseError {
      throw refusal(error.message ?? "\(error)")
    }
  }
}
