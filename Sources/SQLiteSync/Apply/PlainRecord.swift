import GRDB
import SQLiteSyncCloud

/// A record that can become a row without a merge, as far as the record itself says: of a table
/// that is here, with nothing but values for its columns, and hanging on what its row says.
///
/// Whether anything is known of it already, and whether anything waits for it, `PlainPage` asks.
struct PlainRecord {
  let name: String
  let table: TableSchema
  let key: String
  /// The columns that it has values for, by their places in the table.
  let columns: [Int]
  /// Their values.
  let values: [DatabaseValue]
  let tag: ChangeTag
  let life: FieldClock
  /// The latest edit of it.
  let latest: FieldClock
  /// The clocks that are not `life`, as they are stored: see `MetadataStore.encode`.
  let clocks: String?
  /// The record that it depends on.
  let parent: (name: String, key: String)?
  /// The names of the records that its foreign keys refer to.
  let references: [String]

  /// Nil when the record needs more than a row.
  init?(_ record: CloudRecord, tag: ChangeTag, in tables: TableOrder) {
    guard let name = RecordName(record.name), name.table == record.type,
      let table = tables[name.table], !table.isEngines, Self.isSpelled(record, name.key, in: table)
    else { return nil }
    var columns: [Int] = []
    var values: [DatabaseValue] = []
    var exceptions: [String: FieldClock] = [:]
    var latest = record.life
    for (index, column) in table.columns.enumerated() {
      let field = record.fields[column.name]
      let clock = field?.clock ?? .zero
      if clock != record.life { exceptions[column.name] = clock }
      guard let field else {
        if column.awaitsValue { return nil }
        continue
      }
      if case .asset = field.value { return nil }
      columns.append(index)
      values.append(DatabaseValue(field.value))
      latest = max(latest, clock)
    }
    // What there is no column for is kept beside the row.
    guard columns.count == record.fields.count, latest > .zero else { return nil }
    var references: [String] = []
    var parent: (name: String, key: String)?
    for foreignKey in table.foreignKeys {
      let value =
        foreignKey.column == table.key
        ? .text(name.key) : record.fields[foreignKey.column]?.value ?? .null
      if value == .null { continue }
      guard let text = value.text, let other = tables[foreignKey.table] else { return nil }
      let reference = RecordName(key: other.foldedKey(text), table: other.name)
      let referenceName = reference.description
      references.append(referenceName)
      if foreignKey == table.parentKey { parent = (referenceName, reference.key) }
    }
    guard (record.parent ?? "").utf8.elementsEqual((parent?.name ?? "").utf8) else {
      return nil
    }
    self.name = record.name
    self.table = table
    key = name.key
    self.columns = columns
    self.values = values
    self.tag = tag
    life = record.life
    self.latest = latest
    clocks = MetadataStore.encode(exceptions)
    self.parent = parent
    self.references = references
  }

  /// Whether the field that spells the key of a row, where there is one, is a spelling of the
  /// record's key.
  private static func isSpelled(
    _ record: CloudRecord, _ key: String, in table: TableSchema
  ) -> Bool {
    guard table.isKeyFolded else { return true }
    guard let spelling = record.fields[table.key]?.value.text else { return false }
    return table.foldedKey(spelling).utf8.elementsEqual(key.utf8)
  }
}
