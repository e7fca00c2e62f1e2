import Cloud
import Foundation
import Glibc
import Images
import Reminders

/// Where things are and who is asking: from the options, else the environment, else the XDG
/// directories.
struct Paths {
  let dataDirectory: URL
  /// What the person decided about the app.
  let configFile: URL
  /// What the app remembers and logs.
  let stateDirectory: URL
  let cloudDirectory: URL
  /// Who was named on the command line or in the environment.
  let chosenAccount: AccountID?
  let deviceName: String
  /// Where exports and saved logs go that were asked for on the screen.
  let home: URL
  /// Pictures that were drawn and can be drawn again.
  let pictureCache: URL

  init(
    _ options: PathOptions,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    func value(_ option: String?, _ variable: String) -> String? {
      option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    try options.requireNames()
    let home = XDGDirectories(environment)
    self.home = home.home
    // A directory that is named holds everything, so that two devices on one machine share nothing.
    let chosen = value(options.dataDirectory, "REMINDERS_DATA_DIR").map { URL(filePath: $0) }
    dataDirectory = chosen ?? home.data
    configFile = (chosen ?? home.config).appending(path: "config")
    stateDirectory = chosen ?? home.state
    pictureCache = (chosen ?? home.cache).appending(path: "images")
    cloudDirectory =
      value(options.cloud, "REMINDERS_CLOUD").map { URL(filePath: $0) }
      ?? dataDirectory.appending(path: "cloud")
    deviceName =
      value(options.device, "REMINDERS_DEVICE") ?? ProcessInfo.processInfo.hostName
    chosenAccount = try value(options.account, "REMINDERS_ACCOUNT").map(AccountID.init(typed:))
  }

  /// The log of synchronization.
  var logFile: URL { stateDirectory.appending(path: "sync.log") }
  /// What is written to standard error while the screen is up.
  var errorLog: URL { stateDirectory.appending(path: "stderr.log") }
  /// How the person last chose to see each list.
  var optionsFile: URL { stateDirectory.appending(path: "options") }

  /// Makes the directory for what the app remembers and logs.
  func makeStateDirectory() throws {
    do {
      try PrivateFile.makeDirectory(stateDirectory)
    } catch {
      throw AppError(
        .cannotCreate, "The directory \(stateDirectory.path) cannot be made.",
        hint: "Set XDG_STATE_HOME, or check that you may write there.")
    }
  }

  /// Makes the directory of a cloud that is new.
  func makeCloudDirectory() throws {
    do {
      try FileManager.default.createDirectory(
        at: cloudDirectory, withIntermediateDirectories: true)
    } catch {
      throw AppError(
        .cloudUnreachable, "The cloud directory \(cloudDirectory.path) cannot be made.",
        hint: "Give another with --cloud, or check that you may write there.")
    }
  }
}

extension PathOptions {
  /// Throws when an option has no name: an empty variable of a script is a mistake, and would mean
  /// the working directory.
  fileprivate func requireNames() throws {
    let options = [
      ("--data-dir", dataDirectory), ("--cloud", cloud), ("--account", account),
      ("--device", device),
    ]
    guard let empty = options.first(where: { $0.1?.isEmpty == true }) else { return }
    throw AppError(
      .invalidInput, "\(empty.0) needs a name, not an empty text.",
      hint: "Leave it out to use what is usual.")
  }
}

extension AccountID {
  /// The account of whoever runs the program.
  static var ofUser: AccountID { AccountID(userID: getuid()) }

  /// One's own account, as typed.
  ///
  /// That of the Unix user is called by his login name, or `u1000` by his number; nobody else's can
  /// be. `@ann` is one that is only a name, also for the user who is called ann.
  init(typed name: String) throws {
    if name == Self.ofUser.displayName || name == Self.ofUser.rawValue {
      self = .ofUser
      return
    }
    let isNumber = name.first == "u" && name.count > 1 && name.dropFirst().allSatisfy(\.isNumber)
    guard !isNumber else {
      throw AppError(
        .notPermitted, "“\(name)” is the account of another user of this system.",
        hint: "Yours is \(Self.ofUser.displayName).")
    }
    guard let account = AccountID(rawValue: name) ?? AccountID(name: name) else {
      throw AppError(
        .invalidInput, "“\(name)” cannot be the name of an account.",
        hint: "Use up to 32 lower-case letters, digits, dots, hyphens and underscores.")
    }
    self = account
  }
}

/// The directories of the XDG Base Directory Specification, for this app.
private struct XDGDirectories {
  let home: URL
  let data: URL
  let config: URL
  let state: URL
  let cache: URL

  init(_ environment: [String: String]) {
    let home = Self.home(environment)
    self.home = home
    func directory(_ variable: String, else path: String) -> URL {
      // The specification tells to ignore relative paths.
      let base = environment[variable].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
      return (base ?? home.appending(path: path)).appending(path: "reminders")
    }
    data = directory("XDG_DATA_HOME", else: ".local/share")
    config = directory("XDG_CONFIG_HOME", else: ".config")
    state = directory("XDG_STATE_HOME", else: ".local/state")
    cache = directory("XDG_CACHE_HOME", else: ".cache")
  }

  /// The person's home: where `HOME` names no place, what the list of users says.
  private static func home(_ environment: [String: String]) -> URL {
    if let path = environment["HOME"], path.hasPrefix("/") { return URL(filePath: path) }
    let entry = getpwuid(getuid())
    return URL(filePath: entry.map { String(cString: $0.pointee.pw_dir) } ?? "/")
  }
}
