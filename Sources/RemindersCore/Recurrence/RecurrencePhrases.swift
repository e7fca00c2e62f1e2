extension Recurrence {
  /// What can be typed, the rule in the words in which it is shown, and when it is due for the
  /// first time, on Saturday 21 November 2026 at 14:32: the table of the README and of the tests.
  public static let examples: [(phrases: [String], rule: String, due: String)] = [
    (["every day", "daily"], "every day", "2026-11-21"),
    (["every weekday", "every mon to fri", "weekdays"], "every weekday", "2026-11-23"),
    (["every mon and thu", "every mon/thu", "weekly on mon, thu"], "every Mon, Thu", "2026-11-23"),
    (["every monday 9am", "at 9am every mon"], "every Mon", "2026-11-23 09:00"),
    (["every 2 weeks on tue", "every other tue"], "every 2 weeks on Tue", "2026-11-24"),
    (
      ["monthly on the last friday", "every last friday", "last friday of every month"],
      "every month on the last Fri", "2026-11-27"
    ),
    (["every 31st", "monthly on the 31st"], "every month on the 31st", "2026-11-30"),
    (
      ["every 24 dec", "every 24.12.", "every 24/12", "yearly on dec 24"], "every year on 24 Dec",
      "2026-12-24"
    ),
    (["every! 3 days", "every ! 3 days"], "every! 3 days", "2026-11-21"),
    (["every+ day"], "every+ day", "2026-11-21"),
    (["every mon starting 7 dec", "every mon from 7 dec"], "every Mon", "2026-12-07"),
    (
      ["every mon until june", "until june every mon"], "every Mon until 30 Jun 2027", "2026-11-23"
    ),
    (["every day 5 times", "every day for 5 times"], "every day 5 times", "2026-11-21"),
  ]

  /// The table in Markdown.
  public static func markdown() -> String {
    let rows = examples.map { phrases, rule, due in
      "| " + phrases.map { "`\($0)`" }.joined(separator: " ") + " | \(rule) | \(due) |\n"
    }
    return "| typed | comes again | for the first time, on Saturday 2026-11-21 at 14:32 |\n"
      + "|---|---|---|\n" + rows.joined()
  }
}
