import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// The text of the log.
struct SyncLogTests {
  private static let list = SyncEvent.Record(type: "lists", name: "l:lists")
  private static let reminder = SyncEvent.Record(type: "reminders", name: "r:reminders")

  private func text(_ event: SyncEvent) -> String {
    SyncLog.lines(for: event).joined(separator: "\n")
  }

  @Test(arguments: [
    (SyncEvent.started, "start"), (.stopped, "stop"),
    (.willFetchChanges(.notified), "willFetchChanges: notified"),
    (.didFetchChanges, "didFetchChanges"), (.willSendChanges(.manual), "willSendChanges: manual"),
    (.didSendChanges, "didSendChanges"), (.stateUpdate(token: "t"), "stateUpdate"),
    (.runsElsewhere, "runsElsewhere: another process synchronizes this database"),
    (.signIn(account: "ann"), "signIn\n  Current user: ann"),
    (.signOut(account: "ann"), "signOut\n  Previous user: ann"),
    (.accountChanged, "accountChanged"),
    (.waiting(reminder, needs: "l:lists"), "waiting: r:reminders needs l:lists"),
    (.quarantined(reminder, error: "CHECK"), "quarantined: r:reminders: CHECK"),
    (.assetMissing("abc"), "assetMissing: abc"),
    (
      .ignoredCommit(zone: "z", number: 4, reason: "it is void"),
      "ignoredCommit: commit 4 of z: it is void\n  a check of the cloud says who made it"
    ),
    (.maintained(folded: true, deletedFiles: 3), "maintained: folded the log, deleted 3 files"),
    (.maintained(folded: false, deletedFiles: 1), "maintained: deleted 1 file"),
    (.failed(message: "The disk is full.", hint: nil), "failed: The disk is full."),
    (
      .failed(message: "The disk is full.", hint: "Make room."),
      "failed: The disk is full.\n  Make room."
    ),
  ])
  func aPlainFactIsALine(event: SyncEvent, expected: String) {
    #expect(text(event) == expected)
  }

