import GRDB

/// SQL for an app's own tables, triggers and queries, and what SQLite says of keys that no record
/// can have.
extension SyncEngine {
  /// An SQL expression for the DEFAULT of a key: a random UUID of version 4 in lower case.
  ///
  /// It uses no function of ours, so that any program can insert rows.
  public static let randomUUID = """
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' \
    || substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + (random() & 3), 1) \
    || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
    """

  /// What SQLite says of a row whose key cannot be part of a record's name; the write that makes
  /// it fails.
  ///
  /// A record's name has at most 255 bytes and no underscore in front. It is ASCII: other letters
  /// of a key are spelled with percent signs in it, and count nine or twelve bytes.
  public static let invalidRecordNameError =
    "A synchronized row's key must be short UTF-8 without NUL, and begin with no underscore."

  /// What SQLite says of a row whose key is bytes; the write that makes it fails.
  ///
  /// A `TEXT` column of a table that is not `STRICT` holds what it is given, and GRDB gives a
  /// `UUID` as 16 bytes unless it is told otherwise.
  public static let keyIsNotTextError =
    "A synchronized row's key must be text: store a UUID as its 36 characters, not as 16 bytes "
    + "(in GRDB by databaseUUIDEncodingStrategy)."

  /// Whether a row of a table can have this key.
  public static func isValidKey(_ key: String, of table: String) -> Bool {
    RecordName.isValid(key: key, table: table)
  }

  /// An SQL expression, true when a row of a table with the key that another expression gives
  /// cannot be a record.
  ///
  /// For the `WHEN` of a trigger of an app's own, which refuses such rows also before the app is
  /// synchronized for the first time, with `invalidRecordNameError`.
  public static func isInvalidKey(_ key: String, of table: String) -> String {
    RecordName.objectionSQL(key: key, table: table)
  }

  /// An SQL expression for who edited a row that is shared last, as the cloud writes accounts: see
  /// `SyncAccount.name(of:)`.
  ///
  /// NULL when that was this account, and for rows that are not shared.
  ///
  /// - Parameters:
  ///   - table: The name of a table.
  ///   - key: An SQL expression for the primary key of the row; a column with its table.
  public static func latestEditor(table: String, key: String) -> String {
    let record = MetadataStore.select(
      KnownDevices.otherAuthor(ofClock: "latest"),
      tableID: SchemaRegistry.number(ofTableCalled: table), key: key)
    return "(\(record) AND zoneID <> \(SyncZone.defaultID))"
  }

  /// An SQL expression, true when the cloud does not have the latest edit of a row yet.
  ///
  /// Where a query shows some rows of many, name them: thousands of edits may be unsent, such as
  /// those of an import while synchronization is stopped.
  ///
  /// ```swift
  /// let isPending = SyncEngine.hasPendingChange(
  ///   table: "plants", key: "shown.id", among: "SELECT id FROM shown")
  /// let sql = """
  ///   WITH shown AS (SELECT * FROM plants ORDER BY name LIMIT 100)
  ///   SELECT *, \(isPending) FROM shown
  ///   """
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of a table.
  ///   - key: An SQL expression for the primary key of the row; a column with its table.
  ///   - keys: An SQL query for the keys of the rows that are asked about; nil is any.
  public static func hasPendingChange(
    table: String, key: String, among keys: String? = nil
  ) -> String {
    let tableID = SchemaRegistry.number(ofTableCalled: table)
    let isAmong = keys.map { "primaryKey IN (\($0)) AND " } ?? ""
    return """
      (\(key) IN (
        SELECT primaryKey FROM \(EditEntries.unfolded(where: "\(isAmong)tableID = \(tableID)"))
      ) OR \(Outbox.isPending(tableID: tableID, key: key)))
      """
  }
}
