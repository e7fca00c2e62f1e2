import GRDB
import SQLiteSync

/// The versions of the schema.
///
/// The app can be run with an earlier one on purpose, to see how an old app and a new one get on.
/// What a version lacks, `AppTable` and `ReminderField` say: queries, forms and commands leave it
/// out.
public enum SchemaVersion: Int, CaseIterable, Comparable, Sendable {
  /// Lists, reminders and tags.
  case lists = 1
  /// With links and cover images.
  case linksAndCovers = 2
  /// With completion times, recurrence, subtasks, alarms, saved searches and what each person made
  /// of the order of lists.
  case everyDay = 3

  /// The one that the app is made for.
  public static let current = SchemaVersion.everyDay

  /// The earlier is the smaller.
  public static func < (one: SchemaVersion, other: SchemaVersion) -> Bool {
    one.rawValue < other.rawValue
  }

  /// The tables to synchronize, parents before children.
  public var synchronizedTables: [any TableRecord.Type] {
    let names = tables.map(\.name)
    return AppDatabase.synchronizedTables.filter { names.contains($0.databaseTableName) }
  }

  /// The tables that are synchronized and never shared.
  public var privateTables: [any TableRecord.Type] {
    let names = tables.map(\.name)
    return AppDatabase.privateTables.filter { names.contains($0.databaseTableName) }
  }

  /// The tables that it has.
  var tables: [AppTable] { AppTable.allCases.filter { $0.since <= self } }

  /// The fields of a reminder that it has.
  public var fields: [ReminderField] { ReminderField.all.filter { $0.since <= self } }

  /// Those that are columns.
  var columnFields: [ReminderField] { fields.filter { $0 != .tags && $0 != .alarms } }

  /// The columns of `reminders` besides its fields.
  var ownColumns: [String] {
    Reminder.ownColumns.filter { $0.since <= self }.map(\.column)
  }

  /// Those in which words are looked for.
  var searchedFields: [ReminderField] { fields.filter(\.isSearched) }

  /// Whether it is known when reminders were completed.
  public var hasCompletionTimes: Bool { self >= .everyDay }

  /// Whether searches can be saved.
  public var hasSavedSearches: Bool { tables.contains(.savedSearches) }

  /// Whether each person has an order of the lists, and of each list, of their own.
  public var hasListViews: Bool { tables.contains(.listViews) }

  /// Whether lists have covers.
  public var hasCovers: Bool { tables.contains(.remindersListAssets) }

  /// Those of the columns that it has.
  ///
  /// - Throws: `AppError` when a value would have no place.
  func known(_ columns: RowChange.Columns, of table: AppTable) throws -> RowChange.Columns {
    guard table.since <= self else {
      switch table {
      case .remindersListAssets: throw lacks("cover images")
      case .savedSearches: throw lacks("saved searches")
      case .listViews: throw lacks("views of lists")
      default: throw lacks("alarms")
      }
    }
    var columns = columns
    for field in ReminderField.all where table == .reminders && field.since > self {
      guard columns.removeValue(forKey: field.column)?.isNull ?? true else {
        throw lacks(field.plural)
      }
    }
    return columns
  }

  func lacks(_ what: String) -> AppError {
    AppError(
      .invalidInput, "Schema \(rawValue) has no \(what).",
      hint: "Run the app without --schema to have them.")
  }
}

extension Database {
  /// The version of the schema that the file has: the last of which nothing is missing.
  var schemaVersion: SchemaVersion {
    get throws {
      let columns = Set(try columns(in: Reminder.databaseTableName).map(\.name))
      // At once: to ask for each would read the schema as often, before every query.
      let tables = try String.fetchSet(
        cachedStatement(sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
      return SchemaVersion.allCases.last { version in
        version.tables.allSatisfy { tables.contains($0.name) }
          && columns.isSuperset(of: version.ownColumns)
          && version.columnFields.allSatisfy { columns.contains($0.column) }
      } ?? .lists
    }
  }
}
