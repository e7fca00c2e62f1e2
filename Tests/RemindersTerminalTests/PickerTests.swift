import Testing

@testable import RemindersTerminal

@Suite struct PickerTests {
  private let items = [
    PickerItem(id: 1, title: "Personal", note: "6"), PickerItem(id: 2, title: "Family", note: "3"),
    PickerItem(id: 3, title: "Business", isEnabled: false), PickerItem(id: 4, title: "Café"),
  ]

  private func picker(_ names: String, current: Int? = nil) throws -> Picker<Int> {
    var picker = Picker(items, current: current)
    for key in try #require(Key.sequence(names)) { picker.handle(key) }
    return picker
  }

  @Test("it stands on what was current, and moves within the list")
  func moves() throws {
    #expect(try picker("", current: 2).current?.id == 2)
    #expect(try picker("<down><down>").current?.id == 3)
    #expect(try picker("<up>").current?.id == 1)
    #expect(try picker("<pagedown><down>").current?.id == 4)
  }

  @Test(
    "typing narrows it down, best match first",
    arguments: [
      ("", [1, 2, 3, 4]), ("f", [2, 4]), ("fa", [2]), ("si", [3]), ("é", [4, 1, 3]), ("zz", []),
    ])
  func narrowing(query: String, ids: [Int]) throws {
    #expect(try Set(picker(query).matches.map(\.id)) == Set(ids))
    if let first = ids.first { #expect(try picker(query).current?.id == first) }
  }

  @Test("j and k move until / or another letter narrows down")
  func letters() throws {
    func picker(_ names: String) throws -> Picker<Int> {
      var picker = Picker(items, movesByLetters: true)
      for key in try #require(Key.sequence(names)) { picker.handle(key) }
      return picker
    }
    #expect(try picker("jj").current?.id == 3)
    #expect(try picker("jjk").current?.id == 2)
    #expect(try picker("/j").query == "j")
    #expect(try picker("aj").query == "aj")
    #expect(try picker("a<backspace>j").current?.id == 2)
  }

  @Test("a click makes an item current, and says whether it was")
  func click() throws {
    var picker = try picker("")
    #expect(picker.click(row: 1, height: 4) == false)
    #expect(picker.current?.id == 2)
    #expect(picker.click(row: 1, height: 4) == true)
    #expect(picker.click(row: 4, height: 4) == nil)
    // Of two rows the second shows the current item, which is the last but one.
    #expect(picker.click(row: 2, height: 4) == false)
    #expect(picker.click(row: 0, height: 2) == false)
    #expect(picker.current?.id == 2)
  }
  @Test("it draws the filter, the matches and their notes")
  func drawing() throws {
    var surface = Surface(size: Size(columns: 16, rows: 4))
    let caret = try picker("a<down>").draw(on: &surface, in: surface.bounds, glyphs: .unicode)
    #expect(surface.lines == ["a", "  Café", "▸ Family      3", "  Personal    6"])
    #expect(caret == Point(column: 1, row: 0))
    let roles = surface.styledLines[2].map(\.style)
    #expect(roles.allSatisfy { $0.overlay == .cursor })
    #expect(roles.contains { $0.role == .match })
  }

  @Test("the current item is shown in however few rows")
  func scrolling() throws {
    var surface = Surface(size: Size(columns: 16, rows: 2))
    try picker("<down><down><down>").draw(on: &surface, in: surface.bounds, glyphs: .unicode)
    #expect(surface.lines[1] == "▸ Café")
  }
}

@Suite struct FuzzyMatchTests {
  @Test("letters are found in order, without case and accents")
  func letters() {
    #expect(FuzzyMatch("de", in: "Delete")?.positions == [0, 1])
    #expect(FuzzyMatch("let", in: "Élète")?.positions == [1, 2, 3])
    #expect(FuzzyMatch("dx", in: "Delete") == nil)
    #expect(FuzzyMatch("", in: "Delete")?.positions == [])
    #expect(FuzzyMatch("a", in: "") == nil)
  }

  @Test("beginnings of words and letters that stand together win")
  func ranking() throws {
    let titles = ["Delete the list", "Mark done, list it", "New list", "Toggle flag"]
    func best(_ query: String) throws -> String? {
      titles.compactMap { title in FuzzyMatch(query, in: title).map { (title, $0.score) } }
        .max { $0.1 < $1.1 }?.0
    }
    #expect(try best("nl") == "New list")
    #expect(try best("dtl") == "Delete the list")
    #expect(try best("flag") == "Toggle flag")
    #expect(FuzzyMatch("list", in: "Delete the list")?.positions == [11, 12, 13, 14])
  }
}
