import Foundation

/// `CLOUD.json`: makes a directory a cloud, says which one and what a program must be able to do.
struct CloudFile: Hashable {
  /// Unique to this cloud.
  let id: String
  var version = Commit.version
  var needs = MetaEntry.Needs()

  /// Whether this program may write to the cloud.
  var canWrite: Bool { version <= Commit.version && needs.write.isEmpty }

  init(id: String) {
    self.id = id
  }

  var encoded: Data {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("f", "cloud")
      writer.member("id", id)
      writer.member("needRead") { $0.strings(needs.read) }
      writer.member("needWrite") { $0.strings(needs.write) }
      writer.member("v", version)
    }
    writer.newline()
    return Data(writer.bytes)
  }

  /// Reads the file; `accountTemporarilyUnavailable` when it is not one.
  static func read(_ bytes: [UInt8]) throws -> CloudFile {
    var scanner = JSONScanner(bytes)
    let reason: String
    do {
      let document = try scanner.line()
      if document["f"]?.string == "cloud", let id = document["id"]?.string, !id.isEmpty,
        let version = document["v"]?.integer, version >= 1, scanner.isAtEnd,
        let needs = MetaEntry.Needs(document)
      {
        var file = CloudFile(id: id)
        file.version = version
        file.needs = needs
        return file
      }
      reason = "it lacks f, id, v or what is needed, or has more than one line"
    } catch {
      reason = "\(error)"
    }
    throw CloudError(
      .accountTemporarilyUnavailable, "CLOUD.json is not the file of a cloud: \(reason).",
      hint: "A repair (CloudRepair) on a device that has used it puts the file back.")
  }

  /// Whether bytes are the file of no cloud, of whatever format.
  static func isJunk(_ bytes: Data) -> Bool {
    // Whatever is wrong with it.
    (try? read(Array(bytes))) == nil
  }

  /// Refuses a newer format.
  func requireReadable() throws {
    guard needs.read.isEmpty else {
      throw CloudError.newerFormat("The cloud needs \(needs.read.joined(separator: ", "))")
    }
    guard version <= Commit.version else {
      throw CloudError.newerFormat("The cloud is of format \(version)")
    }
  }
}

/// `account.json`: makes a directory an account's.
struct AccountFile: Hashable {
  let account: AccountID

  var encoded: Data {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("account", account.rawValue)
      writer.member("f", "account")
      writer.member("v", Commit.version)
    }
    writer.newline()
    return Data(writer.bytes)
  }
}
