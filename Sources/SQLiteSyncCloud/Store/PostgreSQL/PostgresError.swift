import Foundation

/// Why a database did not do as asked.
enum PostgresError: Error {
  /// libpq is not on this machine.
  case noLibrary
  /// libpq does not understand the address, or what the environment says beside it.
  case misread(String)
  /// No connection was made.
  ///
  /// - Parameters:
  ///   - needsPassword: Whether the server asked for a password and there was none.
  ///   - password: Where a password comes from.
  case refused(String, needsPassword: Bool, password: String)
  /// The connection went away.
  case lost(String)
  /// The server was silent for so many seconds.
  case silent(Int64)
  /// The server refused a command with an error of SQL.
  ///
  /// - Parameter endsConnection: Whether it closed the connection with that. Then it is not known
  ///   what became of the command.
  case server(state: String, message: String, endsConnection: Bool)
  /// The tables and functions of a cloud are not there, or not all of them.
  case noSchema(String)
  /// A later version of this program has made them.
  case newerSchema(Int64)
  /// The answer is not one to the question.
  case nonsense

  /// Whether a command that was sent may have been carried out all the same.
  var leavesOutcomeOpen: Bool {
    switch self {
    case .lost, .silent, .nonsense: true
    // `statement_completion_unknown`, and the class of broken connections.
    case .server(let state, _, let endsConnection):
      endsConnection || state == "40003" || state.hasPrefix("08")
    default: false
    }
  }

  /// Whether the connection is of no use any more.
  var endsConnection: Bool {
    switch self {
    case .lost, .silent, .nonsense, .noSchema, .newerSchema: true
    case .server(_, _, let endsConnection): endsConnection
    default: false
    }
  }

  /// Errors that say that a table, a column or a function is not there.
  private static let ofSchema: Set<String> = ["3F000", "42P01", "42703", "42883"]

  /// Whether a function is not there, as in a database that an earlier version has set up.
  var isOfMissingFunction: Bool {
    if case .server("42883", _, _) = self { true } else { false }
  }

  /// The same, as what it says about the schema.
  var ofSchema: PostgresError {
    guard case .server(let state, let message, _) = self, Self.ofSchema.contains(state) else {
      return self
    }
    return .noSchema(message)
  }
}

extension PostgresError {
  /// What the functions of the schema raise where something must stay.
  static let mustStay = "SQ001"
  /// What setting up raises where somebody else has made a part of the cloud.
  static let isForeign = "SQ002"
  /// What giving an account to a role raises that does not exist.
  static let isNoRole = "SQ003"
  /// What it raises where the account is another role's, or the role has another account.
  static let isGiven = "SQ004"

  /// The error of a call as the caller of the cloud gets it.
  func cloudError(_ action: String, _ path: String, place: String) -> CloudError {
    switch self {
    case .noLibrary:
      CloudError(
        .accountTemporarilyUnavailable,
        "\(place) cannot be reached: the library \(PostgresLibrary.fileName) is missing.",
        hint: "On Debian, install the package libpq5.")
    case .misread(let reason):
      CloudError(
        .badContainer, "\(place) cannot be used: \(reason)",
        hint: PostgresAddress.example + " Variables such as PGPORT and service files count, too.")
    case .refused(let reason, let needsPassword, let password):
      Self.cloudError(
        "\(place) cannot be reached: \(reason)",
        needsPassword ? Self.noPassword : Self.refusal(for: reason, password: password))
    case .lost(let reason):
      CloudError(
        .networkUnavailable, "\(place) cannot be reached: \(reason)",
        hint: "Nothing is lost; it is tried again.")
    case .silent(let seconds):
      CloudError(
        .networkUnavailable,
        "\(place) cannot be reached: The server has not answered for \(seconds) seconds.",
        hint: "Nothing is lost; it is tried again.")
    case .nonsense:
      CloudError(
        .networkUnavailable, "\(action) \(path): \(place) gave a strange answer.",
        hint: "It is tried again.")
    case .noSchema(let reason):
      CloudError(
        .accountTemporarilyUnavailable, "\(place) is not set up as a cloud: \(reason)",
        hint: "Whoever administers the database sets it up (PostgresStore.makeSchema()), as a role "
          + "that may make schemas: what is missing is added, and what is there stays.")
    case .newerSchema(let version):
      CloudError.newerFormat("The tables of \(place) are of format \(version)")
    case .server(let state, let message, _):
      Self.cloudError("\(action) \(path)", state: state, message, place: place)
    }
  }

