import Foundation
import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// What the devices of the account are called: `sync_device_names`.
///
/// A synchronized table like the app's, in the account's own zone, so that all devices of the
/// account know the names, and nobody else does.
struct DeviceNames {
  let db: Database

  static let table = "sync_device_names"
  /// The most characters of a name.
  private static let limit = 64

  /// All that are known; files of an earlier version have none.
  func all() throws -> [UUID: String] {
    guard try db.hasTable(Self.table) else { return [:] }
    return try Row.fetchAll(
      db.cachedStatement(sql: "SELECT device, name FROM sync_device_names")
    ).reduce(into: [:]) { names, row in
      guard let device = try UUID(uuidString: row.read(0)) else { return }
      names[device] = try Self.cleaned(row.read(1))
    }
  }

  /// What a device is called, byte for byte.
  func name(of device: UUID) throws -> String? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT name FROM sync_device_names WHERE device = ?"),
      arguments: [device.lowercaseString])
  }

  func set(_ name: String, of device: UUID) throws {
    try db.execute(
      sql: """
        INSERT INTO sync_device_names (device, name) VALUES (?, ?)
        ON CONFLICT (device) DO UPDATE SET name = excluded.name
        """, arguments: [device.lowercaseString, name])
  }

  /// A name as it can be shown in a line of text; nil when nothing of it is left.
  static func cleaned(_ name: String) -> String? {
    let visible = name.unicodeScalars.filter { scalar in
      // Nothing that ends a line, or turns the text around it.
      ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        && !scalar.properties.isBidiControl
    }
    let cleaned = String(String.UnicodeScalarView(visible).prefix(limit))
      .trimmingCharacters(in: .whitespaces)
    return cleaned.isEmpty ? nil : cleaned
  }

  // MARK: - In other questions

  /// True for a table, by its number, that has something to say to people: names of devices travel
  /// with what does, and are not counted.
  static func isOther(_ tableID: String) -> String {
    "\(tableID) IS NOT \(SchemaRegistry.number(ofTable: table))"
  }
}

extension SyncEvent.Record {
  /// Whether it is the name of a device, which is not counted.
  var isDeviceName: Bool { type == DeviceNames.table }
}

extension ServerCopy {
  /// Whether it is the name of a device, which is not counted.
  var isDeviceName: Bool { name.hasSuffix(":" + DeviceNames.table) }
}
