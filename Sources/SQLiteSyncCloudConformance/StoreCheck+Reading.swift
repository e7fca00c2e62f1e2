import Foundation
import SQLiteSyncCloud

extension StoreCheck {
  static let reading = [
    StoreCheck(name: "an object is read as it was created, whole or its beginning") { checked in
      let (store, key) = (try checked.connect(), checked.places.commit(1))
      let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try checked.require(store.read(key, limit: 10), is: nil, "what is absent")
      try checked.create(key, bytes, in: store)
      for limit in [0, 1, 99_999, 100_000, 100_001, .max] {
        try checked.require(
          store.read(key, limit: limit), is: bytes.prefix(limit), "what is read up to \(limit)")
      }
      try checked.require(store.object(key, limit: 5)?.bytes, is: bytes.prefix(5), "the object")
    },
    StoreCheck(name: "an object without bytes is there") { checked in
      let (store, key) = (try checked.connect(), checked.places.commit(1))
      try checked.create(key, Data(), in: store)
      for limit in [0, 1, .max] {
        try checked.require(store.read(key, limit: limit), is: Data(), "up to \(limit) bytes")
      }
    },
    StoreCheck(name: "an object of some megabytes is read as it was created") { checked in
      let (store, key) = (try checked.connect(), checked.places.commit(1))
      let bytes = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
      try checked.create(key, bytes, in: store)
      try checked.require(store.read(key, limit: .max) == bytes, "Other bytes were read.")
    },
    StoreCheck(name: "what is created is read at once by others who had looked for it") { checked in
      let (here, there) = (try checked.connect(), try checked.connect())
      for number in 1...20 as ClosedRange<Int64> {
        let (key, bytes) = (checked.places.commit(number), Data("\(number)".utf8))
        try checked.require(there.read(key, limit: 9), is: nil, "what is absent")
        try checked.create(key, bytes, in: here)
        try checked.require(there.read(key, limit: 9), is: bytes, "commit \(number)")
      }
    },
    StoreCheck(name: "several objects are read in the order of their keys") { checked in
      let store = try checked.connect()
      for number in [1, 2, 4, 5] as [Int64] {
        try checked.create(checked.places.commit(number), Data("\(number)".utf8), in: store)
      }
      let keys = (1...9).map { checked.places.commit($0) }
      try checked.require(
        store.objects(keys, limit: 9).map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } },
        is: ["1", "2", nil, "4", "5", nil, nil, nil, nil], "what is read")
      try checked.require(store.objects([], limit: 9).count, is: 0, "what is read of nothing")
    },
  ]

  static let listing = [
    StoreCheck(name: "a listing is in the order of the names, in pages, of what is wanted") {
      checked in
      let (store, places) = (try checked.connect(), checked.places)
      for number in [3, 1, 10, 2] as [Int64] {
        try checked.create(places.commit(number), Data([1, 2, 3]), in: store)
      }
      let all = try store.list(places.log, after: nil, limit: 10)
      try checked.require(all.map { places.number($0) }, is: [1, 2, 3, 10], "the listing")
      try checked.require(
        all.allSatisfy { $0.byteCount == 3 && $0.isRegular && $0.modified > 0 },
        "An entry has another size or kind, or no time: \(all)")
      let page = try store.list(places.log, after: all[0].name, limit: 2)
      try checked.require(page, is: Array(all[1...2]), "a page")
      let wanted = try store.list(places.log, after: all[0].name, limit: 1) { $0 != all[1].name }
      try checked.require(wanted, is: [all[2]], "what is wanted")
      try checked.require(store.list(places.log, after: all[3].name, limit: 9), is: [], "the end")
      try checked.require(store.list(places.nowhere, after: nil, limit: 9), is: [], "nothing")
    },
    StoreCheck(name: "a listing shows directories, and not what is in them") { checked in
      let (store, places) = (try checked.connect(), checked.places)
      try checked.create(places.commit(1), Data([1]), in: store)
      let zone = try store.list(places.zones, after: nil, limit: .max) {
        $0 == places.directoryName
      }
      try checked.require(zone.map(\.kind), is: [.directory], "the zone")
      let inside = try store.list(places.inside, after: nil, limit: .max) { $0 != "stage" }
      try checked.require(inside.map(\.name), is: ["e1"], "what is in the zone")
    },
    StoreCheck(name: "a deleted object is absent, and deleting it again is nothing") { checked in
      let (store, key) = (try checked.connect(), checked.places.commit(1))
      try checked.create(key, Data([1]), in: store)
      try store.delete(key)
      try store.delete(key)
      try store.delete(checked.places.absent())
      try checked.require(store.read(key, limit: 1), is: nil, "what was deleted")
      try checked.require(store.list(key.prefix, after: nil, limit: 9), is: [], "the listing")
      try checked.create(key, Data([2]), in: store)
      try checked.require(store.read(key, limit: 9), is: Data([2]), "what was created again")
    },
    StoreCheck(name: "one may wait for what is there, and for what is not") { checked in
      let store = try checked.connect()
      try checked.create(checked.places.commit(1), Data([1]), in: store)
      try store.barrier(checked.places.log)
      try store.barrier(checked.places.nowhere)
    },
    StoreCheck(name: "objects get their times from the clock that the store tells") { checked in
      let store = try checked.connect()
      let before = try store.now(in: checked.places.log)
      try checked.create(checked.places.commit(1), Data([1]), in: store)
      let after = try store.now(in: checked.places.log)
      let time = try store.list(checked.places.log, after: nil, limit: 1) {
        $0.hasSuffix(".json")
      }.first?.modified
      guard let time else { throw checked.fail("The object is not listed.") }
      // Clocks of servers tell whole seconds; a store without one uses the device's.
      let device = Int64(Date().timeIntervalSince1970 * 1_000)
      let range = (before ?? device) - 60_000...max(before ?? 0, after ?? device) + 60_000
      try checked.require(range.contains(time), "It is of \(time), created in \(range).")
    },
  ]
}
