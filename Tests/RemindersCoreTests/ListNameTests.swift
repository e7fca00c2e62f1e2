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

  /// A title counts more than a number behind another one, which then is the next: wherever a list
  /// is named.
  @Test(arguments: [
    ("Family#2", 2), ("family#2", 2), ("Family#1", 0), ("Family#3", 1), ("Work", 3),
    ("Family#2#1", 2), ("Summer  house", 4), ("summer house#1", 4),
  ])
  func `a list that is called as a number would be is that one`(name: String, index: Int) throws {
    let titles = ["Family", "family", "Family#2", "Work", "Summer  house"]
    #expect(try named(name, titles) == index)
    let lists = titles.map { RemindersList(id: $0, title: $0, position: 0) }
    let line = QuickAddLine("Bread @\(name) fri", lists: lists, in: berlin())
    #expect(line.list?.title == titles[index] && line.title == "Bread")
  }

  @Test func `each list has a name of its own`() throws {
    let titles = ["Family", "family", "Family#1", "FAMILY#2", "Family#2", "Ätna", "ätna"]
    let lists = titles.enumerated().map {
      RemindersList(id: "id-\($0)", title: $1, position: Double($0))
    }
    for (list, name) in zip(lists, ListNames(lists).all) {
      #expect(try RemindersList.named(name, in: lists) == list, "\(name)")
      #expect(QuickAddLine("Bread @\(name)", lists: lists, in: berlin()).list == list, "\(name)")
    }
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
