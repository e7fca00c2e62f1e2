import Foundation
import Testing

@testable import RemindersCore

/// Case distinguishes no tags, whatever their letters.
@Suite struct TagCaseTests {
  private func tags(_ fixture: Fixture) throws -> [String] {
    try fixture.database.fetch(SidebarQuery(time: berlin())).tags.map(\.title)
  }

  @Test(arguments: [("Überfall", "überfall"), ("été", "ÉTÉ"), ("Город", "город"), ("town", "TOWN")])
  func `a tag is one whatever its case`(first: String, other: String) async throws {
    let fixture = try Fixture()
    let database = fixture.database
    let one = try await fixture.add("One", tags: [first, other])
    let two = try await fixture.add("Two", tags: [other])
    _ = try await database.editReminders([one, two], [.addTags([other, "x"])])
    #expect(try fixture.details(one).tags == [first, "x"].inAlphabeticalOrder)
    #expect(try fixture.details(two).tags == [first, "x"].inAlphabeticalOrder)
    #expect(try tags(fixture) == [first, "x"].inAlphabeticalOrder)
    #expect(try database.tag(named: "#" + other) == first)
    #expect(try fixture.titles("tag:\(other)") == ["One", "Two"])
    _ = try await database.editReminders([one], [.removeTags([other])])
    #expect(try fixture.details(one).tags == ["x"])
    _ = try await database.editReminders([one], [.set(\.tags, [other])])
    #expect(try fixture.details(one).tags == [first])
    _ = try await database.renameTag("x", to: other)
    #expect(try tags(fixture) == [first])
    _ = try await database.renameTag(other, to: other)
    #expect(try tags(fixture) == [other])
    #expect(try fixture.details(two).tags == [other])
    _ = try await database.deleteTag(first)
    #expect(try tags(fixture).isEmpty)
  }

  @Test func `what others have made apart stays, and each is meant by its name`() async throws {
    let fixture = try Fixture()
    try fixture.execute("INSERT INTO tags (title) VALUES ('été'), ('ÉTÉ'), ('Été')")
    let one = try await fixture.add("One", tags: ["ÉTÉ"])
    let two = try await fixture.add("Two", tags: ["été"])
    #expect(try fixture.details(one).tags == ["ÉTÉ"])
    _ = try await fixture.database.editReminders([one, two], [.addTags(["été"])])
    #expect(try fixture.details(one).tags == ["ÉTÉ"])
    #expect(try fixture.details(two).tags == ["été"])
    #expect(try tags(fixture).count == 3)
  }

  @Test func `an import has its tags as they are here`() async throws {
    let fixture = try Fixture()
    try await fixture.add("One", tags: ["Büro"])
    let batch = try ImportFormat.read(
      Data("two @BÜRO\nthree @büro @été\nfour @ÉTÉ\n".utf8), as: .todotxt, name: "todo.txt",
      in: berlin())
    _ = try await fixture.database.addImported(batch, into: nil)
    #expect(try tags(fixture) == ["Büro", "été"])
  }
}
