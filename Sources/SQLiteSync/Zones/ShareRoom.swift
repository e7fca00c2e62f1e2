import SQLiteSyncCloud

/// A share is one record, which has room for so many people: see `CloudLimits.participants`.
extension Share {
  /// Lets go of people of whom the record need not tell, as far as there are too many.
  ///
  /// Those are whoever left, and others who came by the link: they may do what anyone may, also
  /// without being named. All devices let go of the same.
  mutating func makeRoom() {
    let excess = participants.count - CloudLimits.participants
    guard excess > 0 else { return }
    let needless = participants.filter(\.value.isNeedless).sorted { left, right in
      (left.value.takesPart ? 1 : 0, left.key.rawValue)
        < (right.value.takesPart ? 1 : 0, right.key.rawValue)
    }
    for (account, _) in needless.prefix(excess) { participants[account] = nil }
  }

  /// Lets go of people who were removed and whom the cloud never knew, as far as there are too
  /// many: where no link lets anyone in, nobody else but those who are named can read.
  mutating func makeRoom(for known: Share?) {
    makeRoom()
    guard publicPermission == .none else { return }
    let excess = participants.count - CloudLimits.participants
    let removed = participants.filter { account, participant in
      participant.state == .gone && known?.participants[account] == nil
    }
    for account in removed.keys.sorted(by: { $0.rawValue < $1.rawValue }).prefix(max(0, excess)) {
      participants[account] = nil
    }
  }

  /// The title without what no record can hold.
  fileprivate var readableTitle: String {
    var (readable, byteCount) = (String.UnicodeScalarView(), 0)
    for scalar in title.unicodeScalars where scalar.value != 0 {
      byteCount += UTF8.width(scalar)
      guard byteCount <= CloudLimits.titleBytes else { break }
      readable.append(scalar)
    }
    return String(readable)
  }
}

extension Share.Participant {
  /// Whether the participant may do what anyone may.
  fileprivate var isNeedless: Bool {
    state == .left || takesPart && permission == .none
  }
}

extension CloudRecord {
  /// The record of a share without people of whom it need not tell, if it has too many.
  var withRoomForPeople: CloudRecord {
    guard fields.count > CloudLimits.fieldsPerRecord, var share = Share(self) else { return self }
    share.makeRoom()
    return share.record(over: self) { $0 }
  }
}

extension ZoneShare {
  /// Why no cloud takes what is to be sent; nil when one can.
  var refusal: CloudError? {
    guard let edited,
      let refusal = CloudChange.save(edited, base: tag).refusal
    else { return nil }
    let title = Share(edited)?.readableTitle ?? ""
    return CloudError(
      refusal.code, "“\(title)” cannot be shared as it is: \(refusal.reason)",
      hint: "Share it by another title; remove people who were not let in yet, or let them in by "
        + "the link.")
  }

  /// Takes out of what is to be sent what no record can hold, as far as nothing is lost by it: an
  /// earlier version, or another program, has written that.
  ///
  /// Its clocks stay, because nobody has seen it.
  ///
  /// - Returns: Whether anything had to be taken out.
  mutating func mend() -> Bool {
    guard refusal != nil, let before = edited, var share = Share(before) else { return false }
    share.title = share.readableTitle
    share.makeRoom(for: shareInCloud)
    edited = share.record(over: before) { $0 }
    return edited != before
  }
}
