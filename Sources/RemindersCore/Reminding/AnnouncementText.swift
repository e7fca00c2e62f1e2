extension Announcement {
  /// When it is or was due, in words: `due today 18:00`, `5 days late`; nil for whenever.
  public func dueText(in time: LocalTime) -> String? {
    due.map { due in
      let days = due.day(in: time).number - time.today.number
      return days < 0 ? due.distanceText(in: time) : "due \(due.relativeText(in: time))"
    }
  }

  /// When it is due and in which list: `due today 18:00 · Family`.
  public func body(in time: LocalTime) -> String {
    [dueText(in: time), list.isEmpty ? nil : list]
      .compactMap(\.self).joined(separator: " · ")
  }

  /// In one line: `Call the plumber · due today 18:00 · Family`.
  public func line(in time: LocalTime) -> String {
    let body = body(in: time)
    return body.isEmpty ? title.oneLine : "\(title.oneLine) · \(body)"
  }

  /// Several in few words.
  public static func summary(
    _ announcements: [Announcement], in time: LocalTime
  ) -> (title: String, body: String) {
    let titles = announcements.suffix(mostTitles).reversed().map { "“\($0.title.oneLine)”" }
    let others = announcements.count - titles.count
    return (
      "\(announcements.count) reminders are due",
      (titles + (others > 0 ? ["and \(others) more"] : [])).joined(separator: ", ")
    )
  }

  private static let mostTitles = 5
}
