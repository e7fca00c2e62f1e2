import Foundation
import RemindersFiles
import SQLiteSync

/// The kinds of files that can be imported.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// What `reminders export` writes.
  case json
  /// iCalendar (RFC 5545): the VTODOs of it.
  case ics
  /// A todo.txt file.
  case todotxt
  /// What `task export` writes.
  case taskwarrior

  /// Told how many of all are read.
  public typealias Progress = @Sendable (_ completed: Int, _ total: Int) -> Void

  /// So long no file of these is by intent; all of it is in memory.
  public static let maximumBytes = 256 << 20

  /// So many reminders are read of a file of another program: each takes half a millisecond and
  /// four kilobytes, and all of them are one transaction.
  static let maximumReminders = 100_000

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - file: An ordinary file.
  ///   - format: Of which kind it is; nil to tell by its beginning and its name.
  ///   - time: The zone of times that name none.
  ///   - progress: Called with the number of reminders that are read, and that of all.
  /// - Throws: `AppError` when it cannot be read for what it should be.
  public static func read(
    _ file: URL, as format: ImportFormat? = nil, in time: LocalTime,
    progress: @escaping Progress = { _, _ in }
  ) throws -> ImportBatch {
    do {
      let opened = try OrdinaryFile(file.path)
      guard opened.byteCount <= maximumBytes else { throw isTooLong(file.path) }
      return try read(opened.read(), as: format, name: file.path, in: time, progress: progress)
    } catch let error as FileError {
      throw AppError(.cannotRead, "\(file.path) cannot be read: \(error)")
    }
  }

  /// Reads what a file has, or a program has written.
  ///
  /// - Parameters:
  ///   - data: Its bytes.
  ///   - format: Of which kind it is; nil to tell by its beginning and its name.
  ///   - name: What errors call it.
  ///   - time: The zone of times that name none.
  ///   - progress: Called with the number of reminders that are read, and that of all.
  /// - Throws: `AppError` when it cannot be read for what it should be.
  public static func read(
    _ data: Data, as format: ImportFormat?, name: String, in time: LocalTime,
    progress: @escaping Progress = { _, _ in }
  ) throws -> ImportBatch {
    guard data.count <= maximumBytes else { throw isTooLong(name) }
    if let encoding = TextLines.wideEncoding(of: data) {
      throw AppError(
        .cannotRead, "\(name) is in UTF-16, and not in UTF-8.",
        hint: "`iconv -f \(encoding) -t UTF-8` makes it so.")
    }
    // A picture or a program would be a hundred thousand lines.
    if data.contains(0) {
      throw AppError(
        .cannotRead, "\(name) is not a text.", hint: "These are read: \(ImportFormat.names).")
    }
    let data = TextLines.withoutMark(data)
    let format = try format ?? guess(data, name)
    let batch: ImportBatch
    switch format {
    // As many as there were: it is to come back whole.
    case .json: return try OwnExport.read(data, name, progress)
    case .taskwarrior: batch = try TaskwarriorFile.read(data, name, in: time, progress)
    // Before they are read, which takes longest.
    case .ics:
      let count = ICalendarFile.countOfTodos(in: data)
      try format.requireFew(count, name)
      progress(0, count)
      batch = try ICalendarFile.read(data, name, in: time, progress)
    case .todotxt:
      let lines = TextLines.split(data)
      try format.requireFew(lines.count, name)
      batch = try TodoTextFile.read(lines, name, progress)
    }
    try format.requireFew(batch.items.count, name)
    return batch
  }

  private func requireFew(_ count: Int, _ name: String) throws {
    guard count > Self.maximumReminders else { return }
    let hint =
      self == .todotxt
      ? "`split -l \(Self.maximumReminders)` cuts it into parts."
      : "Have the program that wrote it write several files."
    throw AppError(
      .cannotRead,
      "\(name) has \(count) reminders; at most \(Self.maximumReminders) are imported at once.",
      hint: hint)
  }

  private static func isTooLong(_ name: String) -> AppError {
    AppError(
      .cannotRead, "\(name) has more than \(maximumBytes >> 20) MB.",
      hint: "Import it in several parts.")
  }

  private static func guess(_ data: Data, _ name: String) throws -> ImportFormat {
    let start = String(decoding: data.prefix(4096), as: UTF8.self).drop(while: \.isWhitespace)
    let file = URL(filePath: name).lastPathComponent.lowercased()
    let suffix = file.split(separator: ".").dropFirst().last ?? ""
    // A line of it would be a title.
    guard !["csv", "tsv"].contains(suffix), !start.hasPrefix("id,title,") else {
      throw AppError(
        .cannotRead, "\(name) is a table, and none of what is read: \(names).",
        hint: "Have the program that wrote it write one of these.")
    }
    if start.uppercased().hasPrefix("BEGIN:VCALENDAR") { return .ics }
    if start.hasPrefix("[") { return .taskwarrior }
    if start.hasPrefix("{") {
      return start.contains("\"uuid\"") && !start.contains("\"lists\"") ? .taskwarrior : .json
    }
    if suffix == "ics" { return .ics }
    // Any text could be one, so the name decides.
    guard suffix == "txt" || file.hasPrefix("todo") else {
      throw AppError(
        .cannotRead, "It is not clear what \(name) is.",
        hint: "Say it with --format: \(names).")
    }
    return .todotxt
  }
}

