import GRDB

/// What may come of an app's own triggers that do not ask whether the engine writes.
enum TriggerCautions {
  typealias RawTable = SchemaInspection.RawTable

  private static let hint =
    "Give it WHEN NOT \(DeviceState.isApplying), which is what "
    + "SyncEngine.isSynchronizingChanges says"

  /// Triggers of synchronized tables, those of this connection alone among them, by which devices
  /// come to differ, or nothing arrives.
  static func warnings(about tables: [RawTable], in db: Database) throws -> [SyncError] {
    let names = Set(tables.map(\.name.asciiLowercased))
    let triggers = try TriggerBody.all(in: db)
      // Its column stands in `SyncEngine.isSynchronizingChanges`, and nowhere else.
      .filter { !$0.name.hasPrefix("sync_") && !$0.body.mentions("isApplying") }
      .sorted { $0.name < $1.name }
    return try tables.flatMap { table in
      try broken(table, in: db)
        + triggers.filter { $0.table.isSameName(as: table.name) }.flatMap { trigger in
          raising(trigger, table) + writing(trigger, table, to: names)
        }
    }
  }

  /// Whether a trigger names what is not there, which SQLite notices only when a row is written.
  private static func broken(_ table: RawTable, in db: Database) throws -> [SyncError] {
    let (name, column) = (table.name.quotedIdentifier, table.columns.first?.name.quotedIdentifier)
    let update = column.map { "UPDATE \(name) SET \($0) = \($0)" }
    for sql in ["INSERT INTO \(name) DEFAULT VALUES", update, "DELETE FROM \(name)"] {
      guard let sql else { continue }
      do {
        _ = try db.makeStatement(sql: sql)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        return [SyncError.lacks(error, table: table.name)]
      }
    }
    return []
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

  private static func raising(_ trigger: TriggerBody.Named, _ table: RawTable) -> [SyncError] {
    raises.filter { trigger.body.raises($0.action) }.map { _, reason, effect in
      SyncError(
        reason, table: table.name, "The trigger \(trigger.name) \(effect)",
        hint: "\(hint); or refuse such rows by RAISE(ABORT, …).")
    }
  }

  private static func writing(
    _ trigger: TriggerBody.Named, _ table: RawTable, to names: Set<String>
  ) -> [SyncError] {
    let targets = trigger.body.statements.compactMap(\.target)
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

extension TriggerBody {
  fileprivate func mentions(_ word: String) -> Bool {
    ([condition] + statements).contains { $0.tokens.contains { $0.isWord(word) } }
  }

  /// Whether it ends a write by this form of `RAISE`.
  fileprivate func raises(_ action: String) -> Bool {
    ([condition] + statements).map(\.tokens).contains { tokens in
      tokens.indices.dropLast(2).contains { index in
        tokens[index].isWord("RAISE") && tokens[index + 1].isSymbol("(")
          && tokens[index + 2].isWord(action)
      }
    }
  }
}
