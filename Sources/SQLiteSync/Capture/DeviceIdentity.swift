import Foundation
import GRDB

/// Which device a database is, and how it notices that it is a copy of another.
///
/// Two devices of one identity would take each other's edits for their own. A new identity costs
/// nothing: edits that are unsent stay unsent, and what is known of the cloud stays true. So there
/// is one whenever in doubt: when the file is another than the one that got the identity, and when
/// the log has edits of this device that this database never made.
enum DeviceIdentity {
  /// Gives a database that is in another file than before an identity of its own.
  static func renewIfCopied(in db: Database) throws {
    guard let file = try inode(of: db) else { return }
    let known = try DeviceState(db: db).file()
    guard known != file else { return }
    if known != nil { try renew(in: db) }
    try DeviceState(db: db).set(file: file)
  }

  /// Gives a database a new identity.
  @discardableResult
  static func renew(in db: Database) throws -> UUID {
    let device = UUID()
    try DeviceState(db: db).set(device: device)
    return device
  }

  /// The number of the file, without that of its disk, which may change when a machine starts.
  ///
  /// Nil for a database in memory, and where the file cannot be looked at.
  private static func inode(of db: Database) throws -> String? {
    guard let path = try db.mainFile() else { return nil }
    var status = stat()
    return stat(path, &status) == 0 ? "\(status.st_ino)" : nil
  }
}

extension UUID {
  /// The 16 bits that stand for this device in a field clock.
  var clockBits: UInt16 { UInt16(uuid.0) << 8 | UInt16(uuid.1) }
}
