import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// The text in which clocks and names are stored.
struct MetadataCodingTests {
  private static let names = [
    "title", "two words", "back\\slash", "line\nbreak", "\\n", "\r\n", "ü", "e\u{301}", " ",
    "trailing\\", "\\\\n\n",
  ]

  @Test(arguments: names)
  func aNameSurvives(name: String) {
    #expect(
      MetadataStore.decodeNames(MetadataStore.encode(names: [name, "other"])) == [name, "other"])
    let clocks = [name: FieldClock(rawValue: 5), "other": FieldClock(rawValue: 6)]
    #expect(MetadataStore.decodeClocks(MetadataStore.encode(clocks)) == clocks)
  }

  @Test func allNamesSurviveTogether() {
    let names = Set(Self.names)
    #expect(MetadataStore.decodeNames(MetadataStore.encode(names: names)) == names)
  }

  @Test func allFieldsAndNoFieldsAreDifferent() {
    #expect(MetadataStore.encode(names: nil) == nil)
    #expect(MetadataStore.decodeNames(nil) == nil)
    #expect(MetadataStore.decodeNames(MetadataStore.encode(names: [])) == [])
  }

  @Test func noClocksAreNoText() {
    #expect(MetadataStore.encode([:]) == nil)
    #expect(MetadataStore.decodeClocks(nil).isEmpty)
  }

  @Test func whatIsStoredIsStable() {
    let clocks = ["b": FieldClock(rawValue: 2), "a": FieldClock(rawValue: 10)]
    #expect(MetadataStore.encode(clocks) == "10 a\n2 b")
    #expect(MetadataStore.encode(names: ["b", "a"]) == "a\nb")
  }

  @Test func damagedLinesAreSkipped() {
    #expect(
      MetadataStore.decodeClocks("x a\n\n7\n9 b") == ["b": FieldClock(rawValue: 9)])
  }
}

/// Names of records.
struct RecordNameTests {
  @Test(arguments: [("r", "reminders"), ("", "t"), ("a:b", "t"), ("…", "t"), (" ", "t")])
  func aNameIsKeyAndTable(key: String, table: String) {
    let name = RecordName(key: key, table: table)
    #expect(RecordName(name.description) == name)
  }

  @Test(arguments: ["", "noColon", "key:", ":"])
  func aNameWithoutATableIsNoRowOfOurs(name: String) {
    #expect(RecordName(name) == nil)
    #expect(RecordName.parsing(name).table == "")
  }

  @Test func onlyTheLettersOfASCIIAreFolded() {
    #expect("ÄZaz@[ß".asciiLowercased == "Äzaz@[ß")
  }

  @Test func quotesAreDoubled() {
    #expect("a\"b".quotedIdentifier == "\"a\"\"b\"")
    #expect("a'b".quotedLiteral == "'a''b'")
    // A quote and an accent are one character to Swift, and two to SQLite.
    #expect("a'\u{301}b".quotedLiteral.utf8.elementsEqual("'a''\u{301}b'".utf8))
  }
}
