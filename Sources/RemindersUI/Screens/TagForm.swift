import RemindersCore
import RemindersTerminal

/// Renames a tag.
struct TagForm: LinePrompt {
  let tag: Tag.ID
  var line: TextField
  let acceptHint = "rename"

  init(_ tag: Tag.ID) {
    self.tag = tag
    line = TextField(tag)
  }

  func accept(in state: inout AppState) -> [Effect] {
    line.text == tag ? state.closeScreen() : state.leave(for: .renameTag(tag, to: line.text))
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    let exists = (state.home.sidebar?.tags ?? []).contains {
      $0.title != tag && $0.title.lowercased() == line.text.lowercased()
    }
    return LineSurroundings(
      columns: 52, title: "Rename #\(tag)", placeholder: "errand",
      explanation: [
        exists
          ? StyledRun("This tag exists: the two become one.", .warning)
          : StyledRun("On all reminders that carry it.", .dim)
      ])
  }
}
