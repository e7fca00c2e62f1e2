import Foundation
import GRDB
import RemindersImages

/// What was taken over from a file of before synchronization.
public struct LegacyImport: Hashable, Sendable {
  /// Lists that were not here yet.
  public var lists = 0
  /// Reminders that were not here yet.
  public var reminders = 0
  /// Tags on those reminders.
  public var tags = 0
  /// Cover images.
  public var covers = 0
  /// Rows that had been taken over before and were left as they are now, tags on reminders among
  /// them.
  public var known = 0
  /// Tables and columns that hold something for which there is no place here.
  public var unknown: [String] = []
  /// The title of the list of reminders whose own is not there.
  public static let listOfOthers = LegacyTables.listOfOthers
  /// How many these are.
  public var withoutList = 0
  /// Values that are none, by column, and rows about what is not there, in words.
  public var leftOut: [String] = []
}

extension AppDatabase {
  /// Takes over everything from a file of an app of before synchronization.
  ///
  /// The file is only read. All rows arrive in one transaction, as edits made now, and so reach the
  /// other devices. The same file can be taken over again: what is here already stays as it is.
  ///
  /// `progress`: called with the number of rows that were taken over so far, or were here
  /// before, and that of all; tags count by the reminder.
  ///
  /// - Throws: `AppError` or `SyncError` when the file is none of these; nothing is changed then.
  public func importLegacy(
    _ file: URL,
    progress: @escaping @Sendable (_ completed: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> LegacyImport {
    let file = try LegacyFile(file)
    return try await write { transaction in
      var result = LegacyImport(
        unknown: file.unknown, withoutList: file.withoutList, leftOut: file.leftOut)
      try transaction.take(file, &result, progress)
      return result
    }
  }
}

extension WriteTransaction {
  fileprivate func take(
    _ file: LegacyFile, _ result: inout LegacyImport, _ progress: (Int, Int) -> Void
  ) throws {
    let lists = file.rows["remindersLists"] ?? []
    let covers = file.rows["remindersListAssets"] ?? []
    let reminders = file.rows["reminders"] ?? []
    let tags = LegacyRow.tags(file)
    let total = lists.count + covers.count + reminders.count + tags.count
    var completed = 0
    func advance() {
      completed += 1
      progress(completed, total)
    }
    for (index, row) in lists.enumerated() {
      let isNew = try insertIfNew(.remindersLists, LegacyRow(row).list(at: index))
      result.count(isNew, \.lists)
      advance()
    }
    for row in covers {
      defer { advance() }
      guard let cover = LegacyRow(row).cover(now: now) else { continue }
      result.count(try insertIfNew(.remindersListAssets, cover), \.covers)
    }
    let rows = reminders.enumerated().map { LegacyRow($1).reminder(at: $0, now: now) }
    result.unknown += reminders.compactMap { LegacyRow($0).cutNotes }
    var known = Set(try keys(of: .reminders, where: "id", in: rows.compactMap(\.id)))
    var new: Set<Reminder.ID> = []
    for page in rows.chunked(by: StagedRows.sizes.upperBound) {
      let newRows = page.filter { $0.id.map { known.insert($0).inserted } ?? false }
      try insert(.reminders, all: newRows)
      new.formUnion(newRows.compactMap(\.id))
      result.reminders += newRows.count
      result.known += page.count - newRows.count
      page.forEach { _ in advance() }
    }
    var taken: [(reminder: Reminder.ID, titles: [Tag.ID])] = []
    for (id, tags) in tags {
      defer { advance() }
      let (tags, refused) = LegacyRow.sorted(tags)
      for tag in refused where !result.unknown.contains(tag) { result.unknown.append(tag) }
      // Some files say the same tag twice.
      let count = Set(tags.map { RowID(.tags, $0) }).count
      guard new.contains(id) else {
        result.known += count
        continue
      }
      taken.append((id, tags))
      result.tags += count
    }
    var inserted: [RowID] = []
    try addTags(taken, &inserted)
  }
}

extension RowChange.Columns {
  /// The key of a row that has one.
  fileprivate var id: String? { text("id") }
}

extension LegacyImport {
  fileprivate mutating func count(_ isNew: Bool, _ path: WritableKeyPath<LegacyImport, Int>) {
    self[keyPath: isNew ? path : \.known] += 1
  }
}

/// A row of before synchronization, as the row that it becomes.
private struct LegacyRow {
  let row: LegacyFile.Columns

  init(_ row: LegacyFile.Columns) {
    self.row = row
  }

  private subscript(column: String) -> DatabaseValue { row[column] ?? .null }

  private func text(_ column: String) -> String {
    String.fromDatabaseValue(self[column]) ?? ""
  }

  private func integer(_ column: String) -> Int64? {
    Int64.fromDatabaseValue(self[column])
  }

  /// A place in the manual order; where there is none, the order in which rows were made.
  private func position(_ index: Int) -> DatabaseValue {
    let stored = Double.fromDatabaseValue(self["position"])
    return (stored ?? Double(index + 1)).databaseValue
  }

  // MARK: - Tables

  func list(at index: Int) -> RowChange.Columns {
    var columns = [
      "id": self["id"], "title": text("title").databaseValue, "position": position(index),
    ]
    if let color = integer("color") {
      // With an opacity in the last byte, which no list here has.
      columns["color"] = (color > 0xFF_FFFF ? color >> 8 & 0xFF_FFFF : color).databaseValue
    }
    return columns
  }

  /// The cover, or nil when the list has none.
  func cover(now: Date) -> RowChange.Columns? {
    guard let bytes = Data.fromDatabaseValue(self["coverImage"]) else { return nil }
    let cover: CoverImage
    do throws(ImageError) {
      cover = try CoverImage(bytes, name: "cover", account: nil, now: now)
    } catch {
      // What is not an image here stays what it is.
      cover = CoverImage(bytes)
    }
    return ["remindersListID": self["remindersListID"], "coverImage": cover.data.databaseValue]
  }

  func reminder(at index: Int, now: Date) -> RowChange.Columns {
    let due = DueDate(legacy: self["dueDate"])
    var notes = text("notes")
    if due == nil, !self["dueDate"].isNull {
      let date = String.fromDatabaseValue(self["dueDate"]) ?? "\(self["dueDate"])"
      if !date.isEmpty { notes += (notes.isEmpty ? "" : "\n") + "Due: \(date)" }
    }
    let link = text("url")
    if !link.isEmpty, !Link.isValid(link) {
      notes += (notes.isEmpty ? "" : "\n") + "Link: \(link)"
    }
    var columns: RowChange.Columns = [
      "id": self["id"], "title": text("title").databaseValue,
      "notes": notes.shortenedToNotes.databaseValue,
      "dueDate": (due?.stored).databaseValue,
      "isFlagged": (integer("isFlagged") ?? 0 != 0).databaseValue,
      "priority": integer("priority").databaseValue, "status": status.rawValue.databaseValue,
      "position": position(index), "remindersListID": self["remindersListID"],
      "createdAt": (integer("createdAt") ?? now.milliseconds).databaseValue,
      "updatedAt": self["updatedAt"],
    ]
    if Link.isValid(link) { columns["url"] = link.databaseValue }
    return columns
  }

  /// What is left out of notes that are too long.
  var cutNotes: String? {
    text("notes").isLongerThanAnyNotes
      ? "the end of the notes of “\(text("title").oneLine.shortened(to: 60))”" : nil
  }

  /// Before synchronization 1 was completed, and 2 on the way there.
  private var status: Reminder.Status {
    (integer("status") ?? integer("isCompleted") ?? 0) == 0 ? .incomplete : .completed
  }

  /// Tags that can be taken over, and how those are called that cannot reach other devices.
  static func sorted(_ tags: [Tag.ID]) -> (taken: [Tag.ID], refused: [String]) {
    var (taken, refused): ([Tag.ID], [String]) = ([], [])
    for tag in tags {
      do {
        try Tag.checkTitle(tag)
        taken.append(tag)
      } catch {
        refused.append("the tag #\(tag)")
      }
    }
    return (taken, refused)
  }

  /// The tags of each reminder.
  static func tags(_ file: LegacyFile) -> [Reminder.ID: [Tag.ID]] {
    var titles: [DatabaseValue: Tag.ID] = [:]
    for tag in file.rows["tags"] ?? [] {
      // A tag without a name is none.
      titles[LegacyRow(tag)["id"]] = try? Tag.title(from: LegacyRow(tag).text("title"))
    }
    var tags: [Reminder.ID: [Tag.ID]] = [:]
    let joins = (file.rows["reminderTags"] ?? []) + (file.rows["remindersTags"] ?? [])
    for join in joins {
      let id = LegacyRow(join).text("reminderID")
      guard let title = titles[LegacyRow(join)["tagID"]] else { continue }
      tags[id, default: []].append(title)
    }
    return tags
  }
}

extension DueDate {
  /// A day or a moment as apps of before wrote it.
  fileprivate init?(legacy value: DatabaseValue) {
    if let day = String.fromDatabaseValue(value).flatMap(CalendarDay.init) {
      self = .day(day)
    } else if let moment = Date(legacy: value) {
      self = .moment(moment)
    } else {
      return nil
    }
  }
}

extension Date {
  /// Text such as `2025-06-01 12:34:56.789`, in UTC unless it says otherwise, or seconds since
  /// 1970.
  init?(legacy value: DatabaseValue) {
    switch value.storage {
    case .int64(let seconds): self.init(legacy: Double(seconds))
    case .double(let seconds): self.init(legacy: seconds)
    case .string(let text):
      let seconds = ISOScanner.read(text) { scanner -> Int? in
        guard let wall = scanner.wall(separators: " T"), scanner.fraction() else { return nil }
        return scanner.isAtEnd ? wall : scanner.offset().map { wall - $0 }
      }
      guard let seconds else { return nil }
      self.init(timeIntervalSince1970: Double(seconds))
    case .null, .blob: return nil
    }
  }
  /// Seconds that no calendar of ours reaches are not a moment.
  private init?(legacy seconds: Double) {
    let moment = Date(timeIntervalSince1970: seconds)
    guard DueDate.moment(moment.rounded).isStorable else { return nil }
    self = moment
  }

  private var rounded: Date { Date(timeIntervalSince1970: Double(wholeSeconds)) }
}
