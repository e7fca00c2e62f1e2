import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A row that gets another key takes along what it has and this device does not.
struct KeyChangeTests {
  private static let schema = Schema(
    sql: "CREATE TABLE photos (id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB)",
    tables: ["photos"])

  private let image = Data(repeating: 7, count: 10_000)
  private let fleet: Fleet
  private let ann: Device
  /// A telephone without the images.
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema) {
      $0.assetPolicy = .onDemand(above: 8_000, keeping: .max)
    }
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO photos VALUES ('a', 'A', ?)", [image])
    try fleet.settle()
  }

  private func image(of key: String, on device: Device) throws -> Data? {
    try device.synchronizer.asset("image", of: .init(of: key, in: "photos"))
  }

  private func expectImage(
    of key: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try fleet.settle()
    for device in fleet.devices + [try fleet.device()] {
      try device.sync()
      #expect(
        try device.rows("SELECT id FROM photos WHERE image IS NULL OR length(image) = 10000")
          == [key], sourceLocation: sourceLocation)
      #expect(try image(of: key, on: device) == image, sourceLocation: sourceLocation)
    }
    try fleet.expectExhausted()
  }

  @Test func itsImageThatIsNotHereGoesAlong() throws {
    #expect(try ben.rows("SELECT id, image FROM photos") == ["a|NULL"])
    try ben.execute("UPDATE photos SET id = 'b'")
    // Not only after it was sent.
    #expect(try image(of: "b", on: ben) == image)
    try expectImage(of: "b")
  }

  @Test func itGoesAlongBeforeAnybodyAsks() throws {
    try ben.execute("UPDATE photos SET id = 'b'")
    try ben.execute("UPDATE photos SET title = 'B'")
    try expectImage(of: "b")
    #expect(try ann.rows("SELECT id, title FROM photos") == ["b|B"])
  }

  @Test func itGoesAlongOverSeveralKeysAndBack() throws {
    try ben.execute("UPDATE photos SET id = 'b'; UPDATE photos SET id = 'c'")
    try expectImage(of: "c")
  }

  @Test func itIsThereStillUnderTheKeyOfBefore() throws {
    try ben.execute("UPDATE photos SET id = 'b'; UPDATE photos SET id = 'a'")
    try expectImage(of: "a")
  }

  @Test func amongManyNewRowsToo() throws {
    try ben.write { db in
      try db.execute(sql: "UPDATE photos SET id = 'b'")
      for number in 0..<100 {
        try db.execute(
          sql: "INSERT INTO photos VALUES (?, 'new', x'00')", arguments: ["n\(number)"])
      }
    }
    try ben.sync()
    #expect(try image(of: "b", on: ben) == image)
  }

  @Test func keysThatAreExchangedExchangeTheirImages() throws {
    let other = Data(repeating: 8, count: 10_000)
    try ann.execute("INSERT INTO photos VALUES ('z', 'Z', ?)", [other])
    try fleet.settle()
    try ben.execute(
      """
      UPDATE photos SET id = 'tmp' WHERE id = 'a';
      UPDATE photos SET id = 'a' WHERE id = 'z';
      UPDATE photos SET id = 'z' WHERE id = 'tmp'
      """)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try image(of: "z", on: device) == image)
      #expect(try image(of: "a", on: device) == other)
    }
    try fleet.expectExhausted()
  }

  @Test func whatIsWrittenUnderTheNewKeyCounts() throws {
    let new = Data(repeating: 9, count: 9_000)
    try ben.execute("UPDATE photos SET id = 'b', image = ?", [new])
    try fleet.settle()
    for device in [ann, ben] { #expect(try image(of: "b", on: device) == new) }
    try fleet.expectExhausted()
  }

  @Test func aRowThatIsMadeAnewUnderTheKeyHasNoImage() throws {
    try ben.execute(
      """
      UPDATE photos SET id = 'b'; DELETE FROM photos; INSERT INTO photos (id) VALUES ('b')
      """)
    try fleet.settle()
    for device in [ann, ben] { #expect(try image(of: "b", on: device) == nil) }
    try fleet.expectExhausted()
  }

  /// A version of the app without the column cannot see what it would lose.
  @Test func valuesOfColumnsThatThisVersionDoesNotKnowGoAlong() throws {
    let old = try fleet.device(
      schema: Schema(
        sql: "CREATE TABLE photos (id TEXT PRIMARY KEY NOT NULL)", tables: ["photos"]))
    try fleet.settle()
    try old.execute("UPDATE photos SET id = 'b'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, title FROM photos") == ["b|A"])
      #expect(try image(of: "b", on: device) == image)
    }
  }
}
