import Foundation
import GRDB
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Everything that lives in the cloud, or that a device knows to live there, as lines to compare:
/// each record's tag and life, and each field's value and clock, and when others were deleted.
struct CloudImage {
  private var lines: Set<String> = []
  /// When records were deleted, by name.
  private var deaths: [String: FieldClock] = [:]

  /// What a reader without any memory finds in the cloud.
  init(cloud zone: ZoneLog, without others: Set<String> = []) throws {
    for (name, copy) in try Self.copies(in: zone)
    where name != Share.recordName && !others.contains(name) {
      switch copy.content {
      case .record(let record):
        add(name, tag: copy.tag, life: record.life, fields: record.fields)
      case .tombstone(let tombstone): deaths[name] = tombstone.clock
      }
    }
  }

  /// The latest version of each record, as a reader without any memory finds it.
  static func copies(in zone: ZoneLog) throws -> [String: ServerCopy] {
    var latest: [String: ServerCopy] = [:]
    var token: ChangeToken?
    while true {
      let known = latest
      let changes = try zone.changes(after: token, view: view(of: known))
      for copy in changes.copies { latest[copy.name] = copy }
      token = changes.token
      if !changes.moreComing { return latest }
    }
  }

  /// What lives in several zones together, without some records of each.
  ///
  /// When others were deleted is left out: a record that moved died in the zones that it left.
  init(cloud zones: [ZoneLog], without others: [ZoneID: Set<String>]) throws {
    for zone in zones {
      lines.formUnion(try CloudImage(cloud: zone, without: others[zone.id] ?? []).lines)
    }
  }

  /// What a device has, in its rows, in fields without a column and in records without a table.
  init(of device: Device) throws {
    try device.database.readSnapshot { db in
      let store = MetadataStore(db: db)
      for id in try Int64.fetchAll(db, sql: "SELECT id FROM sync_records WHERE tag IS NOT NULL") {
        guard let record = try store.record(id: id), let name = try store.name(ofRecord: id)
        else { continue }
        if record.isTombstone {
          deaths[name] = record.death
        } else {
          try add(record, name: name, of: device, db)
        }
      }
    }
  }

  /// The same without some rows, given by their keys.
  func leavingOut(_ isLeftOut: (String) -> Bool) -> CloudImage {
    var image = self
    image.lines = lines.filter { !isLeftOut(String($0.prefix { $0 != ":" })) }
    image.deaths = deaths.filter { !isLeftOut(RecordName.parsing($0.key).key) }
    return image
  }

  /// What a device has and the cloud has not, or the other way round.
  ///
  /// A device need not know of every deletion, nor the cloud remember it for ever; of those that
  /// both know they have the same time.
  func differences(from cloud: CloudImage) -> String? {
    let otherTimes = deaths.filter { name, clock in cloud.deaths[name] ?? clock != clock }
    guard lines != cloud.lines || !otherTimes.isEmpty else { return nil }
    return """
      + \(lines.subtracting(cloud.lines).sorted()) - \(cloud.lines.subtracting(lines).sorted()), \
      deleted at other times than in the cloud: \(otherTimes)
      """
  }

  private static func view(of copies: [String: ServerCopy]) -> ServerView {
    ServerView(
      record: { name in copies[name].map { RecordState($0) } },
      children: { parent in
        copies.values.compactMap { copy in
          guard case .record(let record) = copy.content else { return nil }
          return record.parent == parent ? record.name : nil
        }
      },
      share: { copies[Share.recordName]?.share })
  }

  private mutating func add(
    _ record: RecordMetadata, name: String, of device: Device, _ db: Database
  ) throws {
    let quarantined = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT image FROM sync_parked WHERE recordID = ?"),
      arguments: [record.id]
    ).map(CloudRecord.init(encoded:))
    var fields = quarantined?.fields ?? record.unknown?.fields ?? [:]
    if let table = device.synchronizer.tables[RecordName.parsing(name).table] {
      for (column, value) in try RowStore(db: db, table: table).values(ofKey: record.key) ?? [:] {
        fields[column] = CloudField(value.cloudValue, record.clock(of: column))
      }
    }
    add(name, tag: record.tag, life: record.life, fields: fields)
  }

  private mutating func add(
    _ name: String, tag: ChangeTag?, life: FieldClock, fields: [String: CloudField]
  ) {
    lines.insert("\(name) \(tag?.description ?? "-") since \(life.rawValue)")
    for (field, value) in fields where value.clock > .zero {
      lines.insert("\(name) \(field)@\(value.clock.rawValue) \(Self.describe(value.value))")
    }
  }

  private static func describe(_ value: CloudValue) -> String {
    switch value {
    case .asset(let reference): "\(reference.byteCount) bytes"
    case .bytes(let bytes): "\(bytes.count) bytes"
    default: "\(value)"
    }
  }
}
