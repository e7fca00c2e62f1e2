import Foundation
import RemindersCore

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
  ///
  /// Other processes may do so meanwhile.
  func push(_ step: UndoStep) throws {
    guard !step.isEmpty else { return }
    let numbers = numbers()
    var number = (numbers.last ?? 0) + 1
    do {
      while try !file(number).add(step) { number += 1 }
    } catch {
      throw AppError(
        .cannotCreate,
        "Done, but it cannot be undone: \(file(number).url.path) could not be written.")
    }
    for number in numbers.dropLast(Self.depth - 1) { try file(number).remove() }
  }

  /// The last step and what takes it off the stack, or nil when there is none.
  func last() throws -> (step: UndoStep, remove: () throws -> Void)? {
    guard let number = numbers().last else { return nil }
    let step = try file(number).read(hint: "Remove it to undo the step before.")
    return (step, { try file(number).remove() })
  }

  private func file(_ number: Int) -> UndoStepFile {
    UndoStepFile(directory.appending(path: "\(number).json"))
  }

  /// In order; none where nothing was done yet.
  private func numbers() -> [Int] {
    // There is no directory before the first step.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.compactMap { $0.hasSuffix(".json") ? Int($0.dropLast(5)) : nil }.sorted()
  }
}
