import Foundation

/// What `task export` writes: an array of tasks, or one on each line.
enum TaskwarriorFile {
  struct Task: Decodable {
    struct Annotation: Decodable {
      let description: String
    }

    private enum CodingKeys: String, CodingKey {
      case uuid, description, status, due, entry, modified, end, priority, project, tags
      case annotations, recur, until, parent
    }

    /// What taskwarrior keeps for itself, and nobody has typed.
    private static let bookkeeping: Set = ["id", "urgency", "mask", "imask", "last", "rtype"]

    let uuid: String
    let description: String
    let status: String?
    let due: String?
    let entry: String?
    let modified: String?
    let end: String?
    let priority: String?
    let project: String?
    let tags: [String]?
    let annotations: [Annotation]?
    let recur: String?
    let until: String?
    /// The template that it is an instance of.
    let parent: String?
    /// What has no place here, `wait: 20261201T000000Z`: also attributes that somebody has defined.
    let others: [String]

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: CodingKeys.self)
      func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
        try object.decodeIfPresent(Value.self, forKey: key)
      }
      uuid = try object.decode(String.self, forKey: .uuid)
      description = try object.decode(String.self, forKey: .description)
      (status, due, entry) = (try value(.status), try value(.due), try value(.entry))
      (modified, end) = (try value(.modified), try value(.end))
      (priority, project) = (try value(.priority), try value(.project))
      (tags, annotations) = (try value(.tags), try value(.annotations))
      (recur, until, parent) = (try value(.recur), try value(.until), try value(.parent))
      others = try decoder.container(keyedBy: ReminderJSON.Key.self).unread {
        CodingKeys(rawValue: $0) != nil || Self.bookkeeping.contains($0)
      }
    }
  }

  static func read(
    _ data: Data, _ name: String, in time: LocalTime, _ progress: @escaping ImportFormat.Progress
  ) throws -> ImportBatch {
    var batch = ImportBatch()
    let elements = try elements(data, name, progress)
    let tasks = batch.take(elements, "task")
    if tasks.isEmpty, let problem = batch.problems.first {
      throw isNone(name, problem)
    }
    let series = TaskwarriorSeries.all(of: tasks, in: time)
    let openInstances = Set(tasks.filter(\.isOpen).compactMap(\.parent))
    var taken: Set<String> = []
    for task in tasks {
      guard task.status != "deleted" else {
        batch.problems.append("“\(task.description.oneLine)”: is deleted there, and was left out")
        continue
      }
      let id = task.isTemplate ? task.uuid : task.parent ?? ""
      if let series = series[id], task.isTemplate || task.isOpen && task.says(sameAs: series.task) {
        guard taken.insert(id).inserted else { continue }
        batch.add(series, id, in: time)
      } else if !task.isTemplate || !openInstances.contains(id) {
        batch.items.append(item(task, isOfSeries: series[id] != nil, in: time, &batch.problems))
      }
    }
    return batch
  }

  private static func elements(
    _ data: Data, _ name: String, _ progress: @escaping ImportFormat.Progress
  ) throws -> [FileElement<Task>] {
    let decoder = JSONDecoder(telling: progress)
    if data.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "[") {
      do { return try decoder.decode(FileElements<Task>.self, from: data).elements } catch {
        try CutJSON.refuse(data, name)
        throw isNone(name, "it is not JSON")
      }
    }
    let lines = data.split(separator: UInt8(ascii: "\n"))
    return lines.enumerated().map { number, line in
      defer { progress(number + 1, lines.count) }
      let task = line.last == UInt8(ascii: ",") ? line.dropLast() : line
      // A line that is cut off is named as such.
      return (try? decoder.decode(FileElement<Task>.self, from: task)) ?? .unreadable
    }
  }

  private static func isNone(_ name: String, _ problem: String) -> AppError {
    AppError(
      .cannotRead, "\(name) is not what `task export` writes: \(problem).",
      hint: "Say what it is with --format: \(ImportFormat.names).")
  }

  private static let priorities: [String: Reminder.Priority] = [
    "H": .high, "M": .medium, "L": .low,
  ]

  /// - Parameter isOfSeries: Whether a series says when it comes again, and until when.
  fileprivate static func item(
    _ task: Task, isOfSeries: Bool, in time: LocalTime, _ problems: inout [String]
  ) -> ImportBatch.Item {
    var notes = (task.annotations ?? []).map(\.description)
    let ofSeries = [("until", task.until), ("recur", task.recur)]
    var kept = task.others
    kept += (isOfSeries ? [] : ofSeries).compactMap { name, value in value.map { "\(name): \($0)" }
    }
    let priority = task.priority.flatMap { priorities[$0] }
    if let text = task.priority, !text.isEmpty, priority == nil { kept.append("priority: \(text)") }
    notes += kept
    problems += kept.map { "“\(task.description.oneLine)”: in its notes: \($0.oneLine)" }
    let due = task.dueDate(in: time)
    if due == nil, let text = task.due {
      problems.append("“\(task.description.oneLine)”: “\(text)” is not a due date")
    }
    let draft = ReminderDraft(
      title: task.description.inOneLine, notes: notes.joined(separator: "\n"), due: due,
      priority: priority, tags: task.tags ?? [])
    return ImportBatch.Item(
      id: ImportBatch.id("taskwarrior", task.uuid), draft: draft, listTitle: task.project,
      isDone: task.status == "completed", createdAt: task.entry.flatMap(CompactDate.moment),
      updatedAt: task.modified.flatMap(CompactDate.moment),
      completedAt: task.status == "completed" ? task.end.flatMap(CompactDate.moment) : nil)
  }
}

