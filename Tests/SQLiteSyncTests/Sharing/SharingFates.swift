import SQLiteSyncCloud

/// What people did to rows in a schedule of sharing: from that follows which rows are there in the
/// end, with which titles, and which are not.
///
/// Where not everybody may write, or clocks are wrong, only this is known: what is one person's
/// alone stays, and what it was ever in, unless somebody deleted one of them. Otherwise:
///
/// - *What stays*: a row is gone only if somebody deleted it, or the list into which it was put
///   last. Not so what is in a row that was ever put elsewhere: it may have been taken from those
///   who wrote it; nor what is not one person's alone, and was put elsewhere by another device than
///   deleted the list it was in; nor what is in a row that was put elsewhere after the list it was
///   in had been deleted: that came back, alone.
/// - *What goes*: a row that somebody deleted is gone, unless somebody wrote into it, or into
///   something in it, later. Not so what was ever put elsewhere, as who took it home keeps it; nor
///   a list into which others wrote, and what another device wrote into last that was deleted with
///   its list, as they keep what they have not sent where a zone ends; nor a list into which
///   something was ever put that came back, nor what is in that, which moves along.
///
/// - *What it says*: the title that somebody wrote last. Not so what was ever put elsewhere or
///   deleted, nor what is in that, of which others may know nothing any more.
///
/// What only one person ever wrote, in lists of theirs, may be put wherever they like; and what is
/// only theirs on it, such as tags, stays on it.
///
/// Every write has a moment of its own.
struct SharingFates {
  private let allMayWrite: Bool
  private var owners: [String: AccountID] = [:]
  /// In which row each row was put last.
  private var parents: [String: String] = [:]
  /// In which rows each row was ever put.
  private var everyParent: [String: Set<String>] = [:]
  private var moved: Set<String> = []
  /// Who wrote into a row, or owned a list that it was in.
  private var people: [String: Set<AccountID>] = [:]
  /// Lists into which others than their owners wrote.
  private var joint: Set<String> = []
  /// Rows of a list that somebody deleted who had only been let in, and those that may be unsent.
  private var left: Set<String> = []
  private var writers: [String: Int] = [:]
  private var titles: [String: String] = [:]
  /// The reminders that tags are on.
  private var tagged: [String: String] = [:]
  private var writtenAt: [String: Int] = [:]
  private var deletedAt: [String: Int] = [:]
  /// Which devices deleted a row, and which put it where it is.
  private var deleters: [String: Set<Int>] = [:]
  private var placers: [String: Int] = [:]
  private var placedAt: [String: Int] = [:]
  private var moment = 0

  init(allMayWrite: Bool) {
    self.allMayWrite = allMayWrite
  }

  /// Somebody made a list.
  mutating func makes(list: String, _ title: String, by device: SharingDevice) {
    owners[list] = device.account
    writes(title, into: list, by: device)
  }

  /// Somebody put a row into another one, which was in others where they did, new or not.
  mutating func puts(
    _ row: String, into parent: String, in others: [String] = [], title: String? = nil,
    by device: SharingDevice
  ) {
    if parents.updateValue(parent, forKey: row) != nil { moved.insert(row) }
    everyParent[row, default: []].insert(parent)
    placers[row] = device.number
    if let owner = owners[parent] { people[row, default: []].insert(owner) }
    writes(title, into: row, in: [parent] + others, by: device)
    placedAt[row] = moment
  }

  /// Somebody wrote a title, or something else, into a row, which was in others where they did.
  mutating func writes(
    _ title: String?, into row: String, in others: [String] = [], by device: SharingDevice
  ) {
    moment += 1
    titles[row] = title ?? titles[row]
    for row in [row] + others {
      writtenAt[row] = moment
      writers[row] = device.number
      people[row, default: []].insert(device.account)
      if isOthers(row, than: device.account) { joint.insert(row) }
    }
  }

  /// Somebody put a tag on a reminder, for themselves.
  mutating func tags(_ row: String, with tag: String, in others: [String], by device: SharingDevice)
  {
    tagged[tag] = row
    writes(nil, into: row, in: others, by: device)
  }

