import Foundation
import GRDB

// A step is kept in a file, so that what one command did another can take back.

extension RowChange: Codable {
  private enum Key: CodingKey {
    case table, key, deleted, updated, became, digest
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let name = try container.decode(String.self, forKey: .table)
    guard let table = AppTable(named: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .table, in: container, debugDescription: "There is no table \(name).")
    }
    row = RowID(table, try container.decode(String.self, forKey: .key))
    if let columns = try container.decodeIfPresent([String: StoredColumn].self, forKey: .deleted) {
      kind = .deleted(columns.mapValues(\.value))
    } else if let columns = try container.decodeIfPresent(
      [String: StoredColumn].self, forKey: .updated)
    {
      let became = try container.decodeIfPresent([String: StoredColumn].self, forKey: .became)
      kind = .updated(
        columns.mapValues(\.value), became: became?.mapValues(\.value) ?? [:])
    } else {
      kind = .inserted(
        digest: try container.decodeIfPresent(String.self, forKey: .digest))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(row.table.name, forKey: .table)
    try container.encode(row.key, forKey: .key)
    switch kind {
    case .inserted(let digest): try container.encodeIfPresent(digest, forKey: .digest)
    case .deleted(let columns):
      try container.encode(columns.mapValues(StoredColumn.init), forKey: .deleted)
    case .updated(let columns, let became):
      try container.encode(columns.mapValues(StoredColumn.init), forKey: .updated)
      try container.encode(became.mapValues(StoredColumn.init), forKey: .became)
    }
  }
}

/// A value of SQLite in JSON: a number with a fraction, and bytes, say what they are.
private struct StoredColumn: Codable {
  let value: DatabaseValue

  private enum Key: CodingKey {
    case real, blob
  }

  init(_ value: DatabaseValue) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      value = .null
      // Which kind of value it is, only trying tells.
    } else if let number = try? single.decode(Int64.self) {
      value = number.databaseValue
      // Which kind of value it is, only trying tells.
    } else if let text = try? single.decode(String.self) {
      value = text.databaseValue
    } else {
      let container = try decoder.container(keyedBy: Key.self)
      if let bytes = try container.decodeIfPresent(Data.self, forKey: .blob) {
        value = bytes.databaseValue
      } else {
        // As text: JSON has no infinity.
        let text = try container.decode(String.self, forKey: .real)
        value = (Double(text) ?? 0).databaseValue
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch value.storage {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .int64(let number):
      var container = encoder.singleValueContainer()
      try container.encode(number)
    case .string(let text):
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .double(let number):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(number.description, forKey: .real)
    case .blob(let bytes):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(bytes, forKey: .blob)
    }
  }
}
