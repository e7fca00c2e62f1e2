import SQLiteSyncCloud

/// One record on its way into its row.
struct RowChange {
  let table: TableSchema
  let key: String
  /// The cloud's image.
  let record: CloudRecord
  let copy: ServerCopy
  /// What was known here before.
  let local: RecordMetadata
  /// What was not sent before.
  let pending: PendingChange?
  let merge: RecordMerge
  let hasRow: Bool
  /// Whether the record was known in another zone.
  let wasElsewhere: Bool
  /// The fields that are merged of the version and of what is unsent.
  var mergedFields: Set<String> = []
}
