import Testing

@testable import SQLiteSync

/// Parents before children.
struct TableOrderTests {
  private func table(_ name: String, _ parents: String...) -> TableSchema {
    TableSchema(
      id: 1, name: name, key: "id", isKeyFolded: false, columns: [],
      foreignKeys: parents.map {
        TableSchema.ForeignKey(
          column: "\($0)ID", table: $0, parentColumn: "id", onDelete: .cascade)
      }, isPrivate: false)
  }

  @Test func parentsComeBeforeChildrenWhateverTheOrderGiven() throws {
    let tables = [table("c", "b"), table("b", "a"), table("a"), table("d", "a", "c")]
    for start in tables.indices {
      let rotated = Array(tables[start...] + tables[..<start])
      #expect(try TableOrder(rotated).tables.map(\.name) == ["a", "b", "c", "d"])
    }
  }

  @Test func tablesWithoutReferencesKeepTheirOrderAndHavePositions() throws {
    let order = try TableOrder([table("z"), table("child", "a"), table("a"), table("m")])
    #expect(order.tables.map(\.name) == ["z", "a", "m", "child"])
    #expect(order.position(of: "m") == 2)
  }

  @Test func whatIsNotSynchronizedComesLast() throws {
    let order = try TableOrder([table("a"), table("b")])
    #expect(order.position(of: "stranger") == 2)
    #expect(order["stranger"] == nil)
  }

  @Test func aTableMayReferToItself() throws {
    #expect(try TableOrder([table("node", "node")]).tables.map(\.name) == ["node"])
  }

  @Test func aCycleIsRefusedWithItsColumns() throws {
    let error = #expect(throws: SyncError.self) {
      _ = try TableOrder([table("a", "b"), table("b", "a"), table("c")])
    }
    #expect(error?.reason == .foreignKeyCycle)
    #expect(error?.message.contains("a.bID → b") == true)
    #expect(error?.message.contains("b.aID → a") == true)
  }

  @Test func aCycleIsToldWithoutTheTablesBelowIt() throws {
    let error = #expect(throws: SyncError.self) {
      _ = try TableOrder([table("below", "a"), table("a", "b"), table("b", "a")])
    }
    #expect(error?.message.contains("below") == false)
    #expect(error?.table == "a")
  }

  @Test func referencesAreFoundFromTheParent() throws {
    let order = try TableOrder([table("a"), table("b", "a"), table("c", "a", "b")])
    #expect(order.references(to: "a").map(\.table.name) == ["b", "c"])
    #expect(order.references(to: "b").map(\.key.column) == ["bID"])
  }
}
