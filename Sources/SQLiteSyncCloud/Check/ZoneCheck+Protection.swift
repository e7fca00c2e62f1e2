/// Whether the operating system lets the owner write, and those in whom the zone's share names, and
/// nobody else.
extension ZoneCheck {
  func checkWritability(epoch: Int64) throws {
    guard isOwn else { return }
    for prefix in [layout.log(epoch: epoch), layout.stage] where try !store.canCreate(in: prefix) {
      notes.add(
        .damage, prefix, "Nothing can be written there: nothing of this account can be sent.",
        "Is the disk full, or mounted to be read only? Otherwise its owner lets himself in: "
          + "chmod u+rwx.")
    }
  }

  func checkProtection(_ share: Share?, epoch: Int64) throws {
    guard isOwn, try store.user(of: owner) != nil else { return }
    let protection = try ZoneProtection(share, user: store.user)
    let users = protection.reading.users
    if !users.isEmpty, let refusal = try store.userRefusal(in: layout.zone) {
      notes.add(
        .warning, layout.zone,
        "\(users.count == 1 ? "The user" : "The users") with whom this is shared cannot be let in: "
          + refusal.reason,
        refusal.hint ?? "")
      return
    }
    for (prefix, expected) in protection.directories(of: layout, epoch: epoch) {
      guard let found = try store.access(in: prefix), found != expected else { continue }
      let users = Set(found.users.keys).union(expected.users.keys).sorted()
        .filter { found.users[$0] != expected.users[$0] }.map { "u\($0)" }
      let wrong = users + (found.others == expected.others ? [] : ["everybody"])
      notes.add(
        .warning, prefix,
        "\(wrong.joined(separator: ", ")) may do other things here than the share says.",
        "Synchronize as its owner: then the permissions are set again.")
    }
  }
}
