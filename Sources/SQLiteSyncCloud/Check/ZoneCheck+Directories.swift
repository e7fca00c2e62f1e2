/// What lies in the place of a directory of the zone, so that nothing can be read or written there.
extension ZoneCheck {
  /// Whether something does among these names.
  func isBlocked(
    in prefix: StorePrefix, where isDirectory: (_ name: String) -> Bool
  ) throws -> Bool {
    let entries = try store.list(prefix, after: nil, limit: .max) { isDirectory($0) }
    // In a bucket there may be both of one name.
    let directories = Set(entries.filter { $0.kind == .directory }.map(\.name))
    let strangers = entries.filter { !directories.contains($0.name) }
    for entry in strangers {
      let key = StoreKey(prefix, listed: entry)
      notes.add(
        isOwn || isFollowed ? .damage : .note, key,
        "Something else is in the place of a directory.", advice(on: entry),
        repair: !isOwn ? nil : entry.isRegular ? .clear(key, in: layout) : .remove(key))
    }
    return !strangers.isEmpty
  }

  private func advice(on stranger: StoreEntry) -> String {
    if !isOwn { return "Its owner can move it away, or let a repair do that." }
    return stranger.isRegular
      ? "A repair moves it into the zone's `quarantine`."
      : "It is a link, or something else without bytes: a repair removes it."
  }
}
