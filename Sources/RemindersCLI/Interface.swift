import Glibc
import Reminders

/// Shows the app where there is a terminal, and the list of open reminders where there is none.
func openInterface(_ options: GlobalOptions) async throws {
  let session = try Session(options)
  let query = DetailQuery(.all, time: session.time)
  try session.print(session.database.fetch(WholeRemindersQuery(query)), asJSON: false)
}
