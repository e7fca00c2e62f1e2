import Foundation
import RemindersImages

extension AppDatabase {
  /// Fills an empty database with lists, reminders, tags and covers to try things with.
  ///
  /// - Parameters:
  ///   - time: What the due dates are near to.
  ///   - withCovers: Whether lists get their covers.
  /// - Returns: How to take it back, or nil: a database with anything in it is left alone.
  @discardableResult
  public func addSampleData(in time: LocalTime, withCovers: Bool = true) async throws -> UndoStep? {
    let covers =
      withCovers && schema.hasCovers
      ? try SampleData.covers(at: time.now) : [:]
    return try await write { transaction in
      guard try transaction.isEmpty() else { return nil }
      return try transaction.recording("Added sample data", touching: []) { inserted in
        for list in SampleData.lists {
          let cover = list.scene.flatMap { covers[$0] }
          try transaction.add(list, cover: cover, in: time, &inserted)
        }
      }
    }
  }
}

extension WriteTransaction {
  fileprivate func isEmpty() throws -> Bool {
    try db.schemaVersion.tables.allSatisfy { table in
      try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM \(table.name))") ?? true
    }
  }

  fileprivate func add(
    _ list: SampleData.List, cover: CoverImage?, in time: LocalTime, _ inserted: inout [RowID]
  ) throws {
    let listID = makeID()
    try insert(
      .remindersLists,
      [
        "id": listID.databaseValue, "title": list.title.databaseValue,
        "color": list.color.databaseValue,
      ])
    inserted.append(RowID(.remindersLists, listID))
    if let cover {
      let row = RowID(.remindersListAssets, listID)
      try setCover(cover, row)
      inserted.append(row)
    }
    for item in list.items {
      let id = makeID()
      try add(item.draft(listID: listID, in: time, schema), id: id, &inserted)
      if item.isDone {
        try update(RowID(.reminders, id), columns(of: .completed))
      }
    }
  }
}

/// The reminders of a household to try things with; days count from today.
private enum SampleData {
  struct List {
    var title: String
    var color: Int
    var scene: SampleScene?
    var items: [Item]
  }

  struct Item {
    var title: String
    var notes = ""
    var day: Int?
    var minutes: Int?
    var priority: Reminder.Priority?
    var isFlagged = false
    var isDone = false
    var tags: [String] = []
    var url: String?

    func draft(
      listID: RemindersList.ID, in time: LocalTime, _ schema: SchemaVersion
    ) -> ReminderDraft {
      let due = day.map { time.today.adding(days: $0) }.map { day in
        minutes.map { DueDate.at(day, minutes: $0, in: time) } ?? .day(day)
      }
      return ReminderDraft(
        title: title, notes: notes, due: due, isFlagged: isFlagged, priority: priority,
        url: schema.fields.contains(.url) ? url : nil, listID: listID, tags: tags)
    }
  }

  /// The covers of the lists, drawn and made small as chosen files are.
  static func covers(at now: Date) throws -> [SampleScene: CoverImage] {
    try Dictionary(
      uniqueKeysWithValues: lists.compactMap(\.scene).map { scene in
        (scene, try CoverImage(scene.png(), name: scene.fileName, account: nil, now: now))
      })
  }

  static let lists = [
    List(
      title: "Personal", color: 0x4A99EF, scene: .lake,
      items: [
        Item(
          title: "Dentist", notes: "Ask about the night guard.\nBring the X-ray from last year.",
          day: -2, minutes: 570, priority: .high, isFlagged: true, tags: ["health"]),
        Item(title: "Haircut", day: -1, isFlagged: true, tags: ["sometime", "optional"]),
        Item(
          title: "Concert tickets", day: 0, minutes: 1080, tags: ["friends", "evening"],
          url: "https://tickets.example.org/autumn"),
        Item(title: "Call the plumber", day: 0, priority: .medium),
        Item(
          title: "Groceries", notes: "Bread\nTomatoes\nCheese\nCoffee\nSpinach", day: 2,
          tags: ["sometime", "health"]),
        Item(title: "Mend the bike light", tags: ["sometime"]),
        Item(title: "Long walk", day: -3, isDone: true),
      ]),
    List(
      title: "Family", color: 0xEF7E4A, scene: .hills,
      items: [
        Item(title: "Pack the swimming bag", day: 1, priority: .high, tags: ["kids"]),
        Item(title: "Present for grandma", notes: "She liked the blue teapot.", day: 9),
        Item(title: "Plan the summer trip", priority: .low, tags: ["sometime"]),
        Item(title: "Parents' evening", day: -12, minutes: 1170, isDone: true, tags: ["kids"]),
      ]),
    List(
      title: "Business", color: 0x8E5BD0, scene: .town,
      items: [
        Item(title: "Quarterly figures to the accountant", day: 4, priority: .medium),
        Item(
          title: "Renew the domain", notes: "It is due each autumn.", day: 0,
          url: "https://www.example.org/domains"),
        Item(title: "Thank the new customers", day: -30, isDone: true),
      ]),
  ]
}