/// The document that `reminders export` writes.
struct OwnExport: Decodable {
  struct List: Decodable {
    let id: String
    let title: String
    let color: Int?
    let position: Double?
    let coverImage: Data?
  }

  struct Item: Decodable {
    struct Place: Decodable {
      let id: String
      let title: String
    }

    let id: String
    let status: String?
    let list: Place
    let position: Double?
    let createdAt: String?
    let updatedAt: String?
    let completedAt: String?
    let snoozedUntil: String?
    let occurrence: String?
    let seriesTime: String?
    var parentID: String?
    /// What its fields say, besides where it belongs.
    private(set) var draft = ReminderDraft()
    private(set) var problems: [String] = []

    private static let keys =
      Set(ReminderField.all.map(\.key)).union([
        "id", "status", "position", "createdAt", "updatedAt", "completedAt", "occurrence",
        "seriesTime", "snoozedUntil",
      ])

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: ReminderJSON.Key.self)
      func text(_ key: ReminderJSON.Key) throws -> String? {
        try object.decodeIfPresent(String.self, forKey: key)
      }
      id = try object.decode(String.self, forKey: "id")
      status = try text("status")
      list = try object.decode(Place.self, forKey: "list")
      position = try object.decodeIfPresent(Double.self, forKey: "position")
      createdAt = try text("createdAt")
      updatedAt = try text("updatedAt")
      completedAt = try text("completedAt")
      snoozedUntil = try text("snoozedUntil")
      occurrence = try text("occurrence")
      seriesTime = try text("seriesTime")
      parentID = try text("parentID")
      for field in ReminderField.all {
        try ReminderJSON.read(field, of: object, into: &draft, problems: &problems)
      }
      let others = try object.unread {
        Self.keys.contains($0)
      }
      problems += others.map { "“\(draft.title.oneLine)”: in its notes: \($0.oneLine)" }
      draft.notes = ([draft.notes].filter { !$0.isEmpty } + others).joined(separator: "\n")
    }
  }

  struct Search: Decodable {
    let id: String
    let title: String
    let query: String
  }

  let version: Int
  let lists: [FileElement<List>]
  let tags: [FileElement<String>]?
  let searches: [FileElement<Search>]?
  let reminders: FileElements<Item>

  static func read(
    _ data: Data, _ name: String, _ progress: @escaping ImportFormat.Progress
  ) throws -> ImportBatch {
    let document: OwnExport
    do {
      document = try JSONDecoder(telling: progress).decode(OwnExport.self, from: data)
    } catch {
      try CutJSON.refuse(data, name)
      throw AppError(
        .cannotRead, "\(name) is not an export of reminders.",
        hint: "Say what it is with --format: \(ImportFormat.names).")
    }
    guard document.version <= Export.version else {
      throw AppError(
        .cannotRead, "\(name) was exported by a newer version of reminders.",
        hint: "Update this one.")
    }
    var batch = ImportBatch()
    batch.lists = batch.take(document.lists, "list").map {
      ImportBatch.List(
        id: id($0.id, of: .remindersLists), title: $0.title, color: $0.color,
        position: $0.position, cover: $0.coverImage)
    }
    batch.tags = batch.take(document.tags ?? [], "tag")
    batch.searches = batch.take(document.searches ?? [], "search").map {
      SavedSearch(
        id: id($0.id.lowercased(), of: .savedSearches), title: $0.title, query: $0.query)
    }
    // A part after the reminder that it is a part of; without one that has no place for it, it is
    // an ordinary reminder, as it was.
    let reminders = batch.take(document.reminders.elements, "reminder")
    let parents = Dictionary(
      reminders.filter { $0.parentID == nil }.map { ($0.id, $0.list.id) },
      uniquingKeysWith: { first, _ in first })
    let tops = ImportBatch.tops(
      Dictionary(
        reminders.compactMap { item in item.parentID.map { (item.id, $0) } },
        uniquingKeysWith: { first, _ in first }))
    let items = reminders.map { item in
      var item = item
      if item.parentID != nil, tops[item.id] == nil {
        batch.problems.append("“\(item.draft.title.oneLine)”: it would be a part of itself")
        item.parentID = nil
      }
      return batch.item(item, hasParent: item.parentID.flatMap { parents[$0] } == item.list.id)
    }
    batch.items =
      items.filter { $0.draft.parentID == nil }
      + items.filter { $0.draft.parentID != nil }
    return batch
  }

  /// An id that a row can have: the one that the file gives, or one made of it.
  fileprivate static func id(_ id: String, of table: AppTable) -> String {
    SyncEngine.isValidKey(id, of: table.name) ? id : ImportBatch.id("json", id)
  }
}

