import Foundation
import SQLiteSyncCloud

/// What a store promises that has users; one that has none keeps all of it.
extension StoreCheck {
  static let users = [
    StoreCheck(name: "objects are somebody's only where there are users") { checked in
      let (store, key) = (try checked.connect(), checked.places.commit(1))
      guard store.users == nil else { return }
      try checked.create(key, Data([1]), in: store)
      let listed = try store.list(key.prefix, after: nil, limit: 1) { $0 == key.name }
      let owners =
        try [store.object(key, limit: 1), store.objects([key], limit: 1)[0]].map { $0?.owner }
        + listed.map(\.owner)
      try checked.require(owners.compactMap(\.self), is: [], "the owner without users")
    },
    StoreCheck(name: "what somebody has created is theirs, where there are users") { checked in
      try checked.withUsers { store, users, key in
        guard let owner = try store.object(key, limit: 1)?.owner else {
          throw checked.fail("The object is nobody's.")
        }
        let listed = try store.list(key.prefix, after: nil, limit: 1) { $0 == key.name }
        let atOnce = try store.objects([key], limit: 1)[0]
        try checked.require(atOnce?.owner, is: owner, "its owner at once")
        try checked.require(listed.map(\.owner), is: [owner], "its owner in the listing")
        try checked.require(listed.map(\.permissionIssues), is: [[]], "what is wrong with it")
        try checked.require(users.owner(of: key.prefix), is: owner, "the directory's owner")
        try checked.require(
          users.owner(of: checked.places.nowhere), is: nil, "the owner of what is not there")
      }
    },
    StoreCheck(name: "an account is that of one user, where there are users") { checked in
      try checked.withUsers { store, users, key in
        guard let owner = try store.object(key, limit: 1)?.owner else {
          throw checked.fail("The object is nobody's.")
        }
        for account in try [checked.account, users.account(of: owner)] {
          let user = try users.user(of: account) ?? owner
          try checked.require(user, is: owner, "the user of \(account)")
        }
        try checked.require(users.refusal(of: checked.account), is: nil, "why it cannot be used")
      }
    },
    StoreCheck(name: "others may do what their owner allows, where there are users") { checked in
      try checked.withUsers { store, users, key in
        let levels: [StoreAccess.Level] = [.read, .write, .drop, .none]
        for access in [StoreAccess()] + levels.map({ StoreAccess(others: $0) }) {
          try users.allow(access, in: key.prefix)
          try checked.require(users.access(in: key.prefix), is: access, "what others may do")
          try checked.require(users.canCreate(in: key.prefix), "The owner is said to be kept out.")
          try checked.require(store.read(key, limit: 1), is: Data([1]), "what the owner reads")
        }
        try checked.require(
          users.canCreate(in: checked.places.nowhere), "The owner is said to make no directory.")
      }
    },
  ]
}

extension CheckedStore {
  /// Tries something with an object of this user, in a store that has users.
  fileprivate func withUsers(
    _ body: (any ObjectStore, any StoreUsers, StoreKey) throws -> Void
  ) throws {
    let (store, key) = (try connect(), places.commit(1))
    guard let users = store.users else { return }
    try create(key, Data([1]), in: store)
    try body(store, users, key)
  }
}