  /// Somebody deleted rows.
  mutating func deletes(_ rows: Set<String>, by device: SharingDevice) {
    moment += 1
    for row in rows {
      deletedAt[row] = moment
      deleters[row, default: []].insert(device.number)
    }
    if rows.contains(where: { isOthers($0, than: device.account) }) { left.formUnion(rows) }
    if rows.contains(where: { owners[$0] != nil }) {
      left.formUnion(rows.filter { writers[$0] != device.number })
    }
  }

  private func isOthers(_ list: String, than account: AccountID) -> Bool {
    owners[list].map { $0 != account } ?? false
  }

  // MARK: - What follows

  /// What of the rows that were made is there, or is not, and should be otherwise.
  ///
  /// - Parameters:
  ///   - made: The keys of all rows, in the order of their making.
  ///   - there: Those that are there, with what they say, on whichever device.
  ///   - tags: The tags that are there.
  func findings(made: [String], there: [String: Set<String>], tags: Set<String>) -> [String] {
    let back = writtenAgain(made)
    return made.compactMap { row in
      guard let titles = there[row] else {
        let isLost = allMayWrite ? isLost(row) : isOwnToStay(row)
        return isLost ? "\(row) is gone, and nobody deleted it" : nil
      }
      guard allMayWrite else { return nil }
      if isToStayDeleted(row, back: back) { return "\(row) was deleted, and is back" }
      guard isUntouched(row), let title = self.titles[row], titles != [title] else { return nil }
      return "\(row) is \(titles), not \(title)"
    } + (allMayWrite ? lostTags(there: Set(there.keys), tags) : [])
  }

  /// The rows into which, or into something in which, somebody wrote after they were deleted.
  private func writtenAgain(_ made: [String]) -> Set<String> {
    var latest = writtenAt
    // Children were made after their parents.
    for row in made.reversed() {
      for place in places(of: row) { latest[place] = max(latest[place] ?? 0, latest[row] ?? 0) }
    }
    return Set(made.filter { row in deletedAt[row].map { latest[row] ?? 0 > $0 } ?? false })
  }

  private func isLost(_ row: String) -> Bool {
    let others = (everyParent[row] ?? []).flatMap { deleters[$0] ?? [] }
    return deletedAt[row] == nil && (isOwn(row) || others.allSatisfy { $0 == placers[row] })
      && places(of: row).dropFirst().allSatisfy {
        deletedAt[$0] == nil && !mayBeTaken($0) && !isTakenOutOfDeleted($0)
      }
  }

  /// Whether a row was put where it is after something that it was in had been deleted.
  private func isTakenOutOfDeleted(_ row: String) -> Bool {
    (everyParent[row] ?? []).contains { deletedAt[$0].map { $0 < placedAt[row] ?? 0 } ?? false }
  }

  /// Whether a row and all that it was ever in are one person's alone, and nobody deleted them.
  private func isOwnToStay(_ row: String) -> Bool {
    deletedAt[row] == nil && isOwn(row) && (everyParent[row] ?? []).allSatisfy(isOwnToStay)
  }

  private func isToStayDeleted(_ row: String, back: Set<String>) -> Bool {
    let places = places(of: row)
    return deletedAt[row] != nil && !joint.contains(row) && left.isDisjoint(with: places)
      && back.isDisjoint(with: places) && !places.contains(where: mayBeTaken)
      && back.allSatisfy { everyParent[$0]?.contains(row) != true }
  }

  /// Whether a row and what it is in were never deleted, nor put where others may lose them.
  private func isUntouched(_ row: String) -> Bool {
    places(of: row).allSatisfy { deletedAt[$0] == nil && !mayBeTaken($0) }
  }

  private func lostTags(there: Set<String>, _ tags: Set<String>) -> [String] {
    tagged.filter { tag, row in
      !tags.contains(tag) && there.contains(row) && isOwn(row) && isUntouched(row)
    }.map { "\($1) has lost its tag \($0)" }.sorted()
  }

  /// Whether a row was put elsewhere, and is not one person's alone.
  private func mayBeTaken(_ row: String) -> Bool { moved.contains(row) && !isOwn(row) }

  /// Whether only one person had to do with a row, and with all that it was ever in.
  private func isOwn(_ row: String) -> Bool {
    let places = everyParent[row] ?? []
    return places.union([row]).reduce(into: Set()) { $0.formUnion(people[$1] ?? []) }.count == 1
  }

  /// A row, and what it was put into last.
  private func places(of row: String) -> [String] {
    Array(sequence(first: row) { parents[$0] })
  }
}
