import GRDB

/// The triggers that put an integer key, which becomes text, beside an integer that stays one.
///
/// SQLite compares and stores whatever it is given: such a trigger would find nothing afterwards,
/// and nothing would say so. Looked at are `NEW.key` and `OLD.key` where they are compared with a
/// column or a number, assigned to a column, or a value of an INSERT; and `last_insert_rowid()`,
/// which was the key of a row. What is written to a full-text index is for `SearchIndexes`.
struct TriggerKeys {
  private let plan: KeyPlan
  private let sources: KeySources
  /// The triggers that would not work any more, once for each column they put a key beside.
  private(set) var objections: [SyncError] = []

  /// Looks for them; changes nothing.
  init(_ plan: KeyPlan, _ sources: KeySources, in db: Database) throws {
    (self.plan, self.sources) = (plan, sources)
    for (name, owner, trigger) in try TriggerBody.all(in: db) {
      let statements = [trigger.condition] + trigger.statements
      if let source = sources.named(owner), !source.origins.isEmpty {
        for statement in statements { note(statement, of: name, on: source) }
      }
      noteLastInserted(statements, of: name, on: owner)
    }
  }

  /// After the migration that is a rowid, and the key of no row.
  private mutating func noteLastInserted(
    _ statements: [TriggerBody.Statement], of trigger: String, on owner: String
  ) {
    let inserting = [owner] + statements.filter(\.isInsert).compactMap(\.target)
    let wasKey = plan.tables.contains { table in
      table.convertedKey != nil && inserting.contains { $0.isSameName(as: table.name) }
    }
    guard statements.contains(where: { usesLastInserted($0, wasKey) }) else { return }
    objections.append(
      SyncError(
        .keysNotMigrated, table: owner,
        "The trigger \(trigger) uses last_insert_rowid(), which will be the key of no row.",
        hint: "Write NEW.rowid where the rowid is meant. Or drop the trigger before the migration, "
          + "and create one after it that is right."))
  }

  /// Whether it has it beside something else than a rowid: beside a key, where it was none.
  private func usesLastInserted(_ statement: TriggerBody.Statement, _ wasKey: Bool) -> Bool {
    let target = statement.target.flatMap(sources.named)
    return statement.lastInserted.contains { place in
      let columns = statement.columns(ofValueAt: place, among: target?.columns ?? [])
      let partners = statement.partners(of: place) + columns.map { .column($0, of: nil) }
      guard !partners.isEmpty else { return wasKey }
      return partners.contains { partner in
        guard case .column(let column, _) = partner else { return wasKey }
        let isDocument = target == nil && column.isSameName(as: "docid")
        return wasKey ? !isDocument && !KeySources.isRowID(column) : isKey(column, in: statement)
      }
    }
  }

  private func isKey(_ column: String, in statement: TriggerBody.Statement) -> Bool {
    sources.mentioned(in: statement).contains { $0.origin(of: column) != nil }
  }

  private mutating func note(
    _ statement: TriggerBody.Statement, of trigger: String, on source: KeySources.Source
  ) {
    let target = statement.target.map(sources.named)
    // A full-text index.
    if case .some(.none) = target { return }
    for mention in statement.rowColumns where source.origin(of: mention.column) != nil {
      var partners = statement.partners(of: mention.place)
      if let target = target ?? nil {
        partners += statement.columns(ofValueAt: mention.place, among: target.columns)
          .map { .column($0, of: target.name) }
      }
      for partner in partners {
        guard
          let error = sources.objection(
            to: partner, mention.column, of: source, in: statement, "The trigger \(trigger)",
            table: source.name),
          !objections.contains(error)
        else { continue }
        objections.append(error)
      }
    }
  }
}
