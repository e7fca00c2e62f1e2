import ArgumentParser
import Foundation
import RemindersCore
import RemindersUI

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    command: "config", abstract: "Say which file configures the app, and what it may say.",
    discussion: "For example, to begin with a file of your own: reminders config --defaults > FILE")

  @Flag(help: "Print a configuration that changes nothing: all there is, in comments.")
  var defaults = false
  @OptionGroup var options: GlobalOptions

  func run() throws {
    if defaults {
      return try Output.write(
        Settings.defaults.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    }
    let paths = try Paths(options.choices)
    print(paths.configFile.path.printable)
    for warning in paths.settingsOrWarning().warnings { Messages.write(warning) }
  }
}

extension Paths {
  /// So long no configuration is by intent.
  private static let maximumBytes = 1 << 18

  /// What the configuration file says, or why it cannot be read: that keeps nobody from their data.
  func settingsOrWarning() -> Settings {
    do {
      return try readSettings()
    } catch {
      return Settings(warning: error.description)
    }
  }

  /// What the configuration file says; the defaults without one.
  func readSettings() throws(AppError) -> Settings {
    let file = configFile.resolvingSymlinksInPath()
    do {
      // A pipe would be waited for, and a device has no end.
      let facts = try FileManager.default.attributesOfItem(atPath: file.path)
      guard facts[.type] as? FileAttributeType == .typeRegular else {
        throw unreadable(hint: "It is not an ordinary file.")
      }
      guard facts[.size] as? Int ?? 0 <= Self.maximumBytes else {
        throw unreadable(hint: "It has more than \(Self.maximumBytes >> 10) kB.")
      }
      return Settings(String(decoding: try Data(contentsOf: file), as: UTF8.self))
    } catch let error as AppError {
      throw error
    } catch CocoaError.fileReadNoSuchFile {
      return Settings()
    } catch {
      throw unreadable(hint: "Check that you may read it.")
    }
  }

  private func unreadable(hint: String) -> AppError {
    AppError("The configuration \(configFile.path) cannot be read.", hint: hint)
  }
}
