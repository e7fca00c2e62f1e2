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
      guard let bytes = try readEntry(number) else { break }
      guard isOfThisVersion(bytes, layout.metaEntry(number)) else { return nil }
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
    guard let bytes = try readEntry(1) else {
      try reportNoBeginning(
        isAlone ? "Nothing of the zone is there any more." : "The entry is missing.",
        isAlone: isAlone)
      return nil
    }
    guard isOfThisVersion(bytes, key) else { return nil }
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
      try reportNoBeginning("It is not the beginning of a zone: \(error).", isThere: true)
      return nil
    }
  }

  /// Says that the entry which creates the zone is missing or altered.
  ///
  /// A zone that is gone is made again by a device of its owner's, and all devices send what they
  /// have.
  ///
  /// - Parameters:
  ///   - problem: What is wrong.
  ///   - isThere: Whether something is in its place.
  ///   - isAlone: Whether there is nothing beside it.
  private func reportNoBeginning(
    _ problem: String, isThere: Bool = false, isAlone: Bool = false
  ) throws {
    let key = layout.metaEntry(1)
    func renewal(of what: String) -> String {
      "next synchronization of \(owner) makes \(what) anew, with what its devices have."
    }
    let advice: String
    var repair: CheckRepair?
    if let copy = try firstEntryCopy() {
      advice = "\(copy) is the lost file: a repair puts it back."
      repair = .restore(key, from: copy, in: layout)
    } else if isAlone {
      advice = "The \(renewal(of: "it"))"
    } else if !isThere {
      advice =
        "Restore it from a backup: without it nobody can read the zone, and the "
        + renewal(of: "the zone")
    } else if isOwn, device != nil {
      advice =
        "Restore it from a backup, or let a repair put it aside: then the "
        + renewal(of: "the zone")
      repair = .setAside(key, in: layout)
    } else {
      advice =
        "Restore it from a backup, or repair the cloud on a device of \(owner) that was in step: "
        + "without it nobody can read the zone."
    }
    notes.add(.damage, key, problem, advice, repair: isOwn ? repair : nil)
  }

  /// Where a copy lies of the entry that created the zone which this device has read.
  private func firstEntryCopy() throws -> StoreKey? {
    guard let identity = device?.token?.zone else { return nil }
    return try copies(of: [identity])[identity]
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

  private func readEntry(_ number: Int64) throws -> [UInt8]? {
    try store.read(layout.metaEntry(number), limit: CloudLimits.metaBytes + 1).map(Array.init)
  }

  /// Whether the entry is of a format that this version has; says so when it is not.
  private func isOfThisVersion(_ bytes: [UInt8], _ key: StoreKey) -> Bool {
    guard let version = MetaEntry.version(bytes), version > Commit.version else { return true }
    notes.add(
      newerFormatSeverity, key, "It is of format \(version), which this version does not have.",
      "Check with the newest version.")
    return false
  }
}
