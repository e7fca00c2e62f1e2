import GRDB

/// What may come of an app's own triggers that do not ask whether the engine writes.
enum TriggerCautions {
  typealias RawTable = SchemaInspection.RawTable

  private struct Trigger {
    let name: String
    let sql: String
    let tokens: [SQLToken]

    /// Whether it ends a write by this form of `RAISE`.
    func raises(_ action: String) -> Bool {
      tokens.indices.dropLast(2).contains { index in
        tokens[index].isWord("RAISE") && tokens[index + 1].isSymbol("(")
          && tokens[index + 2].isWord(action)
      }
    }
  }

  private static let hint =
    "Give it WHEN NOT \(DeviceState.isApplying), which is what "
    + "SyncEngine.isSynchronizingChanges says"

  /// Triggers of synchronized tables by which devices come to differ, or nothing arrives.
  static func warnings(about tables: [RawTable], in db: Database) throws -> [SyncError] {
    let names = Set(tables.map(\.name.asciiLowercased))
    return try tables.flatMap { table in
      try triggers(of: table.name, in: db).flatMap { trigger in
        raising(trigger, table) + writing(trigger, table, to: names)
      }
    }
  }

  private static func triggers(of table: String, in db: Database) throws -> [Trigger] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT name, sql FROM sqlite_schema
          WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name NOT GLOB 'sync_*'
          ORDER BY name
          """), arguments: [table]
    ).compactMap { row in
      let tokens = SQLTokenizer.tokens(of: row[1]) ?? []
      // Its column stands in `SyncEngine.isSynchronizingChanges`, and nowhere else.
      guard !tokens.contains(where: { $0.isWord("isApplying") }) else { return nil }
      return Trigger(name: row[0], sql: row[1], tokens: tokens)
    }
  }

  /// Forms of `RAISE`, what one is warned of for each, and what it does to what comes from others.
  private static let raises: [(action: String, reason: SyncError.Reason, effect: String)] = [
    (
      "IGNORE", .ignoringTrigger,
      "leaves out by RAISE(IGNORE) also what comes from other devices, without a trace: the "
        + "devices come to differ."
    ),
    (
      "ROLLBACK", .rollingBackTrigger,
      "ends by RAISE(ROLLBACK) the transaction in which a row comes from another device: nothing "
        + "that is fetched with the row arrives."
    ),
  ]

  private static func raising(_ trigger: Trigger, _ table: RawTable) -> [SyncError] {
    raises.filter { trigger.raises($0.action) }.map { _, reason, effect in
      SyncError(
        reason, table: table.name, "The trigger \(trigger.name) \(effect)",
        hint: "\(hint); or refuse such rows by RAISE(ABORT, …).")
    }
  }

  private static func writing(
    _ trigger: Trigger, _ table: RawTable, to names: Set<String>
  ) -> [SyncError] {
    let targets = (TriggerBody(trigger.sql)?.statements ?? []).compactMap(\.target)
    let written = Set(targets.map(\.asciiLowercased)).intersection(names).sorted()
    guard !written.isEmpty else { return [] }
    return [
      SyncError(
        .writingTrigger, table: table.name,
        "The trigger \(trigger.name) writes to \(written.joined(separator: ", ")) also when a row "
          + "comes from another device; what it writes then is not sent.",
        hint: "\(hint): the device on which the row was edited sends what the trigger wrote there.")
    ]
  }
}
