import ArgumentParser
import Foundation
import RemindersUI

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Say which file configures the app, and what it may say.",
    discussion: "To begin with a file of your own: reminders config --defaults > FILE.")

  @Flag(help: "Print a configuration that changes nothing: all there is, in comments.")
  var defaults = false
  @OptionGroup var options: GlobalOptions

  func run() throws {
    if defaults {
      print(Settings.defaults, terminator: "")
      return
    }
    let places = try Places(options.places)
    print(places.configFile.path)
    for warning in try places.readSettings().warnings { Messages.write(warning) }
  }
}

extension Places {
  /// What the configuration file says; the defaults without one.
  func readSettings() throws -> Settings {
    guard FileManager.default.fileExists(atPath: configFile.path) else { return Settings() }
    do {
      return Settings(String(decoding: try Data(contentsOf: configFile), as: UTF8.self))
    } catch {
      throw Failure(
        .failed, "The configuration \(configFile.path) cannot be read.",
        hint: "Check that it is a file and that you may read it.")
    }
  }
}