  @Test func fetchedRecordsAreATable() {
    #expect(
      text(
        .fetchedRecordZoneChanges(
          modified: [Self.reminder], deleted: [Self.list],
          zone: .init(name: "share-1", sharedBy: "ann"))) == """
          fetchedRecordZoneChanges: share-1, shared by ann
          ┏━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━┓
          ┃ action     ┃ recordType ┃ recordName  ┃
          ┡━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━┩
          │ ✔ Modified │ reminders  │ r:reminders │
          │ ⌫ Deleted  │ lists      │ l:lists     │
          └────────────┴────────────┴─────────────┘
          """)
  }

  @Test func aBatchIsATable() {
    #expect(
      text(
        .nextRecordZoneChangeBatch(
          [
            .init(record: Self.list, isDeletion: false),
            .init(record: Self.reminder, isDeletion: true),
          ], zone: .init(name: "default", sharedBy: nil))) == """
          nextRecordZoneChangeBatch: default, private
          ┏━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━┓
          ┃ event      ┃ recordType ┃ recordName  ┃
          ┡━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━┩
          │ → Sending  │ lists      │ l:lists     │
          │ → Deleting │ reminders  │ r:reminders │
          └────────────┴────────────┴─────────────┘
          """)
  }

  @Test func sentRecordsHaveNoErrorColumnWhenAllWereTaken() {
    #expect(
      text(.sentRecordZoneChanges(saved: [Self.list], deleted: [Self.reminder], failed: [])) == """
        sentRecordZoneChanges
        ┏━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━┓
        ┃ action    ┃ recordType ┃ recordName  ┃
        ┡━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━┩
        │ ✔ Saved   │ lists      │ l:lists     │
        │ ⌫ Deleted │ reminders  │ r:reminders │
        └───────────┴────────────┴─────────────┘
        """)
  }

  @Test func refusalsHaveTheirErrorAndNumber() {
    let changed = CloudError(.serverRecordChanged, "The cloud has another version.")
    let violated = CloudError(.referenceViolation, "It still has children.")
    #expect(
      text(
        .sentRecordZoneChanges(
          saved: [], deleted: [],
          failed: [
            .init(record: Self.reminder, isDeletion: false, error: changed),
            .init(record: Self.list, isDeletion: true, error: violated),
          ])) == """
          sentRecordZoneChanges
          ┏━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━┓
          ┃ action          ┃ recordType ┃ recordName  ┃ error                    ┃
          ┡━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━┩
          │ ✘ Save failed   │ reminders  │ r:reminders │ serverRecordChanged (14) │
          │ ✘ Delete failed │ lists      │ l:lists     │ referenceViolation (31)  │
          └─────────────────┴────────────┴─────────────┴──────────────────────────┘
          """)
  }

  @Test func aZoneThatWasMadeIsATable() {
    #expect(
      text(.sentDatabaseChanges(zone: "default", owner: "ann")) == """
        sentDatabaseChanges
        ┏━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━━┓
        ┃ action  ┃ zoneName ┃ ownerName ┃
        ┡━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━━┩
        │ ✔ Saved │ default  │ ann       │
        └─────────┴──────────┴───────────┘
        """)
  }

  @Test func aZoneThatBecameAnotherIsATable() {
    #expect(
      text(.fetchedDatabaseChanges(zone: "default", owner: "ann", change: .expired)) == """
        fetchedDatabaseChanges
        ┏━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━━┓
        ┃ action    ┃ zoneName ┃ ownerName ┃
        ┡━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━━┩
        │ ↻ Expired │ default  │ ann       │
        └───────────┴──────────┴───────────┘
        """)
    for (change, name) in [
      (SyncEvent.ZoneChange.deleted, "⌫ Deleted"), (.rebuilt, "↻ Rebuilt"), (.ended, "− Ended"),
    ] {
      let event = SyncEvent.fetchedDatabaseChanges(zone: "default", owner: "ann", change: change)
      #expect(text(event).contains("│ \(name) │"))
    }
  }

  @Test func aMergeSaysWhoseFieldsWereKept() {
    #expect(
      text(.merged([.init(record: Self.reminder, theirs: ["dueDate"], mine: ["notes", "title"])]))
        == """
        merged
        ┏━━━━━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━┓
        ┃ recordType ┃ recordName  ┃ kept mine    ┃ kept theirs ┃
        ┡━━━━━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━┩
        │ reminders  │ r:reminders │ notes, title │ dueDate     │
        └────────────┴─────────────┴──────────────┴─────────────┘
        """)
  }

  @Test func whatCameBackIsATable() {
    #expect(
      text(.revived([Self.list])) == """
        revived
        ┏━━━━━━━━━━━━┳━━━━━━━━━━━━┓
        ┃ recordType ┃ recordName ┃
        ┡━━━━━━━━━━━━╇━━━━━━━━━━━━┩
        │ lists      │ l:lists    │
        └────────────┴────────────┘
        """)
  }

  @Test func whatWasTakenBackIsATable() {
    #expect(
      text(.withdrawn([Self.list])) == """
        withdrawn
        ┏━━━━━━━━━━━━┳━━━━━━━━━━━━┓
        ┃ recordType ┃ recordName ┃
        ┡━━━━━━━━━━━━╇━━━━━━━━━━━━┩
        │ lists      │ l:lists    │
        └────────────┴────────────┘
        """)
  }

  @Test func theFirstLineHasTheTimeOfDay() {
    let milliseconds: Int64 = ((13 * 60 + 7) * 60 + 5) * 1000 + 42
    #expect(
      SyncLog.text(for: .signIn(account: "ann"), atMilliseconds: milliseconds) == """
        13:07:05.042  signIn
                        Current user: ann
        """)
  }
}
