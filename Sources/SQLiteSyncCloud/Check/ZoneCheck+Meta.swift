extension ZoneCheck {
  /// Reads the zone's `meta` log; nil when it has no beginning, or needs a newer version.
  ///
  /// - Parameter hasLogs: Whether there are logs.
  func checkMeta(hasLogs: Bool) throws -> (ZoneID, ZoneManifest)? {
    let folder = try folder(layout.meta) { ZoneLayout.number(inFileName: $0.name) != nil }
    let isAlone = !hasLogs && folder.expected.isEmpty
    guard let (zone, first) = try checkFirstEntry(isAlone: isAlone) else { return nil }
    var manifest = first
    for entry in folder.expected.dropFirst() {
      let number = manifest.number + 1
      guard ZoneLayout.number(inFileName: entry.name) == number else {
        if try isJunk(entry) { continue }
        notes.add(
          .damage, layout.metaEntry(number),
          "The entry is missing, and later ones are there, which nobody reads therefore.",
          "Restore it from a backup.")
        break
      }
      guard let bytes = try readEntry(number) else { return nil }
      manifest.append(bytes)
      if let reason = manifest.voids[number] {
        notes.add(
          .warning, layout.metaEntry(number), "The entry changes nothing, for anybody: \(reason).",
          "If it was altered, restore it from a backup.")
      }
    }
    return (zone, manifest)
  }

  /// The entry that creates the zone, and names it.
  private func checkFirstEntry(isAlone: Bool) throws -> (ZoneID, ZoneManifest)? {
    let key = layout.metaEntry(1)
    guard let bytes = try readEntry(1, isAlone: isAlone) else { return nil }
    do {
      guard case .zoneCreated(let name, _) = try MetaEntry.read(SealedFile(bytes)).kind else {
        throw FormatError("it does not create a zone")
      }
      let zone = ZoneID(name: name, owner: owner)
      guard ZoneLayout(zone) == layout else {
        throw FormatError("it creates the zone \(name), which belongs in another directory")
      }
      return (zone, try ZoneManifest(first: bytes, zone: zone))
    } catch {
      notes.add(
        .damage, key, "It is not the beginning of a zone: \(error).",
        "Restore it from a backup; without it nobody can read the zone.")
      return nil
    }
  }

  /// Whether a file that lies after the end is none of the zone's: nobody reads it.
  private func isJunk(_ entry: StoreEntry) throws -> Bool {
    let key = StoreKey(layout.meta, listed: entry)
    guard let bytes = try store.read(key, limit: CloudLimits.metaBytes + 1).map(Array.init),
      MetaEntry.version(bytes) ?? 0 <= Commit.version,
      // Whatever is wrong with it.
      (try? MetaEntry.read(SealedFile(bytes))) == nil
    else { return false }
    notes.add(
      .warning, key, "The file is not a `meta` entry, and lies at a number that is still to come.",
      "It is in nobody's way; ask who made it. A repair puts it aside.",
      repair: isOwn ? .setAside(key, in: layout) : nil)
    return true
  }

  /// The bytes of an entry; nil when it is missing or of a newer format, which is reported.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - isAlone: Whether there is nothing beside it.
  private func readEntry(_ number: Int64, isAlone: Bool = false) throws -> [UInt8]? {
    let key = layout.metaEntry(number)
    guard let bytes = try store.read(key, limit: CloudLimits.metaBytes + 1).map(Array.init) else {
      // A zone that is gone is made again by a device of its owner's, and all devices send what
      // they have. Where commits are left, they count as damage from then on.
      let restored =
        "the next synchronization of \(owner) makes it anew, with what its devices have"
      notes.add(
        .damage, key,
        isAlone ? "Nothing of the zone is there any more." : "The entry is missing.",
        isAlone
          ? restored.prefix(1).uppercased() + restored.dropFirst() + "."
          : "Restore it from a backup: without it nobody can read the zone, and \(restored).")
      return nil
    }
    if let version = MetaEntry.version(bytes), version > Commit.version {
      notes.add(
        newerFormatSeverity, key, "It is of format \(version), which this version does not have.",
        "Check with the newest version.")
      return nil
    }
    return bytes
  }
}
