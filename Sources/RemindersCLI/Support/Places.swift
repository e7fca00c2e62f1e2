import Cloud
import Foundation
import Glibc

/// Where things are and who is asking: from the options, else the environment, else the XDG
/// directories.
struct Places {
  let dataDirectory: URL
  let cloudDirectory: URL
  let account: AccountID
  let deviceName: String

  init(
    _ options: PlaceOptions,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    func value(_ option: String?, _ variable: String) -> String? {
      option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    dataDirectory =
      value(options.dataDirectory, "REMINDERS_DATA_DIR").map { URL(filePath: $0) }
      ?? Self.dataHome(environment).appending(path: "reminders")
    cloudDirectory =
      value(options.cloud, "REMINDERS_CLOUD").map { URL(filePath: $0) }
      ?? dataDirectory.appending(path: "cloud")
    deviceName =
      value(options.device, "REMINDERS_DEVICE") ?? ProcessInfo.processInfo.hostName
    guard let name = value(options.account, "REMINDERS_ACCOUNT") else {
      account = AccountID(userID: getuid())
      return
    }
    guard let account = AccountID(name: name) else {
      throw Failure(
        .usage, "“\(name)” cannot be the name of an account.",
        hint: "Use up to 32 lower-case letters, digits, dots, hyphens and underscores.")
    }
    self.account = account
  }

  /// The log of synchronization, beside the data.
  var logFile: URL { dataDirectory.appending(path: "sync.log") }
  /// What is written to standard error while the screen is up.
  var errorLog: URL { dataDirectory.appending(path: "stderr.log") }

  /// Makes the directory of a cloud that is new.
  func makeCloudDirectory() throws {
    do {
      try FileManager.default.createDirectory(
        at: cloudDirectory, withIntermediateDirectories: true)
    } catch {
      throw Failure(
        .cloudUnreachable, "The cloud directory \(cloudDirectory.path) cannot be made.",
        hint: "Give another with --cloud, or check that you may write there.")
    }
  }

  // The specification tells to ignore relative paths.
  private static func dataHome(_ environment: [String: String]) -> URL {
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(filePath: path)
    }
    let home = environment["HOME"].map { URL(filePath: $0) }
    return (home ?? FileManager.default.homeDirectoryForCurrentUser)
      .appending(path: ".local/share")
  }
}
