import GRDB

enum SearchIndex {
  static func create(_ db: Database) throws {}
}
