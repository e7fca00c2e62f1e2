import GRDB

/// Finds out which statements over a schema can be compiled, with the triggers and views they use.
enum SchemaProbe {
  struct Statement: Hashable, Comparable {
    let table: String
    let what: String

    static func < (one: Statement, other: Statement) -> Bool {
      (one.table, one.what) < (other.table, other.what)
    }
  }

  /// Reading each view, and each kind of write to each table and view.
  ///
  /// Compiles; runs nothing.
  static func compiling(in db: Database) throws -> Set<Statement> {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'view') AND name NOT GLOB 'sqlite_*'
        """)
    var compiling: Set<Statement> = []
    for name in names {
      let table = "main." + name.quotedIdentifier
      // Nothing compiles of a view that cannot be read.
      guard compiles("SELECT * FROM \(table)", in: db) else { continue }
      let columns = try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", arguments: [name])
      let assignments = columns.map { "\($0.quotedIdentifier) = \($0.quotedIdentifier)" }
      let statements = [
        "reading it": "SELECT * FROM \(table)",
        "an INSERT": "INSERT INTO \(table) DEFAULT VALUES",
        "an UPDATE": "UPDATE \(table) SET \(assignments.joined(separator: ", "))",
        "a DELETE": "DELETE FROM \(table)",
      ]
      for (what, sql) in statements where compiles(sql, in: db) {
        compiling.insert(Statement(table: name, what: what))
      }
    }
    return compiling
  }

  /// Whether a statement can be compiled.
  static func compiles(_ sql: String, in db: Database) -> Bool {
    // Whatever the reason is, it is for the caller to compare before and after.
    (try? db.makeStatement(sql: sql)) != nil
  }
}
