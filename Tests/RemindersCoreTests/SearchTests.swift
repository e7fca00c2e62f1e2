import Foundation
import GRDB
import Testing

@testable import RemindersCore

@Suite struct SearchTests {
  @Test(arguments: [
    ("cafe", ["Café crème"]),
    ("CAFÉ", ["Café crème"]),
    ("creme", ["Café crème"]),
    ("strasse", ["Straße fegen"]),
    ("straße", ["Straße fegen"]),
    ("при", ["Привет, Ёлка"]),
    ("пр", ["Привет, Ёлка"]),
    ("елка", ["Привет, Ёлка"]),
    ("買", ["牛乳を買う"]),
    ("牛乳を", ["牛乳を買う"]),
    ("co", ["Buy concert tickets"]),
    ("ticket con", ["Buy concert tickets"]),
    ("y t", ["Buy concert tickets"]),
    ("ticket bread", []),
    ("oats", ["Groceries"]),
    ("kids", ["Pack the bag"]),
    ("#kids", ["Pack the bag"]),
    ("#ki", ["Pack the bag"]),
    ("100%", ["100% \"done\" AND (dusted)*"]),
    ("\"done\"", ["100% \"done\" AND (dusted)*"]),
    ("(dusted)*", ["100% \"done\" AND (dusted)*"]),
    ("and", ["100% \"done\" AND (dusted)*"]),
    ("%", ["100% \"done\" AND (dusted)*"]),
    ("_", []),
    ("' OR 1=1 --", []),
    ("title:buy", []),
    ("NEAR(buy tickets)", []),
    ("\u{0}", []),
    ("", []),
    ("   ", []),
  ]) func `a word is found whatever it is`(text: String, expected: [String]) async throws {
    let fixture = try Fixture()
    for title in [
      "Café crème", "Straße fegen", "Привет, Ёлка", "牛乳を買う", "Buy concert tickets",
      "100% \"done\" AND (dusted)*",
    ] {
      try await fixture.add(title)
    }
    try await fixture.add("Pack the bag", tags: ["kids"])
    _ = try await fixture.database.addReminder(
      ReminderDraft(title: "Groceries", notes: "bread\noats\nmilk"))
    #expect(try found(text, in: fixture) == expected)
  }

  @Test func `a tag that is typed whole is that tag, and before it those that begin so`()
    async throws
  {
    let fixture = try Fixture()
    try await fixture.add("Bread", tags: ["home"])
    try await fixture.add("Essay", tags: ["homework"])
    try await fixture.add("Read about #home", tags: ["other"])
    #expect(try found("#hom", in: fixture).sorted() == ["Bread", "Essay", "Read about #home"])
    #expect(try found("#HOME", in: fixture) == ["Bread"])
    #expect(try found("-#home #o", in: fixture) == ["Read about #home"])
  }

