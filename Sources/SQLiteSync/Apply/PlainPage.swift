import GRDB
import SQLiteSyncCloud

/// The records of a page when most of them are new here and nothing but rows, as on a first fetch:
/// those are written table by table instead of one by one.
///
/// What each costs most is the app's own triggers, and of those the number of statements: a search
/// index is flushed at the end of each. So the records are put into a temporary table, and from
/// there into theirs and into the metadata by one statement each.
///
/// The outcome is the same as that of `Applier.apply` for one record after the other, which takes
/// the rest: what is known here, what others wait for, what refers to rows that are not there, and
/// whatever SQLite refuses. Runs of plain records between them are written in their order, so that
/// even the numbers of the records are the same.
struct PlainPage {
  /// Records of one table and with the same columns, none of which depends on another of them.
  struct Segment {
    let table: TableSchema
    let columns: [Int]
    let positions: Range<Int>
  }

  /// The records in their order; nil in place of what is not plain.
  private(set) var records: [PlainRecord?]
  /// Where each record is, by its name.
  private var positions: [String: Int]

  /// Looks at the records of a page, which are in the order in which they are to be applied.
  init(_ page: [(copy: ServerCopy, record: CloudRecord)], in tables: TableOrder) {
    records = page.map { PlainRecord($0.record, tag: $0.copy.tag, in: tables) }
    positions = Dictionary(minimumCapacity: page.count)
    for (position, item) in page.enumerated() { positions[item.record.name] = position }
    // What comes before the record that it refers to waits for that one.
    for (position, record) in records.enumerated() {
      for reference in record?.references ?? [] {
        guard let other = positions[reference], other >= position else { continue }
        records[position] = nil
        records[other] = nil
      }
    }
  }

  /// The records that rows of the page refer to and that are not in it.
  var outside: Set<String> {
    var names: Set<String> = []
    for case let record? in records {
      for reference in record.references where positions[reference] == nil {
        names.insert(reference)
      }
    }
    return names
  }

  /// How many there are.
  var count: Int { records.count { $0 != nil } }

  /// Leaves a record to the merge.
  mutating func leave(_ position: Int) { records[position] = nil }

  /// Leaves the records to the merge that refer to these.
  mutating func leave(referringTo names: Set<String>) {
    guard !names.isEmpty else { return }
    for (position, record) in records.enumerated()
    where record.map({ !names.isDisjoint(with: $0.references) }) ?? false {
      records[position] = nil
    }
  }

  /// The plain records from a position on.
  func run(from start: Int) -> Range<Int> {
    start..<(records[start...].firstIndex { $0 == nil } ?? records.endIndex)
  }

  /// The parts of a run that can be written at once.
  func segments(of run: Range<Int>) -> [Segment] {
    var segments: [Segment] = []
    var start = run.lowerBound
    for position in run {
      guard let record = records[position], let first = records[start] else { continue }
      let parent = record.parent.flatMap { positions[$0.name] }
      guard
        record.table.id != first.table.id || record.columns != first.columns
          || parent.map({ $0 >= start }) ?? false
      else { continue }
      segments.append(
        Segment(table: first.table, columns: first.columns, positions: start..<position))
      start = position
    }
    if let first = records[start] {
      segments.append(
        Segment(table: first.table, columns: first.columns, positions: start..<run.upperBound))
    }
    return segments
  }
}
