import Foundation
import RemindersCore
import RemindersFiles
import RemindersTerminal

/// What was typed and not saved when the app was ended from outside, as by a terminal that closes:
/// the next start has it again.
struct UnsavedText: Codable, Equatable, Sendable {
  /// What was typed in the form of a reminder.
  struct Form: Codable, Equatable, Sendable {
    /// The reminder; nil for a new one.
    let reminder: Reminder.ID?
    /// The list it was in.
    let list: RemindersList.ID?
    /// The fields that said something else than they did, by their columns.
    let fields: [String: String]
  }

  /// The line of a new reminder.
  var line = ""
  /// The forms that were open, the last one on top.
  var forms: [Form] = []

  var isEmpty: Bool { line.isEmpty && forms.isEmpty }
}

extension AppState {
  /// What would be lost if the app ended now.
  var unsavedText: UnsavedText {
    let line = screens.reversed().lazy.compactMap { ($0 as? QuickAdd)?.line.text }.first
    return UnsavedText(
      line: line ?? quickAddMemory.unfinished,
      forms: screens.compactMap { ($0 as? ReminderForm)?.unsavedText(in: time) })
  }

  /// Lets the person go on with it.
  mutating func bringBack(_ text: UnsavedText) {
    if quickAddMemory.unfinished.isEmpty { quickAddMemory.unfinished = text.line }
    screens += ScreenStack(text.forms.map { ReminderForm($0, in: time, with: schema) })
    guard !text.isEmpty else { return }
    notify(
      text.forms.isEmpty
        ? "What you typed for a new reminder before is still there."
        : "What you typed before the app was ended is here again.",
      offering: text.forms.isEmpty ? .addReminder : nil)
  }
}

extension UIEnvironment {
  /// Keeps it for the next start, for its owner alone.
  func keep(_ text: UnsavedText) throws {
    guard let unsavedDirectory else { return }
    try PrivateFile.makeDirectory(unsavedDirectory)
    // Several windows may be ended at once.
    let file = unsavedDirectory.appending(path: UUID().uuidString + ".json")
    try PrivateFile.create(try JSONEncoder().encode(text), at: file)
  }

  /// Takes what was kept: it is the app's again.
  func takeUnsavedText() throws -> UnsavedText {
    guard let unsavedDirectory, FileManager.default.fileExists(atPath: unsavedDirectory.path)
    else { return UnsavedText() }
    let files = try FileManager.default.contentsOfDirectory(
      at: unsavedDirectory, includingPropertiesForKeys: nil)
    var all = UnsavedText()
    for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "json" {
      do {
        let text = try JSONDecoder().decode(
          UnsavedText.self, from: OrdinaryFile(file.path).read())
        all.line = all.line.isEmpty ? text.line : all.line
        all.forms += text.forms
      } catch {
        throw Problem(
          "\(file.path) is not what was typed before.", hint: "Look into it, and remove it.")
      }
      try FileManager.default.removeItem(at: file)
    }
    return all
  }
}
