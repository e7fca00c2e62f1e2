import ArgumentParser
import Foundation
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

/// What a command works with: the paths, the database, and the present moment.
struct Session {
  let paths: Paths
  let database: AppDatabase
  let time: LocalTime
  let style: TextStyle

  /// - Throws: also when the data belongs to another account than the one that was named.
  init(
    _ choices: GlobalChoices, connections: AppDatabase.Connections = .one
  ) throws {
    try self.init(ofAnyone: choices, connections: connections)
    if let chosen = paths.chosenAccount { try require(chosen) }
  }

  /// Whoever the data belongs to: for commands that are about that.
  init(
    ofAnyone choices: GlobalChoices, connections: AppDatabase.Connections = .one
  ) throws {
    paths = try Paths(choices)
    database = try AppDatabase(
      directory: paths.dataDirectory, schema: choices.schema ?? .current,
      connections: connections,
      whenWaiting: { Messages.write("Another program is writing the data. Waiting for it …") })
    time = LocalTime(
      now: Date(), localeFormat: LocaleFormat(environment: ProcessInfo.processInfo.environment))
    style = TextStyle(choices.color ?? .auto)
  }

  /// Whether the data can be written, and not only read.
  var canWrite: Bool { database.unwritable == nil }

  private func require(_ chosen: AccountID) throws {
    let known = try database.fetch(AccountQuery())
    guard let id = known.id, chosen != id, known.hasData || !known.isSignedOut else { return }
    throw AppError(
      .notPermitted,
      "This data belongs to the account \(id.displayName(beside: chosen)), not to "
        + "\(chosen.displayName(beside: id)).",
      hint: "Leave out --account and REMINDERS_ACCOUNT; or sign out first, with: "
        + "reminders account sign-out")
  }

  /// Whose data it is or will be: who signed in, else who was named, else the Unix user.
  func account(_ known: SyncAccount) -> AccountID {
    namedAccount(known) ?? paths.cloud.defaultAccount
  }

  /// The same, for what asks the cloud anyway: nobody else knows who its users are.
  func ownAccount(_ known: SyncAccount) throws -> AccountID {
    guard let named = namedAccount(known) else { return try paths.cloud.ownAccount() }
    if named != known.id { try paths.cloud.requireOwn(named) }
    return named
  }

  private func namedAccount(_ known: SyncAccount) -> AccountID? {
    known.isSignedOut ? paths.chosenAccount ?? known.id : known.id ?? paths.chosenAccount
  }

  /// The reminder with an id or the beginning of one, whole.
  func details(_ id: String) throws -> ReminderRow {
    guard let details = try database.details(of: database.reminderID(matching: id)) else {
      throw AppError(.noSuchItem, "The reminder “\(id)” has just been deleted.")
    }
    return details
  }

  /// Ends grace periods that an app has left over, and lets reminders go on that were completed
  /// elsewhere without going on.
  ///
  /// - Returns: How many reminders there were.
  @discardableResult
  func settleCompletions() async throws -> Int {
    let ended = try await database.completeAbandonedGraces(
      begunBy: Date().addingTimeInterval(-Self.gracePatience))
    return try await ended + database.rollOver()
  }

  /// Lets reminders go on before a command reads them, which an app left over when it ended by
  /// force.
  ///
  /// Asking costs nothing, and what cannot be written is shown as it is.
  func settleBeforeReading() async throws {
    let begun = Date().addingTimeInterval(-Self.gracePatience)
    guard try database.fetch(UnsettledSeriesQuery(gracesBegunBy: begun)) else { return }
    _ = try? await settleCompletions()  // Reading goes on where nothing can be written.
  }

  /// Later than a running app does it.
  private static let gracePatience = 2 * TimeInterval(Reminder.gracePeriod.components.seconds)

  /// What commands here did last.
  var undoStack: UndoStack { UndoStack(in: paths.dataDirectory) }

  /// Keeps what takes a write back, and tells people what it did.
  func finish(_ step: UndoStep) throws {
    Messages.write(step.textWhenDone.printable)
    try keep(step)
  }

  /// Keeps what takes a write back.
  func keep(_ step: UndoStep) throws {
    if !step.isEmpty { Output.done.withLock { $0 = step.label } }
    try undoStack.push(step)
  }

  /// Prints reminders that are announced as a JSON array, each with the moment of its alarm.
  func printJSON(_ announcements: [Announcement]) throws {
    try JSONOutput.write { document in
      try document.array { document in
        for announcement in announcements {
          guard let details = try database.details(of: announcement.reminderID) else { continue }
          let moment = announcement.moment.iso8601(offset: time.offset(at: announcement.moment))
          document.element()
          try ReminderJSON(with: [.init("alarmAt") { $2.value(moment) }])
            .write(details, in: time, to: &document)
        }
      }
    }
  }

  /// Prints a reminder: as JSON, or as its line in a list.
  func print(_ id: Reminder.ID, asJSON: Bool) throws {
    try print(details(id), asJSON: asJSON)
  }

  private func print(_ details: ReminderRow, asJSON: Bool) throws {
    if asJSON {
      try JSONOutput.write { try ReminderJSON().write(details, in: time, to: &$0) }
    } else {
      Swift.print(ReminderText(in: time, style: style).line(details))
    }
  }

  /// Prints reminders: as a JSON array, or a line for each.
  func print(_ reminders: [ReminderRow], asJSON: Bool) throws {
    guard asJSON else { return try reminders.forEach { try print($0, asJSON: false) } }
    try printArray { try reminders.forEach($0) }
  }

  /// Prints the reminders that a query finds, as they are read: as a JSON array, or a line for
  /// each.
  func print(_ query: FilterQuery, asJSON: Bool) throws {
    guard !asJSON else { return try printArray { try database.forEach(query, $0) } }
    let text = ReminderText(in: time, style: style)
    var output = Output.buffer()
    var isFirst = true
    try database.forEach(query, withNotes: false) { details in
      let line = text.line(details)
      if isFirst, query.isPreview(details) {
        Messages.write("Nothing is left for today. Tomorrow:")
      }
      isFirst = false
      output.append(query.isPreview(details) ? style.dim(line) : line)
      output.append(UInt8(ascii: "\n"))
      try output.flushIfLong()
    }
    try output.flush()
  }

  /// Prints a JSON array of reminders, as they are read.
  ///
  /// - Parameter forEach: Calls a function with each.
  private func printArray(
    _ forEach: (_ body: (ReminderRow) throws -> Void) throws -> Void
  ) throws {
    try JSONOutput.write { document in
      try document.array { document in
        try forEach { details in
          document.element()
          try ReminderJSON().write(details, in: time, to: &document)
          try document.flushIfLong()
        }
      }
    }
  }
}
