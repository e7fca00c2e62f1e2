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
    /// It does not belong in the zone, and the row that it is of does.
    case ignored

    /// What people are told: that something is to come, or that something is wrong here.
    enum Kind {
      case waiting
      case quarantined
      case silent
    }

    var kind: Kind {
      switch self {
      case .missingParent: .waiting
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
