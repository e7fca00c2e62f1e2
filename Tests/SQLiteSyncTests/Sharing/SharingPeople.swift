import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// The three people of the simulation of sharing.
///
/// Where there are forgers among them, they are different Unix users, and the cloud lets each do
/// what the file system would.
struct SharingPeople {
  let accounts: [AccountID]
  /// Those who write what they like, as far as they may.
  let forgers: Set<AccountID>
  /// The cloud as the superuser sees it; nil where everybody trusts each other.
  let cloud: GuardedStore?

  /// People who trust each other, or not.
  init(areForging: Bool, on store: MemoryStore, using random: inout SplitMix64) {
    guard areForging else {
      accounts = ["ann", "ben", "cat"].compactMap(AccountID.init(name:))
      forgers = []
      cloud = nil
      return
    }
    accounts = [1001, 1002, 1003].map(AccountID.init(userID:))
    let first = Int(random.next() % 3)
    let areTwo = random.next() % 4 == 0
    forgers = Set((areTwo ? [first, (first + 1) % 3] : [first]).map { [accounts] in accounts[$0] })
    cloud = GuardedStore(store)
  }

  /// The cloud as somebody sees it.
  func store(of account: AccountID, else store: any ObjectStore) -> any ObjectStore {
    guard let cloud, let user = cloud.user(of: account) else { return store }
    return cloud.seen(by: user)
  }
}