  @Test func `a search that asks for completed ones shows them`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Bread")
    _ = try await fixture.database.setDone(true, [id])
    for text in ["is:completed", "completed>-7d"] {
      let result = try fixture.database.fetch(SearchQuery(text, time: berlin()))
      #expect(result.hits.map(\.id) == [id] && result.showsCompleted, "\(text)")
    }
    #expect(try found("bread", in: fixture) == [])
  }

  @Test(arguments: [
    ("list:Nope", "There is no list “Nope”."), ("due<blah", "“blah” is not a date."),
    ("-tag:nope milk", "There is no tag #nope."), ("#nope", nil), ("milk", nil),
  ])
  func `why a search cannot be asked is told`(text: String, problem: String?) throws {
    let result = try Fixture().database.fetch(SearchQuery(text, time: berlin()))
    #expect(result.problem == problem && result.hits.isEmpty)
  }

  @Test func `the index follows every way a reminder changes`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    _ = try await fixture.database.editReminders(
      [id], [.set(\.title, "Barber"), .set(\.notes, "short")])
    #expect(try found("haircut", in: fixture).isEmpty)
    #expect(try found("short", in: fixture) == ["Barber"])

    try fixture.execute(
      """
      INSERT OR REPLACE INTO reminders (id, title, remindersListID)
      SELECT id, 'Replaced', remindersListID FROM reminders
      """)
    #expect(try found("barber", in: fixture).isEmpty)
    #expect(try found("replaced", in: fixture) == ["Replaced"])

    try fixture.execute("UPDATE reminders SET id = 'other'")
    #expect(try found("replaced", in: fixture) == ["Replaced"])
    try fixture.execute(
      """
      INSERT INTO reminders (id, title, remindersListID)
      SELECT 'victim', 'Victim', remindersListID FROM reminders;
      UPDATE OR REPLACE reminders SET id = 'victim' WHERE id = 'other';
      """)
    #expect(try found("victim", in: fixture).isEmpty)
    #expect(try found("replaced", in: fixture) == ["Replaced"])
    try fixture.execute("DELETE FROM remindersLists")
    #expect(try found("replaced", in: fixture).isEmpty)
    try check(fixture)
  }

  @Test func `the index follows every way a tag changes`() async throws {
    let fixture = try Fixture()
    let one = try await fixture.add("One", tags: ["garden"])
    let two = try await fixture.add("Two")
    _ = try await fixture.database.renameTag("garden", to: "allotment")
    #expect(try found("garden", in: fixture).isEmpty)
    #expect(try found("allotment", in: fixture) == ["One"])
    try fixture.execute("UPDATE tags SET title = 'balcony'")
    #expect(try found("balcony", in: fixture) == ["One"])
    try fixture.execute("UPDATE reminderTags SET reminderID = '\(two)'")
    #expect(try found("balcony", in: fixture) == ["Two"])
    try fixture.execute(
      """
      INSERT OR REPLACE INTO reminderTags (id, reminderID, tagTitle)
      SELECT id, '\(one)', 'balcony' FROM reminderTags
      """)
    #expect(try found("balcony", in: fixture) == ["One"])
    try fixture.execute("DELETE FROM tags")
    #expect(try found("balcony", in: fixture).isEmpty)
    try check(fixture)
  }

  @Test func `the index follows the sync engine`() throws {
    let fixture = try Fixture()
    try fixture.execute(
      """
      UPDATE sync_state SET isApplying = 1;
      INSERT INTO remindersLists (id) VALUES ('a');
      INSERT INTO reminders (title, remindersListID) VALUES ('From afar', 'a');
      UPDATE sync_state SET isApplying = 0;
      """)
    #expect(try found("afar", in: fixture) == ["From afar"])
  }

  @Test func `the index survives VACUUM`() async throws {
    let fixture = try Fixture()
    for title in ["One", "Two", "Three"] { try await fixture.add(title) }
    try fixture.execute("DELETE FROM reminders WHERE title = 'One'")
    try await fixture.database.writer.vacuum()
    let three = try #require(try fixture.detail(.all).rows.last)
    _ = try await fixture.database.editReminders([three.id], [.set(\.title, "Drei")])
    #expect(try found("drei", in: fixture) == ["Drei"])
    #expect(try found("two", in: fixture) == ["Two"])
    try check(fixture)
  }

  @Test func `the index can be made one of other columns`() async throws {
    let fixture = try Fixture()
    let link = "https://example.org"
    _ = try await fixture.database.addReminder(ReminderDraft(title: "Größe", url: link))
    try await fixture.database.writer.write { db in
      try SearchIndex.remake(db, of: ["title", "url"])
    }
    _ = try await fixture.database.addReminder(ReminderDraft(title: "Later", url: link))
    let texts = try await fixture.database.writer.write { db in
      try SearchIndex.indexWaiting(db)
      return try String.fetchAll(
        db,
        sql: """
          SELECT title || ' ' || url FROM reminderTexts
          WHERE id IN (SELECT rowid FROM reminderIndex WHERE reminderIndex MATCH '"example"')
          ORDER BY id
          """)
    }
    #expect(texts == ["grosse \(link)", "later \(link)"])
    try check(fixture)
  }

  @Test func `completed reminders are counted, and shown on request`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Walk the dog")
    let done = try await fixture.add("Walk the cat")
    _ = try await fixture.database.setDone(true, [done])
    let hidden = try fixture.database.fetch(SearchQuery("walk", time: berlin()))
    #expect(hidden.hits.map(\.row.title) == ["Walk the dog"])
    #expect((hidden.openCount, hidden.completedCount) == (1, 1))
    let shown = try fixture.database.fetch(
      SearchQuery("walk", showsCompleted: true, time: berlin()))
    #expect(shown.hits.map(\.row.title) == ["Walk the dog", "Walk the cat"])
  }

  @Test func `matches are marked in title, notes and tags`() async throws {
    let fixture = try Fixture()
    _ = try await fixture.database.addReminder(
      ReminderDraft(
        title: "Café crème", notes: String(repeating: "nothing here ", count: 20) + "\na cafe",
        tags: ["cafés"]))
    let hit = try #require(
      try fixture.database.fetch(SearchQuery("cafe", time: berlin())).hits.first)
    #expect(marks(hit.title) == "[Café] crème")
    #expect(hit.tags.map(marks) == ["#[café]s"])
    let notes = try #require(hit.texts[.notes])
    #expect(marks(notes).hasPrefix("…"))
    #expect(marks(notes).hasSuffix("nothing here a [cafe]"))
    #expect(notes.text.count == 101)
  }

  @Test func `marks meet, and keep letters whole`() {
    #expect(marks(MatchedText("banana", matching: ["ana", "nan"])) == "b[anana]")
    #expect(marks(MatchedText("Straße", matching: ["ss"])) == "Stra[ß]e")
    #expect(marks(MatchedText("e\u{301}t\u{E9}", matching: ["ete"])) == "[e\u{301}t\u{E9}]")
    #expect(marks(MatchedText("abc", matching: ["abcd", ""])) == "abc")
    #expect(marks(MatchedText("", matching: ["a"])) == "")
  }

  @Test func `an excerpt keeps its length and says where it was cut`() {
    let text = MatchedText("one two three four five six seven", matching: ["five"])
    #expect(marks(text.excerpt(length: 12)) == "…ur [five] six …")
    #expect(marks(text.excerpt(length: 100)) == "one two three four [five] six seven")
    #expect(marks(MatchedText("five six", matching: ["five"]).excerpt(length: 4)) == "[five]…")
  }

  @Test func `folding in SQL and in Swift agree on every letter`() throws {
    let fixture = try Fixture()
    let letters = String(String.UnicodeScalarView(SearchFold.letters.map(\.letter)))
    try fixture.database.writer.write { db in
      try db.execute(
        sql: """
          INSERT INTO remindersLists (id) VALUES ('a');
          INSERT INTO reminders (title, remindersListID) VALUES (?, 'a');
          """, arguments: [letters])
      let stored = try String.fetchOne(db, sql: "SELECT title FROM reminderTexts")
      #expect(stored == SearchFold.comparable(letters))
    }
  }

  @Test func `a tag token finds only reminders that carry the tag`() async throws {
    let fixture = try Fixture()
    _ = try await fixture.database.addReminder(ReminderDraft(title: "Talk of #town", tags: []))
    let tagged = try await fixture.database.addReminder(
      ReminderDraft(title: "Haircut", tags: ["town"])
    ).0
    let query = SearchQuery("", tags: ["town"], time: berlin())
    let hits = try fixture.database.fetch(query).hits
    #expect(hits.map(\.id) == [tagged])
    #expect(hits.first?.tags.first?.hasMatch == true)
    #expect(
      try fixture.database.fetch(SearchQuery("talk", tags: ["town"], time: berlin())).hits.isEmpty)
  }

  @Test func `words of a near token must stand close together, in either order`() async throws {
    let fixture = try Fixture()
    let far = "ask " + String(repeating: "long and ", count: 20) + "diet"
    for title in ["Ask about the diet", "diet, then ask", far, "ask only"] {
      _ = try await fixture.database.addReminder(ReminderDraft(title: title))
    }
    let query = SearchQuery("", near: ["ask", "diet"], time: berlin())
    let result = try fixture.database.fetch(query)
    #expect(Set(result.hits.map(\.row.title)) == ["Ask about the diet", "diet, then ask"])
    try fixture.indexTexts()
    #expect(try fixture.database.fetch(query) == result)
    #expect(
      try fixture.database.fetch(SearchQuery("", near: ["\"*", "di"], time: berlin())).hits.isEmpty)
  }

  /// What is found, whether the texts wait for the index or are in it.
  private func found(_ text: String, in fixture: Fixture) throws -> [String] {
    let query = SearchQuery(text, time: berlin())
    let result = try fixture.database.fetch(query)
    #expect(result.openCount == result.hits.count)
    try fixture.indexTexts()
    #expect(try fixture.database.fetch(query) == result)
    return result.hits.map(\.row.title)
  }

  private func marks(_ text: MatchedText) -> String {
    text.parts.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
  }

  /// Fails when the index and the texts, or the texts and the reminders, differ.
  private func check(_ fixture: Fixture) throws {
    let strays = try fixture.database.writer.read { db in
      try Int.fetchOne(
        db,
        sql: """
          SELECT (SELECT count(*) FROM reminderTexts WHERE reminderID NOT IN (
            SELECT id FROM reminders
          )) + (SELECT count(*) FROM reminders WHERE id NOT IN (
            SELECT reminderID FROM reminderTexts
          ))
          """)
    }
    #expect(strays == 0)
    #expect(try SearchIndex.ownFindings(fixture.database.writer) == [])
  }
}
