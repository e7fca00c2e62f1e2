import Foundation
import RemindersCore
import RemindersImages
import RemindersTerminal

/// The cover in the form of a list: the path of a file to make one of, or none to have.
struct CoverField: Equatable, Sendable {
  /// What the field comes to.
  enum Outcome: Equatable, Sendable {
    case unchanged
    /// The file is being read.
    case reading
    /// A new cover, or none.
    case changed(CoverImage?)
    case failed(Problem)
  }

  /// The path as it is typed.
  private(set) var path = TextField()
  /// Whether the list is to have no cover.
  private(set) var isRemoved = false
  var image = ImageChoice()
  /// How often the file was to be read once more.
  private(set) var attempt = 0
  /// What the directory of the path has.
  private var listing: Listing?

  private struct Listing: Equatable, Sendable {
    var path: String
    var entries: [ImageDirectory.Entry]
  }

  /// The path without the blanks around it.
  var typedPath: String { path.text.trimmingCharacters(in: .whitespaces) }

  var isChanged: Bool { !typedPath.isEmpty || isRemoved }

  var outcome: Outcome {
    if typedPath.isEmpty { return isRemoved ? .changed(nil) : .unchanged }
    return switch image.result(of: typedPath) {
    case nil: .reading
    case .success(let cover): .changed(cover)
    case .failure(let problem): .failed(problem)
    }
  }

  // MARK: - Changes

  mutating func type(_ key: Key) {
    path.handle(key)
    if !typedPath.isEmpty { isRemoved = false }
  }

  mutating func paste(_ text: String) {
    path.paste(text)
    if !typedPath.isEmpty { isRemoved = false }
  }

  mutating func moveCaret(toColumn column: Int, of columns: Int) {
    path.moveCaret(toColumn: column, of: columns)
  }

  /// Takes a file that was chosen elsewhere, with what is known of it.
  mutating func choose(_ path: String, _ image: ImageChoice) {
    self.path.text = path
    self.image = image
    isRemoved = false
  }

  /// Lets the file be read once more.
  mutating func readAgain() {
    image.made = nil
    attempt += 1
  }

  /// Forgets the file; and again, the list has no cover.
  mutating func remove() {
    if typedPath.isEmpty { isRemoved.toggle() } else { path.text = "" }
  }

  // MARK: - Completion

  /// The directory that the path is in, as it is typed.
  var directory: String {
    guard let slash = path.text.lastIndex(of: "/") else { return "." }
    return String(path.text[...slash])
  }

  private var typedName: Substring {
    path.text.lastIndex(of: "/").map { path.text[path.text.index(after: $0)...] }
      ?? path.text[...]
  }

  mutating func receive(_ result: Result<ImageDirectory, Problem>, at path: String) {
    // A directory that cannot be read has nothing to complete; the file says why when it is read.
    listing = Listing(path: path, entries: (try? result.get().entries) ?? [])
  }

  /// The entries that what is typed may become.
  var candidates: [ImageDirectory.Entry] {
    guard let listing, listing.path == directory, !path.text.isEmpty else { return [] }
    let name = typedName.lowercased()
    return listing.entries.filter { $0.name.lowercased().hasPrefix(name) }
  }

  /// Whether what is typed is the name of an image that is there.
  var namesAnImage: Bool {
    candidates.contains { !$0.isDirectory && $0.name == typedName }
  }

  /// Completes the name as far as there is no choice.
  ///
  /// - Returns: Whether that made a difference.
  mutating func complete() -> Bool {
    let candidates = candidates
    guard let first = candidates.first, !namesAnImage else { return false }
    var name = first.name
    for other in candidates.dropFirst() {
      name = String(zip(name, other.name).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
    }
    let isWhole = candidates.count == 1
    let completed = name + (isWhole && first.isDirectory ? "/" : "")
    guard completed.count > typedName.count else { return false }
    path.text = path.text.dropLast(typedName.count) + completed
    return true
  }
}
