import GRDB

extension Quarantine {
  /// Why something that was fetched cannot be a row now.
  enum Reason: String, CaseIterable, Sendable {
    /// A record that it refers to is not here yet.
    case missingParent = "waiting"
    /// A local constraint refuses it.
    case refused = "quarantined"
    /// It has no value for a column that must have one: the error is the column's name.
    case missingValue
    /// Another row has what only one may have, by a UNIQUE index: it needs that one to go or
    /// change. Until it is looked into it needs nothing.
    case duplicate
    /// A local constraint refuses to let its row go: it has no image.
    case undeletable
    /// This version of the app has no such table.
    case unknownTable
    /// It does not belong in the zone, and the row that it is of does: somebody put it there who
    /// may not.
    case ignored
    /// It does not belong in the zone by this version of the app, and by another one it does.
    case misplaced

    /// What people are told: that something is to come, or that something is wrong here.
    enum Kind {
      case waiting
      case quarantined
      case silent
    }

    var kind: Kind {
      switch self {
      case .missingParent, .misplaced: .waiting
      case .refused, .missingValue, .duplicate, .undeletable: .quarantined
      // Whole tables can be kept that this version does not know.
      case .unknownTable, .ignored: .silent
      }
    }

    /// Whether an edit of the row may do away with it.
    var endsWithEdit: Bool { kind == .quarantined && self != .duplicate }

    /// Whether it is about a version that is to become a row.
    var isOfVersion: Bool { kind != .silent && self != .undeletable }

    /// Those of which something is true, as a list in SQL.
    static func list(_ isListed: (Reason) -> Bool) -> String {
      "(\(allCases.filter(isListed).map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }
  }
}

extension Quarantine.Reason {
  /// Why a constraint does not take a row of a table.
  ///
  /// - Returns: The reason, and what is kept as its error: a column, or SQLite's message.
  static func of(
    _ error: DatabaseError, in table: TableSchema
  ) -> (reason: Self, detail: String) {
    let message = error.message ?? "\(error)"
    let prefix = "NOT NULL constraint failed: \(table.name)."
    if error.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL, message.hasPrefix(prefix) {
      return (.missingValue, String(message.dropFirst(prefix.count)))
    }
    return (.refused, message)
  }

  /// What the log says of a record that is quarantined.
  func words(_ error: String?) -> String {
    let error = error ?? ""
    return self == .missingValue ? "It has no value for “\(error)”." : error
  }

  /// What apps are told.
  func shown(needs: String?, error: String?) -> SyncWaitingRecord.Reason {
    switch self {
    case .missingParent: .parent(needs ?? "")
    case .refused, .undeletable: .constraint(error ?? "")
    case .missingValue: .value(column: error ?? "")
    case .duplicate: .duplicate(of: needs)
    case .unknownTable, .ignored: .unknownTable
    case .misplaced: .unknownForeignKey
    }
  }
}
