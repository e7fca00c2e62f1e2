import Foundation
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

extension Session {
  /// The engine of this database, not started.
  func engine() throws -> SyncEngine {
    let known = try database.fetch(SyncQuery())
    // A cloud that was there before and is not now is not mounted; a new one would part the
    // devices.
    if known.account.cloud == nil, !known.account.isSignedOut { try paths.cloud.make() }
    return try database.engine(for: container(known))
  }

  /// The cloud as this device sees it, not opened.
  func container(_ known: SyncQuery.Value) -> CloudContainer {
    container(of: account(known.account), device: known.device)
  }

  /// The cloud as an account sees it on this device, not opened.
  func container(of account: AccountID, device: UUID) -> CloudContainer {
    CloudContainer(
      store: paths.cloud.store, account: account, device: device,
      app: "reminders \(RemindersProgram.configuration.version) on \(paths.deviceName)")
  }
}
