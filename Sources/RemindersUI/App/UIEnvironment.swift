import Foundation
import RemindersCore
import RemindersImages
import RemindersTerminal

/// What the screens need of the world besides the database, the cloud and the terminal.
public struct UIEnvironment: Sendable {
  /// The present moment.
  public var now: @Sendable () -> Date
  /// The zone whose midnight ends the day; people travel while the app is open.
  public var timeZone: @Sendable () -> TimeZone
  /// How dates are written.
  public var localeFormat: LocaleFormat
  /// Returns at a moment, or throws when it is cancelled before.
  public var wait: @MainActor @Sendable (_ until: Date) async throws -> Void
  /// Lets the person edit a text in their editor, while the terminal is lent to it.
  public var editText: @Sendable (String) async throws -> String
  /// Opens a link outside of the terminal.
  public var openURL: @Sendable (String) async throws -> Void
  /// Puts a text on the clipboard of this machine.
  ///
  /// - Returns: Whether there is a program that does so.
  public var copy: @Sendable (String) async throws -> Bool
  /// Says something where there is no screen any more.
  public var tell: @Sendable (String) -> Void
  /// Whether another process announces on this device what is due.
  public var isAnnouncedElsewhere: @Sendable () -> Bool
  /// Where it is remembered how lists are shown; nil to forget.
  public var optionsFile: URL?
  /// Where it is kept how to bring a deleted list back; nil to forget.
  public var undoFile: URL?
  /// Where it is kept what was typed and not saved; nil to forget.
  public var unsavedDirectory: URL?
  /// Where pictures are kept that were drawn; nil to draw them each time.
  public var pictureCache: URL?
  /// Takes away what was kept of an account beside its data: pictures, and what takes back.
  public var forgetAccount: @Sendable () throws -> Void
  /// Where the choice of an image begins; may begin with `~`.
  public var picturesDirectory: String
  /// Where exports go.
  public var exportDirectory: URL
  /// What the person decided.
  public var settings: Settings
  /// Reads again what the person decided.
  public var readSettings: @Sendable () throws -> Settings

  /// The world as it is, unless told otherwise.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    timeZone: @escaping @Sendable () -> TimeZone = { .present },
    localeFormat: LocaleFormat = .international,
    wait: (@MainActor @Sendable (Date) async throws -> Void)? = nil,
    editText: @escaping @Sendable (String) async throws -> String = ExternalPrograms.editText,
    openURL: @escaping @Sendable (String) async throws -> Void = ExternalPrograms.openURL,
    copy: @escaping @Sendable (String) async throws -> Bool = ExternalPrograms.copy,
    tell: @escaping @Sendable (String) -> Void = UIEnvironment.writeToStandardError,
    isAnnouncedElsewhere: @escaping @Sendable () -> Bool = { false },
    optionsFile: URL? = nil, undoFile: URL? = nil, unsavedDirectory: URL? = nil,
    pictureCache: URL? = nil,
    forgetAccount: @escaping @Sendable () throws -> Void = {},
    picturesDirectory: String = UIEnvironment.usualPicturesDirectory,
    exportDirectory: URL = URL(filePath: ImageFile.absolute("~")),
    settings: Settings = Settings(), readSettings: (@Sendable () throws -> Settings)? = nil
  ) {
    self.now = now
    self.timeZone = timeZone
    self.localeFormat = localeFormat
    // The clock may be set meanwhile: whoever waits looks at it every day.
    self.wait =
      wait ?? { try await MainTimer.wait(seconds: min($0.timeIntervalSince(now()), 86_400)) }
    self.editText = editText
    self.openURL = openURL
    self.copy = copy
    self.tell = tell
    self.isAnnouncedElsewhere = isAnnouncedElsewhere
    self.optionsFile = optionsFile
    self.undoFile = undoFile
    self.unsavedDirectory = unsavedDirectory
    self.pictureCache = pictureCache
    self.forgetAccount = forgetAccount
    self.picturesDirectory = picturesDirectory
    self.exportDirectory = exportDirectory
    self.settings = settings
    self.readSettings = readSettings ?? { settings }
  }
}

extension UIEnvironment {
  /// Writes a line to standard error.
  public static let writeToStandardError: @Sendable (String) -> Void = { text in
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// The pictures in the person's home, or the home when there are none.
  public static var usualPicturesDirectory: String {
    let path = "~/Pictures/"
    let exists = FileManager.default.fileExists(atPath: ImageFile.absolute(path))
    return exists ? path : "~/"
  }
}
