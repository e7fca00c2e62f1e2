import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Sharing a list, accepting it, working in it together, and ending it.
struct SharingTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  private let home = Family.home
  private let work = Family.work
  private let own = Family.own

  init() throws {
    family = try Family()
  }

  // MARK: - What cannot be shared

  @Test func aRowThatHangsOnAnotherIsNotShared() throws {
    expectRefusal(.notARoot, of: "reminders", "milk")
  }

  @Test func aRowOfAPrivateTableIsNotShared() throws {
    expectRefusal(.privateTable, of: "notes", "n")
  }

  @Test func aRowOfAnUnknownTableIsNotShared() throws {
    expectRefusal(.unknownTable, of: "drafts", "d")
    expectRefusal(.unknownTable, of: "sync_shares", "d")
  }

  @Test func aRowThatIsNotThereIsNotShared() throws {
    expectRefusal(.unknownRow, of: "lists", "nowhere")
  }

  @Test func aRowIsSentBeforeItIsShared() throws {
    try ann.execute("INSERT INTO lists VALUES ('new', 'New')")
    let error = expectRefusal(.notSentYet, of: "lists", "new")
    #expect(error?.hint == "Let it be sent first, then share it.")
    try ann.sync()
    _ = try share("lists", "new")
  }

  @Test func aRowThatIsNotSharedCannotBeUnshared() throws {
    let error = #expect(throws: SyncError.self) {
      try ann.synchronizer.unshare(table: "lists", key: "home")
    }
    #expect(error?.reason == .notShared)
  }

  @Test func whatSomebodyElseSharesIsNotSharedOn() throws {
    try family.share([Family.benID: .write])
    let error = #expect(throws: SyncError.self) { try ben.share([Family.catID: .read]) }
    #expect(error?.reason == .notTheOwner)
  }

  @discardableResult
  private func expectRefusal(
    _ reason: SyncError.Reason, of table: String, _ key: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> SyncError? {
    let error = #expect(throws: SyncError.self, sourceLocation: sourceLocation) {
      try share(table, key)
    }
    #expect(error?.reason == reason, sourceLocation: sourceLocation)
    return error
  }

  private func share(_ table: String, _ key: String) throws -> ShareLink {
    try ann.synchronizer.share(
      table: table, key: key, title: "", participants: [:], publicPermission: .none)
  }

  // MARK: - Sharing and accepting

  @Test func aSharedListIsOnAllDevicesOfThoseWhoAccept() throws {
    try family.share([Family.benID: .write])
    for device in [family.ann, family.annToo] { #expect(try device.tree() == home + work) }
    for device in [family.ben, family.benToo] { #expect(try device.tree() == home + own) }
    #expect(try family.cat.tree() == [])
    try family.fleet.expectExhausted()
  }

  @Test func eventsSayInWhichZoneAndWhoseItIs() throws {
    try family.share([Family.benID: .write])
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    func zones(_ device: Device) -> Set<String?> {
      Set(
        device.events.compactMap { event in
          switch event {
          case .fetchedRecordZoneChanges(_, _, let zone?),
            .nextRecordZoneChangeBatch(_, let zone?), .sentRecordZoneChanges(_, _, _, let zone?):
            "\(zone.name == "default" ? zone.name : "share") of \(zone.sharedBy ?? "oneself")"
          default: nil
          }
        })
    }
    #expect(zones(ben) == ["default of oneself", "share of ann"])
    #expect(zones(ann) == ["default of oneself", "share of oneself"])
  }

  @Test func whatHangsOnAListTravelsAndTagsAndPrivateNotesDoNot() throws {
    try family.share([Family.benID: .write])
    let names = ["fat:subtasks", "home:covers", "home:lists", "milk:reminders"]
    for device in family.fleet.devices where device !== family.cat {
      #expect(try device.shared() == names.map { "@ann: " + $0 })
    }
    #expect(try ben.rows("SELECT length(image) FROM covers") == ["5000"])
    #expect(try ben.rows("SELECT * FROM tags") == [])
    #expect(try ben.rows("SELECT * FROM notes") == [])
    #expect(try ann.rows("SELECT text FROM notes") == ["Only mine"])
  }

  @Test func aNoteOnSomebodyElsesListStaysPrivate() throws {
    try family.share([Family.benID: .read])
    try ben.execute("INSERT INTO notes VALUES ('b', 'Only his', 'home')")
    try ben.execute("INSERT INTO tags VALUES ('soon', 'Soon')")
    try ben.execute("INSERT INTO reminderTags VALUES ('s', 'milk', 'soon')")
    try family.settle()
    #expect(try family.benToo.rows("SELECT text FROM notes") == ["Only his"])
    #expect(try family.benToo.rows("SELECT reminderID FROM reminderTags") == ["milk"])
    #expect(try ann.rows("SELECT text FROM notes") == ["Only mine"])
    #expect(try ann.rows("SELECT id FROM reminderTags") == ["t"])
    try family.fleet.expectExhausted()
  }

  @Test func aShareKeepsWhenItsRowsWereEdited() throws {
    let before = try ann.times("reminders", "milk")
    try family.share([Family.benID: .write])
    #expect(try ann.times("reminders", "milk") == before)
    #expect(try ben.times("reminders", "milk") == before)
  }

  /// Until then the invitation is nothing that waits to be sent, and is said once.
  @Test func whoHasNotUsedTheCloudYetIsInvitedAsSoonAsTheyHave() throws {
    let danID = try #require(AccountID(name: "dan"))
    let evaID = try #require(AccountID(name: "eva"))
    _ = try ann.share([danID: .read, evaID: .read])
    try family.settle()
    try family.fleet.expectExhausted(after: [.failed])
    #expect(ann.events.count { if case .failed = $0 { true } else { false } } == 2)

    // Who is invited later does not take the place of who waits; who is removed waits no longer.
    _ = try ann.share([Family.benID: .read])
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [evaID: .none], publicPermission: nil)
    try family.settle()
    #expect(try ben.synchronizer.invitations().map(\.title) == ["Home"])
    let dan = try family.fleet.device(account: danID)
    let eva = try family.fleet.device(account: evaID)
    #expect(try dan.synchronizer.invitations().isEmpty)
    try ann.sync()
    #expect(try dan.synchronizer.invitations().map(\.title) == ["Home"])
    #expect(try eva.synchronizer.invitations().isEmpty)
    try dan.synchronizer.accept(dan.synchronizer.invitations()[0].link)
    #expect(try dan.rows("SELECT title FROM reminders") == ["Milk"])
    try family.settle()
    try family.fleet.expectExhausted(after: [.failed])
  }

  @Test func whoWasRemovedBeforeTheInvitationWentIsNotInvited() throws {
    _ = try ann.share([Family.benID: .read, Family.catID: .read])
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    #expect(try ben.synchronizer.invitations().isEmpty)
    #expect(try family.cat.synchronizer.invitations().map(\.title) == ["Home"])
    try family.fleet.expectExhausted()
  }

  @Test func anInvitationLiesInTheInboxUntilItIsAccepted() throws {
    let link = try ann.share([Family.benID: .read])
    try family.settle()
    let invitations = try ben.synchronizer.invitations()
    #expect(invitations.map(\.title) == ["Home"])
    #expect(invitations.map(\.sender) == [Family.annID])
    #expect(invitations.map(\.link) == [link])
    try family.benToo.synchronizer.accept(link)
    #expect(try ben.synchronizer.invitations().isEmpty)
  }

  @Test func anInvitationThatWasTakenBackIsNotShownUntilItIsGivenAgain() throws {
    let link = try ann.share([Family.benID: .read])
    try family.settle()
    for _ in 1...2 {
      #expect(try ben.synchronizer.invitations().map(\.link) == [link])
      try ann.synchronizer.setPermissions(
        table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
      try family.settle()
      #expect(try ben.synchronizer.invitations().isEmpty)
      _ = try ann.share([Family.benID: .write])
      try family.settle()
    }
  }

  @Test func whoDeclinesHasNoInvitationAndTakesNoPart() throws {
    let link = try ann.share([Family.benID: .read, Family.catID: .read])
    try family.settle()
    try ben.synchronizer.decline(link)
    #expect(try ben.synchronizer.invitations().isEmpty)
    try family.settle()
    #expect(try ben.tree() == Family.own)
    let people = try ann.database.readSnapshot(SyncShare.all)[0].participants
    #expect(people.filter { $0.value.takesPart }.map(\.key) == [Family.catID])
    #expect(people[Family.benID]?.state == .left)
    // Nobody is told twice, and who changed his mind asks for another.
    for device in [ben, ann] {
      let error = #expect(throws: SyncError.self) { try device.synchronizer.decline(link) }
      #expect(error?.reason == .notShared)
    }
    _ = try ann.share([Family.benID: .read])
    try family.settle()
    try ben.synchronizer.accept(ben.synchronizer.invitations()[0].link)
    try family.settle()
    #expect(try ben.tree() == Family.home + Family.own)
    try family.fleet.expectExhausted()
  }

  @Test func aShareCanBeThereBeforeWhatItShares() throws {
    let link = try ann.share([Family.benID: .write])
    let zone = try #require(ann.synchronizer.zones().last)
    try ann.synchronizer.createZone(zone)
    ann.synchronizer.batchLimit = 1
    try ann.synchronizer.sendOnce(to: zone)
    try ben.synchronizer.accept(link)
    #expect(try ben.tree() == Family.own)
    #expect(try ben.database.readSnapshot(SyncShare.all).map(\.title) == ["Home"])
    try family.settle()
    for device in [ben, family.benToo] { #expect(try device.tree() == Family.home + Family.own) }
    try family.fleet.expectExhausted()
  }

  @Test func theOwnerSeesWhoAccepted() throws {
    try family.share([Family.benID: .write, Family.catID: .read], accepting: [ben])
    for device in [ann, family.annToo, ben] {
      let participants = try device.database.readSnapshot(SyncShare.all).first?.participants
      #expect(participants?[Family.benID] == .init(permission: .write, state: .accepted))
      #expect(participants?[Family.catID] == .init(permission: .read, state: .invited))
    }
    try family.fleet.expectExhausted()
  }

  @Test func aLinkAloneOpensWhatIsShared() throws {
    let link = try family.share([:], publicly: .read)
    try family.cat.synchronizer.accept(link)
    try family.settle()
    #expect(try family.cat.tree() == home)
    #expect(try family.cat.database.readSnapshot(SyncShare.all).map(\.access) == [.read])
    try family.fleet.expectExhausted()
  }

  @Test func whoIsNotInvitedCannotAccept() throws {
    let link = try family.share([Family.benID: .write])
    let error = #expect(throws: SyncError.self) { try family.cat.synchronizer.accept(link) }
    #expect(error?.reason == .notShared)
    #expect(try family.cat.tree() == [])
    #expect(try family.cat.rows("SELECT * FROM sync_shares") == [])
    try family.fleet.expectExhausted()
  }

  @Test func aLinkOfAnotherCloudIsRefused() throws {
    let link = try family.share([Family.benID: .write])
    let error = #expect(throws: SyncError.self) {
      try ben.synchronizer.accept(ShareLink(cloud: "another", zone: link.zone))
    }
    #expect(error?.reason == .otherCloud)
    let own = #expect(throws: SyncError.self) { try ann.synchronizer.accept(link) }
    #expect(own?.reason == .ownShare)
  }

  @Test func sharingTwiceChangesTheShareThatThereIs() throws {
    let link = try family.share([Family.benID: .write])
    #expect(try ann.share([Family.catID: .read], title: "Our home") == link)
    try family.settle()
    try family.cat.synchronizer.accept(link)
    try family.settle()
    #expect(try family.cat.tree() == home)
    for device in family.fleet.devices {
      #expect(try device.database.readSnapshot(SyncShare.all).map(\.title) == ["Our home"])
    }
    try family.fleet.expectExhausted()
  }

  @Test func aShareThatWasNotSentYetCanBeChanged() throws {
    let link = try ann.share([Family.benID: .write])
    #expect(try ann.share([Family.catID: .read]) == link)
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try family.settle()
    let participants = try family.annToo.database.readSnapshot(SyncShare.all).first?.participants
    #expect(participants?.values.map(\.permission) == [.read, .read])
    try family.fleet.expectExhausted()
  }

  @Test func theMetadataSaysWhoseARowIsAndWhatMayBeDone() throws {
    try family.share([Family.benID: .write, Family.catID: .read])
    let sql = """
      SELECT ownerName, permission, share IS NOT NULL FROM lists
      JOIN sync_metadata ON recordType = 'lists' AND recordPrimaryKey = lists.id ORDER BY lists.id
      """
    #expect(try ann.rows(sql) == ["@ann|owner|1", "@ann|owner|0"])
    #expect(try ben.rows(sql) == ["@ann|write|1", "@ben|owner|0"])
    #expect(try family.cat.rows(sql) == ["@ann|read|1"])
  }

  // MARK: - Working together

  @Test func whatAParticipantMakesIsSavedInTheOwnersZone() throws {
    try family.share([Family.benID: .write])
    try ben.execute("INSERT INTO reminders VALUES ('eggs', 'Eggs', 'home')")
    try ben.execute("INSERT INTO subtasks VALUES ('ten', 'Ten', 'eggs')")
    try family.settle()
    for device in [ann, family.annToo, family.benToo] {
      #expect(
        try device.shared().filter { $0.contains("eggs") || $0.contains("ten") }
          == ["@ann: eggs:reminders", "@ann: ten:subtasks"])
    }
    try family.benToo.execute("DELETE FROM subtasks WHERE id = 'ten'")
    try family.benToo.execute("UPDATE reminders SET title = 'Brown eggs' WHERE id = 'eggs'")
    try family.settle()
    #expect(try ann.tree().contains("Home > Brown eggs"))
    #expect(try ann.rows("SELECT id FROM subtasks ORDER BY id") == ["fat", "page"])
    try family.fleet.expectExhausted()
  }

  @Test func editsOfTwoPeopleAreMergedFieldByField() throws {
    try family.share([Family.benID: .write])
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ann.execute("UPDATE subtasks SET title = 'Barista' WHERE id = 'fat'")
    try ann.execute("UPDATE lists SET title = 'House' WHERE id = 'home'")
    try family.settle()
    for device in [ann, ben] {
      #expect(try device.tree().contains("House > Oat milk > Barista"))
    }
    try family.fleet.expectExhausted()
  }

  @Test func whatWasWrittenBeforeARestartIsSentAfterIt() throws {
    try family.share([Family.benID: .write])
    try ben.execute("INSERT INTO reminders VALUES ('eggs', 'Eggs', 'home')")
    try ben.relaunch()
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ben.relaunch()
    try family.settle()
    #expect(try ann.tree().filter { $0.hasPrefix("Home") }.count == 4)
    try family.fleet.expectExhausted()
  }
}