extension ImportBatch {
  /// Adds what comes again as one reminder, with the id of its template.
  fileprivate mutating func add(_ series: TaskwarriorSeries, _ id: String, in time: LocalTime) {
    let title = series.task.description.oneLine
    guard !series.isOver else {
      return problems.append("“\(title)”: comes no more, and was left out")
    }
    var item = TaskwarriorFile.item(series.task, isOfSeries: true, in: time, &problems)
    (item.draft.due, item.draft.recurrence) = (series.due, series.rule)
    item.id = Self.id("taskwarrior", id)
    items.append(item)
    if series.openCount > 1 {
      problems.append("“\(title)”: \(series.openCount) open instances are one reminder")
    }
  }
}

extension TaskwarriorFile.Task {
  /// Whether it only says how others are made.
  var isTemplate: Bool { status == "recurring" }

  /// Whether nothing but its date tells it from another instance of its template.
  func says(sameAs other: Self) -> Bool {
    description == other.description && priority == other.priority && project == other.project
      && Set(tags ?? []) == Set(other.tags ?? []) && others == other.others
      && (annotations ?? []).map(\.description) == (other.annotations ?? []).map(\.description)
  }

  /// Whether it is to be done.
  var isOpen: Bool { !["completed", "deleted", "recurring"].contains(status ?? "") }

  /// When it is due; nil for never, for what is not a date, and for what is beyond the calendar.
  ///
  /// It knows only moments, and midnight is what it makes of a day.
  func dueDate(in time: LocalTime) -> DueDate? {
    guard let moment = due.flatMap(CompactDate.moment) else { return nil }
    let (day, minutes) = time.wallClock(at: moment)
    return minutes == 0 ? .day(day) : .moment(moment)
  }
}

/// ISO 8601 without separators, as taskwarrior and iCalendar have it.
enum CompactDate {
  /// `20261225`.
  static func day(_ text: some StringProtocol) -> CalendarDay? {
    guard text.utf8.count == 8, let year = Int(digits: text.prefix(4)),
      let month = Int(digits: text.dropFirst(4).prefix(2)), let day = Int(digits: text.suffix(2))
    else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  /// `20261225T180000`: the day, and seconds since midnight.
  static func wall(_ text: some StringProtocol) -> (day: CalendarDay, seconds: Int)? {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard parts.count == 2, let day = day(parts[0]), parts[1].utf8.count == 6,
      let hour = Int(digits: parts[1].prefix(2)), hour < 24,
      let minute = Int(digits: parts[1].dropFirst(2).prefix(2)), minute < 60,
      let second = Int(digits: parts[1].suffix(2)), second <= 60
    else { return nil }
    return (day, hour * 3600 + minute * 60 + min(second, 59))
  }

  /// `20261225T170000Z`.
  static func moment(_ text: String) -> Date? {
    guard text.hasSuffix("Z"), let (day, seconds) = wall(text.dropLast()) else { return nil }
    return Date(timeIntervalSince1970: Double(day.number * 86_400 + seconds))
  }

  /// `20261225`.
  static func text(_ day: CalendarDay) -> String { day.description.replacing("-", with: "") }

  /// `20261225T170000Z`.
  static func text(_ moment: Date) -> String {
    moment.iso8601UTC.replacing("-", with: "").replacing(":", with: "")
  }
}
