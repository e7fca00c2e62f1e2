import Foundation

/// Renders events as the lines of a log: a line for each fact, and a table where records are
/// concerned.
public enum SyncLog {
  /// The lines of one event.
  ///
  /// Stable: people read them and scripts may.
  public static func lines(for event: SyncEvent) -> [String] {
    switch event {
    case .started: ["start"]
    case .stopped: ["stop"]
    case .runsElsewhere: ["runsElsewhere: another process synchronizes this database"]
    case .signIn(let account): ["signIn", "  Current user: \(account)"]
    case .signOut(let account): ["signOut", "  Previous user: \(account)"]
    case .accountChanged: ["accountChanged"]
    case .sentDatabaseChanges(let zone, let owner):
      ["sentDatabaseChanges"]
        + table(["action", "zoneName", "ownerName"], [["✔ Saved", zone, owner]])
    case .fetchedDatabaseChanges(let zone, let owner, let change):
      ["fetchedDatabaseChanges"]
        + table(["action", "zoneName", "ownerName"], [[name(of: change), zone, owner]])
    case .rebuiltTables(let names): ["rebuiltTables: \(names.joined(separator: ", "))"]
    case .adopted(let records):
      ["adopted"] + table(["recordType", "recordName"], records.map { [$0.type, $0.name] })
    case .stateUpdate: ["stateUpdate"]
    case .willFetchChanges(let occasion): ["willFetchChanges: \(occasion)"]
    case .didFetchChanges: ["didFetchChanges"]
    case .willSendChanges(let occasion): ["willSendChanges: \(occasion)"]
    case .didSendChanges: ["didSendChanges"]
    case .fetchedRecordZoneChanges(let modified, let deleted, let zone):
      ["fetchedRecordZoneChanges" + place(zone)]
        + table(
          ["action", "recordType", "recordName"],
          modified.map { ["✔ Modified", $0.type, $0.name] }
            + deleted.map { ["⌫ Deleted", $0.type, $0.name] })
    case .nextRecordZoneChangeBatch(let changes, let zone):
      ["nextRecordZoneChangeBatch" + place(zone)]
        + table(
          ["event", "recordType", "recordName"],
          changes.map {
            [$0.isDeletion ? "→ Deleting" : "→ Sending", $0.record.type, $0.record.name]
          })
    case .sentRecordZoneChanges(let saved, let deleted, let failed, let zone):
      ["sentRecordZoneChanges" + place(zone)]
        + sent(saved: saved, deleted: deleted, failed: failed)
    case .merged(let conflicts):
      ["merged"]
        + table(
          ["recordType", "recordName", "kept mine", "kept theirs"],
          conflicts.map {
            [
              $0.record.type, $0.record.name, $0.mine.joined(separator: ", "),
              $0.theirs.joined(separator: ", "),
            ]
          })
    case .revived(let records):
      ["revived"]
        + table(["recordType", "recordName"], records.map { [$0.type, $0.name] })
    case .withdrawn(let records):
      ["withdrawn"]
        + table(["recordType", "recordName"], records.map { [$0.type, $0.name] })
    case .waiting(let record, let needs): ["waiting: \(record.name) needs \(needs)"]
    case .quarantined(let record, let error): ["quarantined: \(record.name): \(error)"]
    case .assetMissing(let name): ["assetMissing: \(name)"]
    case .ignoredCommit(let zone, let number, let reason):
      [
        "ignoredCommit: commit \(number) of \(zone): \(reason)",
        "  a check of the cloud says who made it",
      ]
    case .ignoredRecords(let records):
      ["ignoredRecords"]
        + table(
          ["recordType", "recordName", "author", "reason"],
          records.map { [$0.record.type, $0.record.name, $0.author, $0.reason] })
    case .maintained(let folded, let count):
      [
        "maintained: \(folded ? "folded the log, " : "")"
          + "deleted \(count) \(count == 1 ? "file" : "files")"
      ]
    case .failed(let message, let hint):
      ["failed: \(message)"] + (hint.map { ["  " + $0] } ?? [])
    }
  }

  /// The lines of one event, the first with the time of day in UTC.
  public static func text(for event: SyncEvent, atMilliseconds milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    let time = String(
      format: "%02d:%02d:%02d.%03d", Int(seconds / 3600 % 24), Int(seconds / 60 % 60),
      Int(seconds % 60), Int(milliseconds % 1000))
    return time + "  " + lines(for: event).joined(separator: "\n              ")
  }

  /// Which zone it is about, for the end of a line.
  private static func place(_ zone: SyncEvent.Zone?) -> String {
    zone.map { ": \($0.name), \($0.sharedBy.map { "shared by \($0)" } ?? "private")" } ?? ""
  }

  private static func name(of change: SyncEvent.ZoneChange) -> String {
    switch change {
    case .deleted: "⌫ Deleted"
    case .expired: "↻ Expired"
    case .followed: "+ Followed"
    case .rebuilt: "↻ Rebuilt"
    case .ended: "− Ended"
    }
  }

  private static func sent(
    saved: [SyncEvent.Record], deleted: [SyncEvent.Record], failed: [SyncEvent.Failure]
  ) -> [String] {
    let rows =
      saved.map { ["✔ Saved", $0.type, $0.name] } + deleted.map { ["⌫ Deleted", $0.type, $0.name] }
    guard !failed.isEmpty else {
      return table(["action", "recordType", "recordName"], rows)
    }
    return table(
      ["action", "recordType", "recordName", "error"],
      rows.map { $0 + [""] }
        + failed.map {
          [
            $0.isDeletion ? "✘ Delete failed" : "✘ Save failed", $0.record.type, $0.record.name,
            $0.error.label,
          ]
        })
  }

  /// A table in box-drawing characters.
  ///
  /// Columns are padded by scalars: names are ASCII, and there may be thousands of them.
  static func table(_ header: [String], _ rows: [[String]]) -> [String] {
    guard !rows.isEmpty else { return [] }
    var widths = header.map(\.unicodeScalars.count)
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], cell.unicodeScalars.count)
      }
    }
    func line(_ left: String, _ fill: String, _ middle: String, _ right: String) -> String {
      left + widths.map { String(repeating: fill, count: $0 + 2) }.joined(separator: middle) + right
    }
    let length = widths.reduce(0, +) * 2
    func row(_ cells: [String], _ rule: String) -> String {
      var line = rule
      line.reserveCapacity(length)
      for (cell, width) in zip(cells, widths) {
        line += " "
        line += cell
        for _ in cell.unicodeScalars.count...width { line += " " }
        line += rule
      }
      return line
    }
    return [line("┏", "━", "┳", "┓"), row(header, "┃"), line("┡", "━", "╇", "┩")]
      + rows.map { row($0, "│") } + [line("└", "─", "┴", "┘")]
  }
}