  /// An error of SQL: see https://www.postgresql.org/docs/15/errcodes-appendix.html.
  private static func cloudError(
    _ action: String, state: String, _ message: String, place: String
  ) -> CloudError {
    switch state {
    case "42501":
      CloudError(
        .permissionFailure, "\(action): \(place) refuses it: \(message).",
        hint: "The owner can allow it; who may use the cloud at all, the database says.")
    case "25006":
      CloudError(
        .permissionFailure, "\(action): \(place) can only be read.",
        hint: "It is a standby, or this role may not write.")
    case isForeign:
      CloudError(
        .permissionFailure, "\(action): \(message).",
        hint: "Whoever owns it can read and change everything: look at who made it, and remove it, "
          + "as with DROP SCHEMA sqlitesync CASCADE; then set the cloud up.")
    case isNoRole:
      CloudError(
        .invalidArguments, "\(action): \(message).",
        hint: "Make it first, as with createuser; or look at how it is spelled.")
    case isGiven:
      CloudError(
        .invalidArguments, "\(action): \(message).",
        hint: "A role has one account, and an account one role: give another.")
    case mustStay:
      CloudError(.permissionFailure, "\(action): \(message).")
    // What the server cannot do, or setting up refuses: nothing that time mends.
    case "0A000":
      CloudError(
        .accountTemporarilyUnavailable, "\(action): \(place) cannot do it: \(message).")
    case "53100", "53400":
      CloudError(
        .quotaExceeded, "\(action): no space is left on \(place).",
        hint: "Free some space on the server's disk.")
    case "XX001", "XX002", "58030":
      CloudError.damaged("\(action): \(place) cannot read its own files: \(message).")
    default:
      CloudError(
        .networkUnavailable, "\(action): \(place) answered with error \(state): \(message).",
        hint: "It is tried again.")
    }
  }

  // MARK: - Nobody is let in

  /// What it means that no connection was made, and what can be done.
  private typealias Refusal = (code: CloudError.Code, hint: String)

  private static func cloudError(_ reason: String, _ refusal: Refusal) -> CloudError {
    CloudError(refusal.code, reason, hint: refusal.hint)
  }

  private static let noPassword: Refusal = (
    .notAuthenticated,
    "Nobody is asked for a password here: put it into ~/.pgpass, or into PGPASSWORD."
  )

  private static let encryption: Refusal = (
    .networkUnavailable, "See sslmode, sslrootcert and sslcert in the documentation of libpq."
  )

  /// By what libpq or the server says: there is no code in it.
  ///
  /// A server that speaks another language gets the last one.
  private static func refusal(for reason: String, password: String) -> Refusal {
    let known: [(text: String, Refusal)] = [
      (
        "too many connections",
        (.networkUnavailable, "Others have all that the server allows; it is tried again.")
      ),
      (
        "authentication failed for user",
        (.notAuthenticated, "The password was taken from \(password).")
      ),
      ("certificate", encryption),
      ("does not support SSL", encryption),
      (
        "translate host name",
        (.networkUnavailable, "Is the name of the host right, and is there a network?")
      ),
      (
        "Connection refused",
        (.networkUnavailable, "Does the server run, and does it listen there?")
      ),
      (
        "No such file or directory",
        (.networkUnavailable, "Does the server run, and is that the directory of its socket?")
      ),
      (
        "pg_hba.conf",
        (
          .notAuthenticated, "The file pg_hba.conf of the server says who may connect from where."
        )
      ),
      (
        "not permitted to log in",
        (.notAuthenticated, "Whoever administers the server allows it: ALTER ROLE … LOGIN.")
      ),
      (
        "permission denied for database",
        (.notAuthenticated, "Whoever administers the server allows it: GRANT CONNECT.")
      ),
      (
        "role \"",
        (
          .notAuthenticated,
          "An address says who logs in, as postgres://ann@… does; whoever administers the server "
            + "makes the role: createuser."
        )
      ),
      (
        "does not exist",
        (
          .accountTemporarilyUnavailable,
          "Whoever administers the server makes the database: createdb."
        )
      ),
    ]
    return known.first { reason.contains($0.text) }?.1
      ?? (.networkUnavailable, "Nothing is lost; it is tried again.")
  }
}
