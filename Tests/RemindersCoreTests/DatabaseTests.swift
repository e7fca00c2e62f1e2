import Foundation
import GRDB
import RemindersFiles
import SQLiteSync
import Testing

@testable import RemindersCore

@Suite struct DatabaseTests {
  @Test func `a fresh directory is made for its owner alone`() throws {
    let directory = try temporaryDirectory().appending(path: "data")
    _ = try AppDatabase(directory: directory)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func `what was written is there when the file is opened again`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Haircut")
    let again = try AppDatabase(directory: fixture.directory)
    #expect(
      try again.fetch(ReminderListQuery(.all, time: berlin())).rows.map(\.title) == ["Haircut"])
  }

  @Test func `a file that is no database is refused and left alone`() throws {
    let directory = try temporaryDirectory()
    let file = directory.appending(path: AppDatabase.fileName)
    let text = String(repeating: "These are my notes, not a database.\n", count: 100)
    try Data(text.utf8).write(to: file)
    let error = #expect(throws: AppError.self) { try AppDatabase(directory: directory) }
    #expect(error?.kind == .cannotRead)
    #expect(error?.reason.contains(file.path) == true)
    #expect(error?.hint != nil)
    #expect(try Data(contentsOf: file) == Data(text.utf8))
  }

  @Test func `a command that writes waits for the program that is writing`() async throws {
    let directory = try temporaryDirectory()
    _ = try AppDatabase(directory: directory, connections: .one)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(
      path: directory.appending(path: AppDatabase.fileName).path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
    let database = try AppDatabase(
      directory: directory, connections: .one,
      whenWaiting: { Task { try await other.writeWithoutTransaction { try $0.commit() } } })
    _ = try await database.addReminder(ReminderDraft(title: "Haircut"))
    #expect(
      try database.fetch(ReminderListQuery(.all, time: berlin())).rows.map(\.title) == ["Haircut"])
  }

  /// GRDB sets a file up by writing to it, which waits for whoever is writing.
  @Test func `a command reads while another program is writing`() throws {
    let directory = try temporaryDirectory()
    _ = try AppDatabase(directory: directory, connections: .one)
    let file = directory.appending(path: AppDatabase.fileName).path
    try DatabaseQueue(path: file).inDatabase { other in
      try other.execute(sql: "BEGIN IMMEDIATE")
      let database = try AppDatabase(directory: directory, connections: .one)
      #expect(try database.fetch(ReminderListQuery(.all, time: berlin())).rows.isEmpty)
      #expect(
        try database.writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
      try other.execute(sql: "ROLLBACK")
    }
  }

  @Test func `a file with two names is refused`() throws {
    let fixture = try Fixture()
    let file = fixture.directory.appending(path: AppDatabase.fileName)
    try FileManager.default.linkItem(at: file, to: fixture.directory.appending(path: "other"))
    let error = #expect(throws: SyncError.self) { try AppDatabase(directory: fixture.directory) }
    #expect(error?.reason == .severalNames)
  }

  @Test func `a directory that cannot be made is refused`() throws {
    let file = try temporaryDirectory().appending(path: "file")
    try Data("x".utf8).write(to: file)
    let error = #expect(throws: AppError.self) {
      try AppDatabase(directory: file.appending(path: "data"))
    }
    #expect(error?.kind == .cannotCreate)
  }

  @Test func `a database of a newer version is refused`() throws {
    let fixture = try Fixture()
    try fixture.execute("INSERT INTO grdb_migrations (identifier) VALUES ('from the future')")
    let error = #expect(throws: AppError.self) { try AppDatabase(directory: fixture.directory) }
    #expect(error?.kind == .cannotRead)
    #expect(error?.reason.contains("newer") == true)
  }

  @Test func `every synchronized column has a default or may be null`() throws {
    let fixture = try Fixture()
    try fixture.database.writer.read { db in
      for table in AppTable.allCases {
        for column in try db.columns(in: table.name) {
          #expect(!column.isNotNull || column.defaultValueSQL != nil, "\(table).\(column.name)")
        }
        let create = try #require(
          try String.fetchOne(
            db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [table.name]))
        #expect(create.hasSuffix("STRICT"))
        #expect(!create.contains("UNIQUE"))
        #expect(
          create.components(separatedBy: "NOT NULL").count
            == create.components(separatedBy: "NOT NULL ON CONFLICT REPLACE DEFAULT").count)
      }
    }
  }

  @Test func `the key of a row inserted by another program is a version 4 UUID`() throws {
    let fixture = try Fixture()
    try fixture.execute("INSERT INTO remindersLists DEFAULT VALUES")
    let list = try #require(try fixture.database.fetch(ListsQuery()).first)
    let pattern = #/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/#
    #expect(try pattern.wholeMatch(in: list.id) != nil)
  }

  @Test func `a new row goes to the end, whoever inserts it`() throws {
    let fixture = try Fixture()
    try fixture.execute(
      """
      INSERT INTO remindersLists (id, title) VALUES ('a', 'A'), ('b', 'B');
      INSERT INTO reminders (title, remindersListID) VALUES ('one', 'b'), ('two', 'a');
      """)
    #expect(try fixture.database.fetch(ListsQuery()).map(\.position) == [1, 2])
    #expect(try fixture.titles(.all, sort: .manual) == ["one", "two"])
  }

  @Test func `a row that the sync engine writes keeps its place`() throws {
    let fixture = try Fixture()
    try fixture.execute(
      """
      UPDATE sync_state SET isApplying = 1;
      INSERT INTO remindersLists (id, position) VALUES ('a', 7), ('b', NULL);
      UPDATE sync_state SET isApplying = 0;
      """)
    #expect(try fixture.database.fetch(ListsQuery()).map(\.position) == [0, 7])
  }

  @Test func `numbers of a newer version do not trap`() throws {
    let fixture = try Fixture()
    try fixture.execute(
      """
      INSERT INTO remindersLists (id) VALUES ('a');
      INSERT INTO reminders (title, status, priority, dueDate, remindersListID)
      VALUES ('from tomorrow', 7, 9, 'whenever', 'a');
      """)
    let row = try #require(try fixture.detail(.all).rows.first)
    #expect(row.status == .incomplete)
    #expect(row.priority == .high)
    #expect(row.due == nil)
  }

  @Test func `an observation begins with the present value and tells of each change`() async throws
  {
    let fixture = try Fixture()
    var values = fixture.database.values(of: ReminderListQuery(.all, time: berlin()))
      .map { $0.value.rows.map(\.title) }.makeAsyncIterator()
    #expect(try await values.next() == [])
    try await fixture.add("Haircut")
    #expect(try await values.next() == ["Haircut"])
    try await fixture.add("Groceries")
    #expect(try await values.next() == ["Haircut", "Groceries"])
  }

  @Test func `a reading is current until a commit changes what was read for it`() async throws {
    let fixture = try Fixture()
    var readings = fixture.database.values(of: ListsQuery()).makeAsyncIterator()
    let before = try #require(try await readings.next())
    #expect(before.isCurrent)
    _ = try await fixture.database.addList(title: "Family")
    #expect(!before.isCurrent)
    before.hurry()
    let after = try #require(try await readings.next())
    #expect(after.isCurrent)
    #expect(after.value.map(\.title) == ["Family"])
  }

  @Test func `what a query does not read is no change of it`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Haircut")
    var lists = fixture.database.values(of: ListsQuery()).map { $0.value.map(\.title) }
      .makeAsyncIterator()
    #expect(try await lists.next() == ["Personal"])
    try await fixture.add("Groceries")
    _ = try await fixture.database.addList(title: "Family")
    #expect(try await lists.next() == ["Personal", "Family"])
  }

  @Test func `a failed write changes nothing and says why`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Haircut")
    let before = try fixture.contents()
    let error = await #expect(throws: AppError.self) {
      try await fixture.database.addReminder(ReminderDraft(title: "Lost", listID: "nowhere"))
    }
    #expect(error?.kind == .noSuchItem)
    #expect(try fixture.contents() == before)
  }

  private func temporaryDirectory() throws -> URL {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "reminders-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory
  }

  @Test(arguments: [
    (ResultCode.SQLITE_FULL, AppError.Kind.cannotCreate), (.SQLITE_IOERR_SHMSIZE, .cannotCreate),
    (.SQLITE_IOERR_READ, .failed), (.SQLITE_READONLY, .cannotCreate), (.SQLITE_BUSY, .busy),
  ])
  func `a full disk is told from one that fails`(code: ResultCode, kind: AppError.Kind) {
    let error = AppError(DatabaseError(resultCode: code), path: nil)
    #expect(error.kind == kind)
    #expect(error.hint != nil)
  }

  @Test func `data that another program holds locked is in use, also for an engine`() {
    let error = AppError.known(SyncError(.lockedDatabase, "Somebody writes."))
    #expect(error?.kind == .busy)
    #expect(error?.hint != nil)
  }

  @Test(arguments: [(ENOSPC, AppError.Kind.cannotCreate), (EDQUOT, .cannotCreate), (EIO, .failed)])
  func `a file for which there is no room is told from one that fails`(
    code: Int32, kind: AppError.Kind
  ) {
    #expect(AppError(FileError.system(code)).kind == kind)
  }
}
