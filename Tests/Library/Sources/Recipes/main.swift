// A recipe book on the command line:
//
//     swift run Recipes add "Pancakes" "Flour, milk, eggs"
//     swift run Recipes list
//     swift run Recipes cooked "Pancakes"
//     swift run Recipes remove "Pancakes"
//     swift run Recipes undelete
//     swift run Recipes log
//
// RECIPES is the database and RECIPES_CLOUD the directory that all devices can reach.

import Foundation
import GRDB
import SQLiteSync

struct Recipe: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "recipes"
  var id = UUID().uuidString.lowercased()
  var title: String
  var ingredients: String
}

struct Cooking: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "cookings"
  var id = UUID().uuidString.lowercased()
  var recipeID: String
  var date = Date()
}

func fail(_ text: String) -> Never {
  FileHandle.standardError.write(Data((text + "\n").utf8))
  exit(1)
}

func path(_ variable: String) -> String {
  guard let path = ProcessInfo.processInfo.environment[variable] else {
    fail("\(variable) is not set.")
  }
  return path
}

func open() throws -> DatabasePool {
  let database = try DatabasePool(path: path("RECIPES"), configuration: .synchronized)
  var migrator = DatabaseMigrator()
  migrator.registerMigration("1") { db in
    try db.execute(
      sql: """
        CREATE TABLE recipes (
          id TEXT PRIMARY KEY NOT NULL,
          title TEXT NOT NULL,
          ingredients TEXT NOT NULL DEFAULT ''
        ) STRICT;
        CREATE TABLE cookings (
          id TEXT PRIMARY KEY NOT NULL,
          recipeID TEXT NOT NULL REFERENCES recipes (id) ON DELETE CASCADE,
          date TEXT NOT NULL
        ) STRICT;
        CREATE INDEX cookingsOfRecipe ON cookings (recipeID);
        """)
  }
  try migrator.migrate(database)
  return database
}

func recipe(_ title: String, _ db: Database) throws -> Recipe {
  guard let recipe = try Recipe.filter(Column("title") == title).fetchOne(db) else {
    fail("There is no recipe “\(title)”.")
  }
  return recipe
}

func list(_ db: Database) throws {
  let rows = try Row.fetchAll(
    db,
    sql: """
      SELECT title, ingredients, count(cookings.id) AS times,
        \(SyncEngine.hasPendingChange(table: "recipes", key: "recipes.id")) AS isPending
      FROM recipes LEFT JOIN cookings ON recipeID = recipes.id
      GROUP BY recipes.id ORDER BY title
      """)
  for row in rows {
    let (title, ingredients): (String, String) = (row["title"], row["ingredients"])
    let (times, isPending): (Int, Bool) = (row["times"], row["isPending"])
    print("\(isPending ? "↑" : " ") \(title): \(ingredients); cooked \(times) times")
  }
}

/// The last recipe that was deleted on any device comes back, with its cookings.
func undelete(_ db: Database) throws {
  guard let last = try SyncHistory.deletedRows(db, of: "recipes", limit: 1).first else {
    fail("No recipe was deleted.")
  }
  try SyncHistory.restore(last.id, in: db)
}

func run(_ arguments: [String], _ database: DatabasePool) async throws {
  switch (arguments.first, arguments.count) {
  case ("add", 2), ("add", 3):
    let new = Recipe(title: arguments[1], ingredients: arguments.count > 2 ? arguments[2] : "")
    try await database.write { try new.insert($0) }
  case ("cooked", 2):
    try await database.write { db in
      try Cooking(recipeID: recipe(arguments[1], db).id).insert(db)
    }
  case ("remove", 2):
    try await database.write { db in _ = try recipe(arguments[1], db).delete(db) }
  case ("undelete", 1): try await database.write(undelete)
  case ("list", 1), ("log", 1): break
  default: fail("usage: Recipes add|cooked|remove <title>, list, undelete, log")
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let database = try open()
let engine = try SyncEngine(
  for: database, tables: [Recipe.self, Cooking.self],
  cloud: URL(filePath: path("RECIPES_CLOUD")), startImmediately: false,
  logger: arguments == ["log"] ? .standardError : .off)
try await run(arguments, database)
do {
  try await engine.syncChanges()
} catch let error as CloudError {
  // What was written is kept, and sent the next time.
  FileHandle.standardError.write(Data("Not synchronized: \(error.reason)\n".utf8))
}
if arguments == ["list"] { try database.read(list) }
engine.stopAndWait()
