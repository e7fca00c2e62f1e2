import Foundation
import Glibc
import RemindersCore
import RemindersFiles
import SQLiteSyncCloud

/// Where things are and who is asking: from the options, else the environment, else the XDG
/// directories.
struct Paths {
  let dataDirectory: URL
  /// What the person decided about the app.
  let configFile: URL
  /// What the app remembers and logs.
  let stateDirectory: URL
  let cloud: CloudLocation
  /// Who was named on the command line or in the environment.
  let chosenAccount: AccountID?
  private let chosenDevice: String?
  /// Where exports and saved logs go that were asked for on the screen.
  let home: URL
  /// Pictures that were drawn and can be drawn again.
  let pictureCache: URL
  /// Where systemd looks for the units of this person.
  let unitDirectory: URL

  init(
    _ choices: GlobalChoices,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    func value(_ option: String?, _ variable: String) -> String? {
      option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    try choices.requireNames()
    let home = XDGDirectories(environment)
    self.home = home.home
    // A directory that is named holds everything, so that two devices on one machine share nothing.
    let chosen = value(choices.dataDirectory, "REMINDERS_DATA_DIR").map { URL(filePath: $0) }
    dataDirectory = chosen ?? home.data
    configFile = (chosen ?? home.config).appending(path: "config")
    stateDirectory = chosen ?? home.state
    pictureCache = (chosen ?? home.cache).appending(path: "images")
    unitDirectory = home.config.deletingLastPathComponent().appending(path: "systemd/user")
    let cloud =
      try value(choices.cloud, "REMINDERS_CLOUD").map(CloudLocation.init(typed:))
      ?? .directory(dataDirectory.appending(path: "cloud"))
    self.cloud = cloud
    // Roles of a database may have accounts of users of any machine.
    switch cloud {
    case .ssh, .postgres: AccountID.usersAreOfAnotherMachine()
    case .directory, .s3: break
    }
    chosenDevice = value(choices.device, "REMINDERS_DEVICE")
    chosenAccount = try value(choices.account, "REMINDERS_ACCOUNT").map(cloud.account(typed:))
  }

  /// What this device is called.
  ///
  /// The host's name may be asked of the network.
  var deviceName: String { chosenDevice ?? ProcessInfo.processInfo.hostName }
  /// The log of synchronization.
  var logFile: URL { stateDirectory.appending(path: "sync.log") }
  /// What is written to standard error while the screen is up.
  var errorLog: URL { stateDirectory.appending(path: "stderr.log") }
  /// What takes back what was done here.
  var undoDirectory: URL { dataDirectory.appending(path: "undo") }
  /// How the app brings back a list that was deleted before it was started.
  var undoFile: URL { undoDirectory.appending(path: "app.json") }
  /// What was typed in the app and not saved before it was ended from outside.
  var unsavedDirectory: URL { undoDirectory.appending(path: "unsaved") }
  /// How the person last chose to see each list.
  var optionsFile: URL { stateDirectory.appending(path: "options") }

  /// The variables of an environment that decide where directories are.
  static func directoryVariables(
    _ environment: [String: String]
  ) -> [(name: String, value: String)] {
    ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].compactMap { name in
      environment[name].flatMap { $0.hasPrefix("/") ? (name, $0) : nil }
    }
  }

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
}

extension GlobalChoices {
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
