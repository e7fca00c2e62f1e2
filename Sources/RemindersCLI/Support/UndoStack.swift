import Foundation
import RemindersCore
import RemindersImages

/// What commands on this device did last, so that the next one can take it back: a file for each
/// step, numbered.
///
/// It is kept beside the data, and for its owner alone: a step has what was deleted.
struct UndoStack {
  private static let depth = 20

  private let directory: URL

  init(in dataDirectory: URL) {
    directory = dataDirectory.appending(path: "undo")
  }

  /// Adds a step; the oldest go.
  func push(_ step: UndoStep) throws {
    guard !step.isEmpty else { return }
    let numbers = numbers()
    let file = file((numbers.last ?? 0) + 1)
    do {
      try PrivateFile.makeDirectory(directory)
      try PrivateFile.replace(file, with: try JSONEncoder().encode(step))
    } catch {
      throw AppError(
        .cannotCreate, "It is done, but what could take it back cannot be kept in \(file.path).")
    }
    for number in numbers.dropLast(Self.depth - 1) { try remove(number) }
  }

  /// The last step and what takes it off the stack, or nil when there is none.
  func last() throws -> (step: UndoStep, remove: () throws -> Void)? {
    guard let number = numbers().last else { return nil }
    do {
      let step = try JSONDecoder().decode(
        UndoStep.self, from: OrdinaryFile(file(number).path).read())
      return (step, { try remove(number) })
    } catch {
      throw AppError(
        .cannotRead, "\(file(number).path) is no step that can be undone.",
        hint: "Remove it to undo the step before.")
    }
  }

  private func remove(_ number: Int) throws {
    try FileManager.default.removeItem(at: file(number))
  }

  private func file(_ number: Int) -> URL { directory.appending(path: "\(number).json") }

  /// In order; none where nothing was done yet.
  private func numbers() -> [Int] {
    // There is no directory before the first step.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.compactMap { $0.hasSuffix(".json") ? Int($0.dropLast(5)) : nil }.sorted()
  }
}
