import SQLiteSyncCloud

extension MergePolicy {
  /// Everything that keeps columns from having the policies that are given for them.
  static func objections(
    to policies: [String: [String: MergePolicy]], of tables: [SchemaInspection.RawTable]
  ) -> [SyncError] {
    policies.sorted { $0.key < $1.key }.flatMap { name, columns in
      guard let table = tables.first(where: { $0.name == name }) else {
        return [
          SyncError(
            .invalidMergePolicy, table: name,
            "It has merge policies and is not among the tables to synchronize.",
            hint: "Spell the table as in its CREATE TABLE, or leave the policies out.")
        ]
      }
      return columns.sorted { $0.key < $1.key }.compactMap { column, policy in
        policy.objection(in: table, column: column).map { message, hint in
          SyncError(.invalidMergePolicy, table: name, column: column, message, hint: hint)
        }
      } + excess(columns.count, in: table)
    }
  }

  private func objection(
    in table: SchemaInspection.RawTable, column: String
  ) -> (message: String, hint: String)? {
    guard let found = table.columns.first(where: { $0.name == column }) else {
      return ("There is no such column that is stored.", "Spell it as in CREATE TABLE.")
    }
    let note = MergeNote.field(of: column)
    if found.keyPosition > 0 {
      return ("A key is never merged.", "Leave the policy out.")
    }
    if table.foreignKeys.contains(where: { $0.column == column }) {
      return ("A reference to another row is never merged.", "Leave the policy out.")
    }
    if isMisnamed {
      return (
        "The name of a merge policy is 1 to 64 letters, digits, -, _ and ., and none of the "
          + "library's.",
        "Give “\(name)” another name."
      )
    }
    if table.columns.contains(where: { $0.name == note }) || note.utf8.count > CloudLimits.nameBytes
    {
      return (
        "The policy stands in the cloud as the field \(note), which it cannot be.",
        "Rename the column."
      )
    }
    return nil
  }

  /// A policy takes a field of the record.
  private static func excess(_ count: Int, in table: SchemaInspection.RawTable) -> [SyncError] {
    guard table.columns.count + count > CloudLimits.fieldsPerRecord else { return [] }
    return [
      SyncError(
        .invalidMergePolicy, table: table.name,
        "Its columns and their merge policies are more than the \(CloudLimits.fieldsPerRecord) "
          + "fields that a record has.",
        hint: "Move some of the columns to a table of their own.")
    ]
  }
}
