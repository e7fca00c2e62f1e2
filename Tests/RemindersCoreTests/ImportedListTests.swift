import Foundation
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// The lists that a file of another program names.
@Suite struct ImportedListTests {
  private func files(_ list: String) -> [(ImportFormat, String)] {
    [
      (.todotxt, "milk +\(list)\nbread\n"),
      (
        .ics,
        """
        BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nSUMMARY:milk\r\nX-REMINDERS-LIST:\(list)\r\n\
        END:VTODO\r\nBEGIN:VTODO\r\nUID:b\r\nSUMMARY:bread\r\nEND:VTODO\r\nEND:VCALENDAR\r\n
        """
      ),
      (
        .taskwarrior,
        #"""
        [{"uuid": "11111111-1111-4111-8111-111111111111", "description": "milk",
          "status": "pending", "project": "\#(list)"},
         {"uuid": "21111111-1111-4111-8111-111111111111", "description": "bread",
          "status": "pending"}]
        """#
      ),
    ]
  }

  private func take(_ file: (ImportFormat, String), into database: AppDatabase) async throws {
    let batch = try ImportFormat.read(
      Data(file.1.utf8), as: file.0, name: "file", in: berlin())
    _ = try await database.addImported(batch, into: nil)
  }

  @Test func `a list that is called as the one that an import makes is that one`() async throws {
    for file in files("Personal") {
      let fixture = try Fixture()
      try await take(file, into: fixture.database)
      #expect(try fixture.database.fetch(ListsQuery()).map(\.title) == ["Personal"])
    }
  }

  @Test(arguments: ["Home", "Personal"], [[0, 1], [1, 0]])
  func `devices that import the same file before they synchronize have each list once`(
    list: String, syncing: [Int]
  ) async throws {
    for file in files(list) {
      let fleet = SeriesSyncTests()
      let devices = try fleet.devices([.current, .current])
      for device in devices { try await take(file, into: device.database) }
      let home = try devices[0].database.list(named: list)
      // What somebody makes of it before the other device has heard of it stays.
      _ = try await devices[0].database.editList(home.id, [.color(0xFF0000)])
      for index in syncing { try await devices[index].sync() }
      try await fleet.settle(devices)
      for device in devices {
        let lists = try device.database.fetch(ListsQuery())
        #expect(
          Set(lists.map(\.title)) == [list, "Personal"]
            && lists.count == Set([list, "Personal"]).count)
        #expect(lists.first { $0.title == list }?.color == 0xFF0000)
        #expect(try device.lines().count == 2)
      }
    }
  }

  @Test func `a list that has another name by now is not the one that a file names`() async throws {
    let fixture = try Fixture()
    try await take((.todotxt, "milk +Home"), into: fixture.database)
    let home = try fixture.database.list(named: "Home")
    _ = try await fixture.database.editList(home.id, [.title("House")])
    try await take((.todotxt, "milk +Home\neggs +Home"), into: fixture.database)
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title) == ["House", "Home"])
  }
}
