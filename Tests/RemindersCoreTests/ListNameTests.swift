import Testing

@testable import RemindersCore

/// Which list a name means.
@Suite struct ListNameTests {
  private func named(_ name: String, _ titles: [String]) throws -> Int {
    let lists = titles.enumerated().map {
      RemindersList(id: "\($0)abcdef0", title: $1, position: Double($0))
    }
    let found = try RemindersList.named(name, in: lists)
    return lists.firstIndex(of: found) ?? -1
  }

  @Test(arguments: [
    ("Work", 0), ("family#1", 1), ("Family#2", 2), ("2abc", 2), ("C#3", 3), ("WORK#1", 0),
  ])
  func `a name, a number behind it, or an id`(name: String, index: Int) throws {
    #expect(try named(name, ["Work", "Family", "family", "C#3"]) == index)
  }

  @Test func `what is written as one of them is that one`() throws {
    #expect(try named("Family", ["Family", "family"]) == 0)
  }

  @Test(arguments: ["Family", "Family#0", "Family#3", "Family#x", "#1", "#", "Gone"])
  func `others are refused, with the choices where there are several`(name: String) {
    #expect {
      try named(name, ["Family", "Family"])
    } throws: { error in
      guard let error = error as? AppError, error.kind == .noSuchItem else { return false }
      return name != "Family"
        || error.hint?.contains("“Family#1” (0abcdef0), “Family#2” (1abcdef0)") == true
    }
  }
}
