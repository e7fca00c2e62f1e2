import ArgumentParser
import Foundation
import Reminders

/// What a command works with: the places, the database, and the present moment.
struct Session {
  let places: Places
  let database: AppDatabase
  let time: LocalTime
  let style: TextStyle

  init(_ options: GlobalOptions) throws {
    try self.init(options.places, color: options.colorChoice)
  }

  init(_ options: PlaceOptions, color: ColorChoice = .auto) throws {
    places = try Places(options)
    database = try AppDatabase(
      directory: places.dataDirectory, schema: options.schema ?? .current)
    time = LocalTime(now: Date())
    style = TextStyle(color)
  }

  /// The reminder with an id or the beginning of one, whole.
  func details(_ id: String) throws -> ReminderDetails {
    guard let details = try database.fetch(ReminderQuery(database.reminderID(matching: id)))
    else {
      throw Failure(.noSuchItem, "The reminder “\(id)” has just been deleted.")
    }
    return details
  }

  /// Prints a reminder: as JSON, or as its line in a list.
  func print(_ id: Reminder.ID, asJSON: Bool) throws {
    let details = try details(id)
    if asJSON {
      try JSONOutput.print(ReminderJSON(details, in: time))
    } else {
      Swift.print(ReminderText(details, in: time, style: style).line)
    }
  }

  /// Prints reminders: as a JSON array, or a line for each.
  func print(_ reminders: [ReminderDetails], asJSON: Bool) throws {
    if asJSON {
      try JSONOutput.print(reminders.map { ReminderJSON($0, in: time) })
    } else {
      for details in reminders {
        Swift.print(ReminderText(details, in: time, style: style).line)
      }
    }
  }
}
