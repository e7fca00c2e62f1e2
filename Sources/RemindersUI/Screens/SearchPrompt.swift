import RemindersCore
import RemindersTerminal

/// Asks for the name under which a search is saved, or for another name of one.
struct SearchPrompt: LinePrompt {
  /// What the name is for.
  enum Purpose: Equatable, Sendable {
    case save(query: String)
    case rename(SavedSearch)
  }

  let purpose: Purpose
  var line: TextField

  init(saving query: String) {
    purpose = .save(query: query)
    line = TextField("")
  }

  init(renaming search: SavedSearch) {
    purpose = .rename(search)
    line = TextField(search.title)
  }

  var acceptHint: String { if case .save = purpose { "save" } else { "rename" } }

  func accept(in state: inout AppState) -> [Effect] {
    switch purpose {
    case .save(let query): state.leave(for: .saveSearch(title: line.text, query: query))
    case .rename(let search) where search.title == line.text: state.closeScreen()
    case .rename(let search): state.leave(for: .renameSearch(search.id, to: line.text))
    }
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    let quoted = state.appearance.glyphs.quoted
    switch purpose {
    case .save(let query):
      let name = line.text.lowercased()
      let known = state.home.sidebar?.searches.first { $0.title.lowercased() == name }
      return LineSurroundings(
        columns: 60, title: "Save the search", placeholder: "a name",
        explanation: [
          known.map { StyledRun("In the place of \($0.query)", .warning) }
            ?? StyledRun(query, .dim)
        ])
    case .rename(let search):
      return LineSurroundings(
        columns: 60, title: "Rename \(quoted(search.title))", placeholder: "a name",
        explanation: [StyledRun(search.query, .dim)])
    }
  }
}

extension AppState {
  /// Asks for a name for the search that has the keys.
  mutating func openSearchPrompt() -> [Effect] {
    guard let search = searchScreen else { return [] }
    do throws(Problem) {
      return open(SearchPrompt(saving: try search.query(in: time)))
    } catch {
      return refuse(error)
    }
  }
}

extension SearchScreen {
  /// What is looked for as text that says it all.
  ///
  /// - Throws: `Problem` when text cannot say it.
  fileprivate func query(in time: LocalTime) throws(Problem) -> String {
    guard tokens.near.isEmpty else {
      throw Problem("A saved search has no words near each other.")
    }
    let text = field.text.trimmed
    // What is not a date yet cannot be saved, and is said then.
    if !tokens.tags.isEmpty, case .any = try? Filter(text, in: time) {
      throw Problem("Type tag: in each part of the search instead: it has an or.")
    }
    return ([text] + tokens.tags.map { "tag:\($0)" }).filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

extension String {
  /// Without white space around.
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
