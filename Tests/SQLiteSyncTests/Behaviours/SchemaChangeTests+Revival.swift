import RemindersTestSupport
import Testing

@testable import SQLiteSync

extension SchemaChangeTests {
  /// A list that was deleted, and came back with a reminder that was made in it meanwhile.
  @Test func aListThatCameBackIsSentAfterTheMigration() throws {
    let reminders = """
      ; CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL, listID TEXT REFERENCES lists (id) ON DELETE CASCADE)
      """
    func schema(_ schema: Schema) -> Schema {
      Schema(sql: schema.sql + reminders, tables: ["lists", "reminders"])
    }
    let fleet = try Fleet(schema: schema(Self.old))
    let (ann, ben) = (try fleet.device(), try fleet.device(schema: schema(Self.new)))
    try ben.execute("INSERT INTO lists (id, title, color) VALUES ('l', 'A', 'red')")
    try fleet.settle()
    try ann.execute("DELETE FROM lists")
    fleet.clock.advance()
    try ben.execute("INSERT INTO reminders VALUES ('r', 'l')")
    try ben.sync()
    try ann.fetch()
    let outbox = try ann.outbox()
    #expect(outbox.count == 1)
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.outbox() == outbox)
    try fleet.settle()
    let lives = "SELECT life FROM sync_records ORDER BY primaryKey"
    #expect(try ann.rows(lives) == ben.rows(lives))
    try fleet.expectExhausted()
  }
}
