import Foundation
import RemindersTestSupport
import Testing

@testable import RemindersCore

/// Files that no program should write, and some do.
extension InterchangeTests {
  @Test(arguments: ["", "{", "[1]", "{\"version\": 99, \"lists\": [], \"reminders\": []}"])
  func whatIsNoSuchFileIsRefused(text: String) {
    for format in [ImportFormat.json, .taskwarrior, .ics]
    where !(text.isEmpty && format == .taskwarrior) {
      #expect(throws: AppError.self) {
        try ImportFormat.read(Data(text.utf8), as: format, name: "file", in: berlin())
      }
    }
  }

  @Test func idsThatNoRowCanHaveAreReplaced() async throws {
    let ids = ["", "_x", String(repeating: "x", count: 300), "a\u{0}b", "good"]
    let reminders = ids.map { id in
      ["id": id, "title": "Milk", "list": ["id": "_bad", "title": "Bad"]] as [String: Any]
    }
    let part: [String: Any] = [
      "id": "part", "title": "Oats", "parentID": "_x", "list": ["id": "_bad", "title": "Bad"],
    ]
    let data = try JSONSerialization.data(withJSONObject: [
      "version": 1, "lists": [["id": "_bad", "title": "Bad"]],
      "searches": [["id": "", "title": "Late", "query": "overdue"]],
      "reminders": reminders + [part],
    ])
    let fixture = try Fixture()
    let first = try await take(data, .json, into: fixture)
    #expect(first.lists == 1 && first.reminders == 6)
    #expect(first.problems.contains("“Milk”: “_x” cannot be an id, and was replaced"))
    #expect(!first.problems.contains { $0.contains("good") })
    let again = try await take(data, .json, into: fixture)
    #expect(again.lists == 0 && again.reminders == 0 && again.known == 8)
    let rows = try fixture.detail(.all).rows
    #expect(rows.allSatisfy { $0.list.title == "Bad" })
    #expect(rows.contains { $0.id == "good" })
    #expect(rows.first { $0.title == "Oats" }?.parentTitle == "Milk")
  }

  @Test func aTextWithNULIsTakenToItsEnd() async throws {
    let data = try JSONSerialization.data(withJSONObject: [
      "version": 1, "lists": [["id": "home", "title": "Ho\0me"]],
      "searches": [["id": "late", "title": "La\0te", "query": "overdue"]],
      "reminders": [
        [
          "id": "milk", "title": "Mi\0lk", "notes": "one\0two",
          "list": ["id": "home", "title": "Ho\0me"],
        ] as [String: Any]
      ],
    ])
    let fixture = try Fixture()
    let result = try await take(data, .json, into: fixture)
    #expect(result.problems.contains { $0.contains("is in the place of NUL") })
    let row = try fixture.details("milk")
    #expect(row.title == "Mi\u{FFFD}lk" && row.notes == "one\u{FFFD}two")
    #expect(row.list.title == "Ho\u{FFFD}me")
    #expect(try fixture.database.countOfCutTexts() == 0)
  }

  @Test func thePartsOfWhatCannotBeTakenAreOrdinaryReminders() async throws {
    let list = ["id": "home", "title": "Home"]
    let data = try JSONSerialization.data(withJSONObject: [
      "version": 1, "lists": [list],
      "reminders": [
        ["id": "trip", "title": "", "list": list] as [String: Any],
        ["id": "pack", "title": "Pack", "parentID": "trip", "list": list],
        ["id": "milk", "title": "Milk", "tags": ["", "shop"], "list": list],
        ["id": "oats", "title": "Oats", "parentID": "milk", "list": list],
      ],
    ])
    let fixture = try Fixture()
    let result = try await take(data, .json, into: fixture)
    #expect(result.reminders == 3)
    #expect(try fixture.details("pack").parentTitle == nil)
    #expect(try fixture.details("milk").tags == ["shop"])
    #expect(try fixture.details("oats").parentTitle == "Milk")
  }

  @Test func whatCannotBeCarriedIsNamedInOneLine() async throws {
    let long = String(repeating: "x", count: 1 << 20)
    let data = Data(
      """
      BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:Milk\r\nX-FOO:\(long)\r\nRRULE:\(long)\r\n\
      END:VTODO\r\nBEGIN:VTODO\r\nSUMMARY:Cut off
      """.utf8)
    let result = try await take(data, .ics, into: Fixture())
    #expect(result.reminders == 1)
    #expect(result.problems.contains("a VTODO without an end was left out"))
    #expect(result.problems.allSatisfy { $0.utf8.count < 400 })
  }

  /// A file that was cut, and another one after it.
  @Test(arguments: [
    "BEGIN:VTODO\nSUMMARY:Cut\nBEGIN:VALARM\nACTION:DISPLAY\n",
    "BEGIN:VTODO\nSUMMARY:Cut\n", "BEGIN:VTODO\nSUMMARY:Cut\nEND:VCALENDAR\n",
    "BEGIN:VTODO\nSUMMARY:Cut\nBEGIN:VALARM\nEND:VCALENDAR\nBEGIN:VCALENDAR\n",
    "BEGIN:VTODO\nSUMMARY:Cut\nEND:VCALENDAR\nBEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Home\n",
  ])
  func whatIsWholeAfterATaskThatWasCutIsRead(cut: String) async throws {
    let data = Data(
      """
      BEGIN:VCALENDAR
      BEGIN:VTODO\nSUMMARY:Milk\nEND:VTODO
      \(cut)BEGIN:VTODO\nSUMMARY:Tea\nBEGIN:VALARM\nTRIGGER:-PT5M\nEND:VTODO
      BEGIN:VTODO\nSUMMARY:Bread\nEND:VTODO
      END:VCALENDAR
      """.utf8)
    let fixture = try Fixture()
    let result = try await take(data, .ics, into: fixture)
    #expect(try Set(fixture.titles(.all)) == ["Milk", "Tea", "Bread"])
    #expect(result.problems.contains("a VTODO without an end was left out"))
  }

  @Test func aFileThatIsCutOrOfAnotherEncodingSaysSo() throws {
    func error(_ data: Data, _ format: ImportFormat?) -> AppError? {
      #expect(throws: AppError.self) {
        try ImportFormat.read(data, as: format, name: "tasks.json", in: berlin())
      }
    }
    let list = #"{"version": 1, "lists": [{"id": "l", "title": "Home"}], "reminders": [{"id": "a""#
    let task = #"[{"uuid": "a", "description": "Milk"}, {"uuid": "b", "descr"#
    for (text, format) in [(list, nil), (list, .json), (task, nil), (task, .taskwarrior)]
      as [(String, ImportFormat?)]
    {
      let found = error(Data(text.utf8), format)
      #expect(found?.reason.contains("is cut") == true, "\(found.map { "\($0)" } ?? "")")
      #expect(found?.hint?.contains("again") == true)
    }
    for isBigEndian in [false, true] {
      let mark: [UInt8] = isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
      let bytes = list.utf8.flatMap { byte -> [UInt8] in isBigEndian ? [0, byte] : [byte, 0] }
      for data in [Data(bytes), Data(mark + bytes)] {
        let found = error(data, nil)
        #expect(found?.reason.contains("UTF-16") == true, "\(found.map { "\($0)" } ?? "")")
        #expect(found?.hint?.contains("iconv -f UTF-16") == true)
      }
    }
    #expect(error(Data([0, 1, 2, 0]), nil)?.reason.contains("is not a text") == true)
  }

  @Test func aLineThatNoReminderCanHaveIsLeftOutAndNamed() async throws {
    let long = String(repeating: "x", count: 3 << 20)
    let folded = String(repeating: "x\r\n ", count: 3 << 20)
    let data = Data(
      """
      BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:Milk\r\nX-FOO;A=b:\(long)\r\nATTACH:\(folded)\r
      END:VTODO\r\nEND:VCALENDAR
      """.utf8)
    let fixture = try Fixture()
    let result = try await take(data, .ics, into: fixture)
    #expect(
      result.problems == ["X-FOO", "ATTACH"].map { "a line \($0) of more than 2 MB was left out" })
    #expect(try fixture.detail(.all).rows.map(\.title) == ["Milk"])
  }

  @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\u{0B}", "\u{0C}"])
  func onlyLineFeedsEndALine(end: String) async throws {
    let notes = "one\(end)two"
    let data = Data(
      "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:A\nDESCRIPTION:\(notes)\nEND:VTODO\n".utf8)
    let fixture = try Fixture()
    #expect(try await take(data, .ics, into: fixture).problems.isEmpty)
    #expect(try fixture.detail(.all).rows.map(\.reminder.notes) == [notes])
    let lines = Data("A\(end)B\nC".utf8)
    #expect(try await take(lines, .todotxt, into: Fixture()).reminders == 2)
  }

  @Test func aLineCanBeFoldedBetweenTheBytesOfACharacter() async throws {
    var data = Data("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:".utf8)
    for byte in "Zürich 🏔".utf8 { data += [byte] + Data("\r\n ".utf8) }
    data += Data("\r\nEND:VTODO\r\nEND:VCALENDAR\r\n".utf8)
    let fixture = try Fixture()
    #expect(try await take(data, .ics, into: fixture).problems.isEmpty)
    #expect(try fixture.detail(.all).rows.map(\.title) == ["Zürich 🏔"])
  }

  @Test func whatWouldBePartOfItselfIsNone() async throws {
    func item(_ id: String, _ parent: String) -> String {
      #"{"id": "\#(id)", "title": "\#(id)", "parentID": "\#(parent)", "list": \#(list)}"#
    }
    let list = #"{"id": "l", "title": "L"}"#
    let items = [item("self", "self"), item("a", "b"), item("b", "a"), item("gone", "nowhere")]
    let data = Data(
      #"{"version": 1, "lists": [\#(list)], "reminders": [\#(items.joined(separator: ","))]}"#.utf8)
    let fixture = try Fixture()
    let result = try await take(data, .json, into: fixture)
    #expect(result.reminders == 4)
    #expect(result.problems == ["self", "a", "b"].map { "“\($0)”: it would be a part of itself" })
    #expect(try fixture.detail(.all).rows.allSatisfy { $0.parentTitle == nil })
  }

  @Test(arguments: [ImportFormat.todotxt, .ics, .taskwarrior, .json])
  func aTitleThatIsTooLongIsInTheNotes(format: ImportFormat) async throws {
    func file(_ title: String) -> Data {
      let list = #"{"id": "l", "title": "L"}"#
      let text =
        switch format {
        case .todotxt: title
        case .ics: "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:\(title)\nEND:VTODO\nEND:VCALENDAR"
        case .taskwarrior: #"[{"uuid": "1", "description": "\#(title)"}]"#
        case .json:
          #"""
          {"version": 1, "lists": [\#(list)],
          "reminders": [{"id": "r", "title": "\#(title)", "list": \#(list)}]}
          """#
        }
      return Data(text.utf8)
    }
    let fixture = try Fixture()
    let title = String(repeating: "x", count: 10_001)
    let result = try await take(file(title), format, into: fixture)
    #expect(result.reminders == 1 && result.problems.count == 1)
    let row = try #require(try fixture.detail(.all).rows.first)
    #expect(row.title == String(repeating: "x", count: 200) + "…")
    #expect(try fixture.database.fetch(ReminderQuery(row.id))?.notes == title)
    let longest = String(repeating: "x", count: 10_000)
    #expect(try await take(file(longest), format, into: Fixture()).problems.isEmpty)
    let absurd = String(repeating: "x", count: (1 << 20) + 1)
    let refused = try await take(file(absurd), format, into: Fixture())
    #expect(refused.reminders == 0 && refused.problems.count == 1)
  }

  @Test(arguments: ImportFormat.allCases)
  func whatIsNotATextIsRefused(format: ImportFormat) throws {
    let error = #expect(throws: AppError.self) {
      try ImportFormat.read(Data([0x41, 0, 0x0A]), as: format, name: "picture", in: berlin())
    }
    #expect(error?.reason == "picture is not a text.")
  }

  @Test(arguments: [
    (#"{"version": 1, "lists": [], "reminders": [], "x": "#, #"{"a": "#, "is not an export"),
    ("", "[", "is not what `task export` writes"),
    (#"[{"uuid": "u", "description": "A", "x": "#, #"{"a": "#, "is not what `task export` writes"),
  ])
  func `JSON in which all is inside of something is refused`(
    start: String, level: String, reason: String
  ) {
    let deep = start + String(repeating: level, count: 100_000)
    let error = #expect(throws: AppError.self) {
      try ImportFormat.read(
        Data(deep.utf8), as: start.hasPrefix("{") ? .json : .taskwarrior, name: "file",
        in: berlin())
    }
    #expect(error?.reason.contains(reason) == true)
  }

  @Test(arguments: [
    ("VALARM", "“Milk”: in its notes: VALARM: no trigger"),
    ("VTODO", "a VTODO of a VTODO was left out"), ("X-IN", "a X-IN of a VTODO was left out"),
    ("VCALENDAR", "“Milk”: in its notes: TRIGGER: -PT5M"),
  ])
  func `components that lie in each other without end are told in a line`(
    component: String, told: String
  ) async throws {
    let depth = 50_000
    func lines(_ name: String) -> String {
      String(repeating: "\(name):\(component)\r\n", count: depth)
    }
    let text =
      "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:Milk\r\n\(lines("BEGIN"))TRIGGER:-PT5M\r\n"
      + "\(lines("END"))END:VTODO\r\nBEGIN:VTODO\r\nSUMMARY:Oats\r\nEND:VTODO\r\nEND:VCALENDAR"
    let fixture = try Fixture()
    let result = try await take(Data(text.utf8), .ics, into: fixture)
    #expect(Set(try fixture.titles(.all)) == ["Milk", "Oats"])
    #expect(result.problems == [told])
  }

  @Test(arguments: [
    (
      ImportFormat.ics,
      """
      BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:A\nDUE:20261123T080000Z\nRRULE:FREQ=SECONDLY
      END:VTODO\nEND:VCALENDAR
      """, "RRULE: FREQ=SECONDLY"
    ),
    (
      .taskwarrior,
      """
      [{"uuid": "1", "description": "A", "status": "recurring", "due": "20261123T080000Z",
      "recur": "PT1S"}]
      """, "recur: PT1S"
    ),
    (
      .json,
      """
      {"version": 1, "lists": [{"id": "l", "title": "L"}], "reminders": [{"id": "r", "title": "A",
      "dueDate": "2026-11-23", "recurrence": "++ FREQ=SECONDLY",
      "list": {"id": "l", "title": "L"}}]}
      """, "“++ FREQ=SECONDLY” is not a rule"
    ),
  ])
  func `what comes each second comes once, and that is told`(
    format: ImportFormat, text: String, told: String
  ) async throws {
    let fixture = try Fixture()
    let result = try await take(Data(text.utf8), format, into: fixture)
    let row = try #require(try fixture.detail(.all).rows.first)
    #expect(row.recurrence == nil && row.due != nil)
    #expect(result.problems.count == 1)
    #expect(result.problems.first?.hasSuffix(told) == true, "\(result.problems)")
  }

  @Test func `a file that is too long is refused before it is read`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "long.ics")
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    let handle = try FileHandle(forWritingTo: file)
    // All of it is a hole, which takes no room.
    try handle.truncate(atOffset: UInt64(ImportFormat.maximumBytes) + 1)
    try handle.close()
    let error = #expect(throws: AppError.self) { try ImportFormat.read(file, in: berlin()) }
    #expect(error?.reason.hasSuffix("has more than 256 MB.") == true)
  }
}