extension ImportBatch {
  fileprivate mutating func item(_ item: OwnExport.Item, hasParent: Bool) -> Item {
    func id(_ id: String) -> Reminder.ID { OwnExport.id(id.lowercased(), of: .reminders) }
    problems += item.problems
    let parent = item.parentID.map(id)
    var draft = item.draft
    let status = Reminder.Status.allCases.first { $0.name == item.status }
    if status == nil, let unknown = item.status {
      problems.append("“\(draft.title.oneLine)”: “\(unknown.oneLine)” is not a status: it is open")
    }
    for (name, text) in [
      ("createdAt", item.createdAt), ("updatedAt", item.updatedAt),
      ("completedAt", item.completedAt), ("snoozedUntil", item.snoozedUntil),
    ] {
      guard let text, Date(iso8601: text) == nil else { continue }
      problems.append("“\(draft.title.oneLine)”: “\(text.oneLine)” is no time (\(name))")
    }
    if id(item.id) != item.id.lowercased() {
      let text = item.id.oneLine.prefix(60)
      problems.append("“\(draft.title.oneLine)”: “\(text)” cannot be an id, and was replaced")
    }
    draft.listID = OwnExport.id(item.list.id, of: .remindersLists)
    draft.parentID = hasParent ? parent : nil
    return Item(
      id: id(item.id), draft: draft,
      isDone: status.map { $0 != .incomplete } ?? false,
      position: item.position, createdAt: item.createdAt.flatMap(Date.init(iso8601:)),
      updatedAt: item.updatedAt.flatMap(Date.init(iso8601:)),
      completedAt: item.completedAt.flatMap(Date.init(iso8601:)),
      snoozedUntil: item.snoozedUntil.flatMap(Date.init(iso8601:)),
      occurrence: Occurrence(stored: item.occurrence), seriesTime: item.seriesTime,
      formerParent: hasParent ? nil : parent)
  }
}

extension ImportFormat {
  /// All of them, as typed.
  public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
