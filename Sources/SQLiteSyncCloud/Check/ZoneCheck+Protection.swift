/// Whether the store lets the owner write, and those in whom the zone's share names, and nobody
/// else.
extension ZoneCheck {
  func checkWritability(epoch: Int64) throws {
    guard isOwn else { return }
    let users = store.accessControl
    for prefix in [layout.log(epoch: epoch), layout.stage] where try !users.canCreate(in: prefix) {
      notes.add(
        .blocked, prefix, "Nothing can be written there: nothing of this account can be sent.",
        "Is the disk full or mounted to be read only, the server one that only copies another? In "
          + "a directory its owner lets himself in: chmod u+rwx.")
    }
  }

  func checkProtection(_ share: Share?, of zone: ZoneID, epoch: Int64) throws {
    let users = store.accessControl
    guard isOwn, try users.user(of: owner) != nil else { return }
    let protection = try ZoneProtection(share, user: users.user)
    let readers = protection.reading.users
    if !readers.isEmpty, let refusal = try users.userRefusal(in: layout.zone) {
      let who = readers.count == 1 ? "The user" : "The users"
      notes.add(
        .warning, layout.zone,
        "\(who) with whom this is shared cannot be let in: \(refusal.reason)",
        refusal.hint ?? "")
      return
    }
    for (prefix, expected) in protection.directories(of: layout, epoch: epoch) {
      guard let found = try users.access(in: prefix), found != expected else { continue }
      let people = try Set(found.users.keys).union(expected.users.keys)
        .filter { found.users[$0] != expected.users[$0] }
        // Numbers by their size.
        .sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
        .map { "\(try users.account(of: $0))" }
      let wrong = people + (found.others == expected.others ? [] : ["everybody"])
      let whatTheyMayDo = found.keepsOut(expected) ? "less" : "other things"
      notes.add(
        .warning, prefix,
        "\(wrong.joined(separator: ", ")) may do \(whatTheyMayDo) here than the share says.",
        share == nil
          ? "Synchronize as its owner: then the permissions are set again."
          : "Synchronize as its owner, or let a repair do it: then the permissions are set again.",
        repair: share == nil ? nil : .protect(zone))
    }
  }
}

extension StoreAccess {
  /// Whether nobody may do more by it than by another one.
  fileprivate func keepsOut(_ other: StoreAccess) -> Bool {
    let people = Set(users.keys).union(other.users.keys)
    return others.rawValue <= other.others.rawValue
      && people.allSatisfy { user in
        (users[user] ?? others).rawValue <= (other.users[user] ?? other.others).rawValue
      }
  }
}
