import RemindersCore
import RemindersTerminal
import SQLiteSync

/// What a line of the log says, in words.
struct SyncFactWords: Equatable, Sendable {
  /// What happened: one word.
  let what: String
  /// What came of it, with its sign.
  let outcome: String
  /// What can be done about it, and what there is no room for in the line.
  var hint: String?
  var role = Role.text
}

extension SyncFact {
  func words(_ glyphs: GlyphSet) -> SyncFactWords {
    func done(_ what: String, _ outcome: String) -> SyncFactWords {
      SyncFactWords(what: what, outcome: "\(glyphs.check) \(outcome)")
    }
    func wrong(_ what: String, _ outcome: String, hint: String? = nil) -> SyncFactWords {
      SyncFactWords(
        what: what, outcome: "\(glyphs.cross) \(outcome)", hint: hint, role: .error)
    }
    switch self {
    case .fetched(_, let isDeletion): return done("fetched", isDeletion ? "deleted" : "changed")
    case .sent(_, let isDeletion): return done("sent", isDeletion ? "deleted" : "saved")
    case .refused(let failure): return failure.words(glyphs)
    case .merged(let conflict): return conflict.words(glyphs)
    case .revived:
      return SyncFactWords(
        what: "conflict", outcome: "\(glyphs.conflict) came back",
        hint: "It was deleted on one device, and edited or used on another one afterwards.",
        role: .warning)
    case .withdrawn:
      return SyncFactWords(
        what: "conflict", outcome: "\(glyphs.conflict) your edit was taken back",
        hint: "You may only read it by now, or cannot see it any more. The history has the edit.",
        role: .warning)
    case .waiting(_, let needs):
      return SyncFactWords(
        what: "fetched", outcome: "\(glyphs.unknown) waits for another record",
        hint: "It needs \(needs).", role: .warning)
    case .quarantined(_, let error):
      return wrong(
        "fetched", error, hint: "A constraint of this device refuses it; the cloud keeps it.")
    case .ignored(let ignored):
      return wrong(
        "fetched", "ignored: \(ignored.reason)",
        hint: "\(ignored.author) put it where it does not belong.")
    case .general(let event): return event.words(glyphs)
    }
  }
}

extension SyncEvent.Failure {
  fileprivate func words(_ glyphs: GlyphSet) -> SyncFactWords {
    if isConflict {
      return SyncFactWords(
        what: "sent", outcome: "\(glyphs.conflict) changed elsewhere too",
        hint: "Both versions are merged, field by field, and sent again.", role: .warning)
    }
    if isHeldBack {
      return SyncFactWords(
        what: "sent", outcome: "\(glyphs.unknown) held back",
        hint: "Another change of the same batch was refused; this one is sent again.",
        role: .warning)
    }
    return SyncFactWords(
      what: "sent", outcome: "\(glyphs.cross) \(error.reason)", hint: error.hint,
      role: .error)
  }
}

extension SyncEvent.Conflict {
  /// `merged: title from here, due from elsewhere`.
  var outcome: String {
    func kept(_ fields: [String], _ place: String) -> String? {
      let names = fields.filter(FieldName.isShown).map(FieldName.word(for:))
      return names.isEmpty ? nil : "\(names.joined(separator: ", ")) from \(place)"
    }
    let sides = [kept(mine, "here"), kept(theirs, "elsewhere")].compactMap { $0 }
    return sides.isEmpty ? "merged" : "merged: " + sides.joined(separator: ", ")
  }

  fileprivate func words(_ glyphs: GlyphSet) -> SyncFactWords {
    SyncFactWords(
      what: "conflict", outcome: "\(glyphs.conflict) \(outcome)",
      hint: "The later edit of each field was kept; the conflicts have the values that were not.",
      role: .warning)
  }
}

extension SyncEvent {
  /// Those of a fact about no record.
  fileprivate func words(_ glyphs: GlyphSet) -> SyncFactWords {
    func words(_ what: String, _ outcome: String, _ role: Role = .text) -> SyncFactWords {
      SyncFactWords(what: what, outcome: outcome, role: role)
    }
    func wrong(_ outcome: String, hint: String? = nil) -> SyncFactWords {
      SyncFactWords(
        what: "error", outcome: "\(glyphs.cross) \(outcome)", hint: hint, role: .error)
    }
    switch self {
    case .started: return words("sync", "started")
    case .stopped: return words("sync", "stopped", .warning)
    case .runsElsewhere: return words("sync", "done by another window of this database", .warning)
    case .signIn(let account): return words("account", "\(account) signed in")
    case .signOut(let account): return words("account", "\(account) signed out")
    case .accountChanged:
      return wrong("another cloud is there", hint: "Nothing is removed; use its directory again.")
    case .sentDatabaseChanges(let zone, _):
      return words("sent", "\(glyphs.check) zone \(zone) made")
    case .fetchedDatabaseChanges(let zone, let owner, let change):
      return words("fetched", "zone \(zone) of \(owner): \(change.words)")
    case .assetMissing(let name):
      return wrong("an image is missing: \(name)", hint: "It is fetched as soon as it is there.")
    case .ignoredCommit(let zone, let number, let reason):
      return wrong(
        "commit \(number) of \(zone) is ignored: \(reason)",
        hint: "It changes nothing, for anybody.")
    case .maintained(let folded, let deletedFiles):
      let facts =
        (folded ? ["log folded"] : [])
        + (deletedFiles > 0 ? ["\(counted(deletedFiles, "file")) deleted"] : [])
      return words("cloud", facts.joined(separator: ", "))
    case .failed(let message, let hint): return wrong(message, hint: hint)
    // A step by which the engine works.
    default: return words("sync", SyncLog.lines(for: self)[0])
    }
  }
}

extension SyncEvent.ZoneChange {
  fileprivate var words: String {
    switch self {
    case .deleted: "deleted"
    case .expired: "fetched again, the log was compacted"
    case .followed: "shared with you"
    case .rebuilt: "reset, what it lacks is sent"
    case .ended: "not shared with you any more"
    }
  }
}
