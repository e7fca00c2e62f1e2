import Foundation
import SQLiteSyncHashing

/// Keys of a zone that nobody else uses, for the checks of `SQLiteSyncCloudConformance`.
///
/// Only `CloudLayout` makes keys, so that no store is ever asked for a path of another form.
package struct CheckedPlaces: Sendable {
  /// The zone.
  package let zone: ZoneID
  private let layout: ZoneLayout

  /// The places of a new zone of an account.
  package init(account: AccountID) {
    zone = ZoneID(name: "check-" + UUID().lowercaseString, owner: account)
    layout = ZoneLayout(zone)
  }

  /// Where commits are.
  package var log: StorePrefix { layout.log(epoch: 1) }
  /// Where nothing ever is.
  package var nowhere: StorePrefix { layout.log(epoch: 7) }
  /// Where the directories of zones are.
  package var zones: StorePrefix { CloudLayout.zones(of: zone.owner) }
  /// The name of the zone's directory.
  package var directoryName: String { layout.directory.last ?? "" }
  /// What the zone's directory holds.
  package var inside: StorePrefix { layout.zone }

  /// A commit's key.
  package func commit(_ number: Int64) -> StoreKey { layout.commit(number, epoch: 1) }

  /// The number in the name of a commit.
  package func number(_ entry: StoreEntry) -> Int64? { ZoneLayout.number(inFileName: entry.name) }

  /// The key of an object that nobody has created.
  package func absent() -> StoreKey { layout.commit(1, epoch: 7) }

  /// The key of a listed object.
  package func key(_ entry: StoreEntry) -> StoreKey { StoreKey(log, listed: entry) }
}
