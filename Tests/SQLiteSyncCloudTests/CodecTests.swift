import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

@Suite struct CodecTests {
  @discardableResult
  private func read(_ text: String) throws -> JSONValue {
    try read(Array(text.utf8))
  }

  @discardableResult
  private func read(_ bytes: [UInt8]) throws -> JSONValue {
    var scanner = JSONScanner(bytes)
    let value = try scanner.value()
    guard scanner.isAtEnd else { throw scanner.failure("more") }
    return value
  }

  @discardableResult
  private func readOperation(_ text: String) throws -> CloudChange {
    var scanner = JSONScanner(Array(text.utf8))
    let change = try OperationReader.read(&scanner)
    guard scanner.isAtEnd else { throw scanner.failure("more") }
    return change
  }

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"b":1,"a":2}"#, #"{"a":1,}"#, #"[1,]"#, #"{ "a":1}"#, "[1 ,2]", " 1",
    #"{"a"}"#, #"{a:1}"#, "[1", #"{"a":1"#, "", "nul", "NaN", "Infinity", "-Infinity", "'a'",
    "// comment", "/* */1", "01", "-01", "-0", "+1", "1.", ".5", "1.e5", "1E5", "1e", "--1", "0x10",
    "9223372036854775808", "-9223372036854775809", "1e400", "-1e400",
    #""\u0041""#, #""\/""#, #""\u000a""#, #""\u001F""#, #""\u0000""#, #""\ud800""#, #""\q""#,
    #""a"#,
    "\"a\nb\"", "\"\u{0}\"", "\u{FEFF}1", #""\"#, #""\u00"#, "\"\\", "truefalse", "\u{0}",
    "[[[[[[[[[1]]]]]]]]]",
  ])
  func anyOtherSpellingIsRefused(text: String) {
    #expect(throws: FormatError.self) { try read(text) }
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xE2, 0x82, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0xFE, 0xFF, 0x00, 0x31],
      [0x31, 0x00],
    ] as [[UInt8]])
  func whatIsNotUTF8IsRefused(bytes: [UInt8]) {
    #expect(throws: FormatError.self) { try read(bytes) }
  }

  @Test func longNumbersAreRefusedWithoutReadingThem() {
    #expect(throws: FormatError.self) { try read(String(repeating: "9", count: 1 << 20)) }
    #expect(throws: FormatError.self) { try read("0." + String(repeating: "9", count: 1 << 20)) }
  }

  @Test func deepNestingIsRefusedWithoutFollowingIt() {
    #expect(throws: FormatError.self) { try read(String(repeating: "[", count: 1 << 20)) }
    #expect(throws: Never.self) { try read("[[[[[[[[1]]]]]]]]") }
  }

  @Test(
    arguments: [
      ("1", .integer(1)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775807", .integer(.max)), ("0", .integer(0)), ("0.5", .real(0.5)),
      ("-0.0", .real(-0.0)), ("1e+16", .real(1e16)), ("5e-324", .real(.leastNonzeroMagnitude)),
      (#""\"\\\n\u0001""#, .string("\"\\\n\u{1}")),
      ("\"\u{1F600}\u{2028}\"", .string("\u{1F600}\u{2028}")),
      ("[null,true,false]", .array([.null, .boolean(true), .boolean(false)])), ("{}", .object([])),
    ] as [(String, JSONValue)])
  func theOneSpellingIsRead(text: String, value: JSONValue) throws {
    #expect(try read(text) == value)
  }

  @Test func everyValueComesBackAsItWas() throws {
    let asset = AssetReference(name: "\(ContentHash(of: [1]))-0123abcd", byteCount: 1)
    let values: [CloudValue] = [
      .null, .integer(0), .integer(.min), .integer(.max), .real(0.1), .real(-0.0), .real(1e300),
      .real(.infinity), .real(-.infinity), .real(.leastNonzeroMagnitude), .real(3), .text(""),
      .text("\u{1}\u{8}\t\n\u{B}\u{C}\r\"\\/\u{7F}\u{2028}\u{FEFF}\u{10FFFF}e\u{301}"),
      .bytes(Data()), .bytes(Data((0...255).map { UInt8($0) })), .asset(asset),
    ]
    var record = CloudRecord.test("a", parent: "p")
    for (number, value) in values.enumerated() {
      record.fields["f\(number)"] = CloudField(
        value, FieldClock(milliseconds: Int64(number), device: .max))
    }
    let change = CloudChange.save(record, base: ChangeTag(epoch: 1, sequence: 2, index: 3))
    let line = String(decoding: Commit.line(change), as: UTF8.self)
    #expect(try readOperation(line) == change)
  }

  @Test func notANumberBecomesNull() throws {
    var record = CloudRecord.test("a")
    record.fields = ["f": CloudField(.real(.nan), .zero)]
    let line = String(decoding: Commit.line(.save(record, base: nil)), as: UTF8.self)
    guard case .save(let read, _) = try readOperation(line) else {
      Issue.record("not a save")
      return
    }
    #expect(read.fields["f"]?.value == .null)
  }

  @Test(arguments: [-1, Int64.min, FieldClock.limit.rawValue + 1, Int64.max])
  func readersBringClocksIntoTheirRange(raw: Int64) throws {
    let text = #"{"base":null,"name":"a","op":"delete","t":\#(raw),"type":"t"}"#
    guard case .delete(let tombstone, _) = try readOperation(text) else {
      Issue.record("not a deletion")
      return
    }
    #expect((FieldClock.zero...FieldClock.limit).contains(tombstone.clock))
  }

  @Test func unknownKeysAreIgnored() throws {
    let text = #"{"base":null,"name":"a","op":"delete","some":[{"new":1.5}],"t":7,"type":"t"}"#
    let expected = Tombstone(name: "a", type: "t", clock: FieldClock(rawValue: 7))
    #expect(try readOperation(text) == .delete(expected, base: nil))
  }

  @Test(arguments: [
    #"{"base":null,"fields":{},"name":"a","op":"delete","t":7,"type":"t"}"#,
    #"{"base":null,"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"name":"a","op":"delete","t":7,"type":"t"}"#,
    #"{"base":"1.0.0","name":"a","op":"delete","t":7,"type":"t"}"#,
    #"{"base":"1.01.0","name":"a","op":"delete","t":7,"type":"t"}"#,
    #"{"base":null,"name":"a","op":"delete","t":7.0,"type":"t"}"#,
    #"{"base":null,"name":"a","op":"delete","t":null,"type":"t"}"#,
    #"{"base":null,"name":"a","op":"delete","t":7}"#,
    #"{"base":null,"name":"a","op":"drop","t":7,"type":"t"}"#,
    #"{"base":null,"name":"","op":"delete","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[1]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[1,2,3]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[true,2]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[[],2]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[{"b":"A"},2]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[{"b":"QR=="},2]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[{"r":"nan"},2]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{"f":[{},2]},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":[],"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"assets":{"f":{"a":"x","len":1,"t":1}},"base":null,"fields":{},"#
      + #""name":"a","op":"save","t":7,"type":"t"}"#,
    #"[]"#, "null",
  ])
  func whatIsNotAnOperationIsRefused(text: String) {
    #expect(throws: FormatError.self) { try readOperation(text) }
  }

  @Test func aFileIsReadOnlyWhole() throws {
    let file = Array(CodecTests.commit.encoded)
    #expect(try Commit.read(SealedFile(file)) == CodecTests.commit)
    for count in 0..<file.count {
      #expect(throws: FormatError.self) { try Commit.read(SealedFile(Array(file.prefix(count)))) }
    }
    for index in file.indices {
      var altered = file
      altered[index] ^= 1
      #expect(throws: FormatError.self) { try Commit.read(SealedFile(altered)) }
    }
    #expect(throws: FormatError.self) { try Commit.read(SealedFile(file + [0x0A])) }
    #expect(throws: FormatError.self) { try Commit.read(SealedFile(file + file)) }
  }

  static var commit: Commit {
    Commit(
      origin: Origin(
        milliseconds: 1_763_688_225_678, app: "test 1", author: ownAccount("ann"), device: "d",
        id: "i"),
      zone: "test", epoch: 1, sequence: 1, previous: ContentHash(of: [1]),
      operations: [.save(.test("a", "text"), base: nil), .delete(.test("b"), base: nil)])
  }

  @Test func aMetaEntryComesBackAsItWas() throws {
    let part = Checkpoint.Part(
      name: "0000000000000400-0123456789ab-0001.jsonl", hash: ContentHash(of: [2]), byteCount: 10,
      recordCount: 2)
    let needs = MetaEntry.Needs(read: ["x"], write: ["y", "z"])
    let kinds: [MetaEntry.Kind] = [
      .zoneCreated(name: "a zone", needs: needs), .upgrade(needs: needs), .reset(reason: "r"),
      .zoneDeleted(reason: "\u{1F600}"),
      .checkpoint(Checkpoint(sequence: 400, hash: ContentHash(of: [3]), parts: [part], floor: 7)),
    ]
    for kind in kinds {
      let entry = MetaEntry(
        origin: CodecTests.commit.origin, number: 3, previous: ContentHash(of: [4]), epoch: 2,
        kind: kind)
      #expect(try MetaEntry.read(SealedFile(Array(entry.encoded))) == entry)
    }
  }

  @Test func tokensAndTagsHaveOneSpelling() {
    let token = ChangeToken(
      zone: ContentHash(of: [1]), epoch: 1, sequence: 2, hash: ContentHash(of: [2]),
      checkpoint: .init(metaNumber: 3, nextPart: 4))
    #expect(ChangeToken(token.description) == token)
    for text in ["", "1.2.3", "\(token).1", "x\(token)", "1.-2.3.4"] {
      #expect(ChangeToken(text) == nil)
    }
    for text in ["1.2", "1.2.3.4", "01.2.3", "1.+2.3", "0.1.0", "1.0.0", "1.1.-1", "a.b.c"] {
      #expect(ChangeTag(text) == nil)
    }
    #expect(ChangeTag("1.9223372036854775807.0")?.sequence == .max)
    #expect(ChangeTag("1.9223372036854775808.0") == nil)
  }

  /// A file of a few megabytes can have a million objects, and none may take more than it says.
  @Test func anObjectInsideTakesNoMoreRoomThanItNeeds() throws {
    var scanner = JSONScanner(Array("[{},{}]".utf8))
    guard case .array(let elements) = try scanner.value(), case .object(let members) = elements[1]
    else {
      Issue.record("no array of objects")
      return
    }
    #expect(members.capacity == 0)
  }

  @Test func anIdentifierIsWrittenInLowerCase() {
    for number: UInt64 in 1...20 {
      let id = UUID(number)
      #expect(id.lowercaseString == id.uuidString.lowercased())
    }
  }

  @Test func aFileIsNamedBySixteenDigits() {
    #expect(ZoneLayout.fileName(0) == "0000000000000000.json")
    #expect(ZoneLayout.fileName(1_234_567_890) == "0000001234567890.json")
    #expect(ZoneLayout.fileName(CloudLimits.number + 1) == "10000000000000000.json")
    #expect(ZoneLayout.number(inFileName: ZoneLayout.fileName(40)) == 40)
  }

  @Test func aTimeIsWrittenToTheMillisecond() {
    #expect(Timestamp.text(1_763_688_225_678) == "2025-11-21T01:23:45.678Z")
    #expect(Timestamp.text(0) == "1970-01-01T00:00:00.000Z")
    #expect(Timestamp.milliseconds("2025-11-21T01:23:45.678Z") == 1_763_688_225_678)
    #expect(Timestamp.milliseconds("2024-02-29T23:59:59.000Z") == 1_709_251_199_000)
    #expect(Timestamp.milliseconds("2025-02-31T01:23:45.678Z") == nil)
    #expect(Timestamp.milliseconds("2025-11-21T24:00:00.000Z") == nil)
    #expect(Timestamp.milliseconds("yesterday") == nil)
  }
}
