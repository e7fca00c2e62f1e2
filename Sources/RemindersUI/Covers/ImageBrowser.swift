import RemindersCore
import RemindersImages
import RemindersTerminal

/// Chooses an image file: a directory to walk through, and a picture of what the cursor is on.
struct ImageBrowser: Prompt {
  /// The directory that was asked for.
  private(set) var request: String
  /// Where that is, once it was read.
  private var path: String?
  private var entries: [ImageDirectory.Entry] = []
  private var problem: Problem?
  var picker = Picker<String>([])
  var image = ImageChoice()

  private static let parent = ".."

  init(directory: String) {
    request = directory
  }

  private func path(of name: String) -> String {
    let path = path ?? request
    return path.hasSuffix("/") ? path + name : path + "/" + name
  }

  /// The image under the cursor.
  var currentImage: String? {
    guard let name = picker.current?.id,
      entries.contains(where: { $0.name == name && !$0.isDirectory })
    else { return nil }
    return path(of: name)
  }

  /// The directory under the cursor.
  private var currentDirectory: String? {
    guard let name = picker.current?.id, currentImage == nil else { return nil }
    guard name == Self.parent else { return path(of: name) }
    let path = path ?? request
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  var place: String? { "Choose an image" }

  mutating func type(_ key: Key, in state: AppState) { picker.handle(key) }
  mutating func paste(_ text: String, in state: AppState) { picker.paste(text) }
  mutating func scroll(by step: Int, in state: AppState) { picker.handle(step < 0 ? .up : .down) }

  func accept(in state: inout AppState) -> [Effect] {
    if let path = currentImage {
      state.screens.removeLast()
      state.listForm?.take(path, image)
    } else if let currentDirectory {
      state.screens[top: ImageBrowser.self] = ImageBrowser(directory: currentDirectory)
    }
    return []
  }

  mutating func receive(_ result: Result<ImageDirectory, Problem>, at request: String) {
    guard request == self.request else { return }
    switch result {
    case .failure(let problem):
      self.problem = problem
      (path, entries) = (ImageFile.absolute(request), [])
    case .success(let directory):
      problem = nil
      (path, entries) = (directory.path, directory.entries)
    }
    let parent = path == "/" ? [] : [PickerItem(id: Self.parent, title: Self.parent)]
    picker = Picker(
      parent
        + entries.map { entry in
          PickerItem(
            id: entry.name, title: entry.name + (entry.isDirectory ? "/" : ""),
            note: entry.size?.text ?? "")
        }, current: entries.first { !$0.isDirectory }?.name)
  }

  func subscriptions(in state: AppState) -> [any Subscription] {
    var wanted: [any Subscription] = [DirectoryListing(path: request)]
    if let currentImage {
      wanted.append(CoverFile(path: currentImage, account: state.sync?.account))
    }
    if let cover = currentCover, let rect = Self.parts(of: state).preview {
      wanted.append(
        Preview(request: PictureRequest(cover: cover, space: rect.size, mode: .whole)))
    }
    return wanted
  }

  private var currentCover: CoverImage? {
    // `facts` tells why there is none.
    currentImage.flatMap { image.result(of: $0) }.flatMap { try? $0.get() }
  }
}

extension AppState {
  mutating func openImageBrowser() -> [Effect] {
    guard let form = listForm else { return [] }
    let isTyped = form.cover.path.text.contains("/")
    return open(ImageBrowser(directory: isTyped ? form.cover.directory : picturesDirectory))
  }
}

// MARK: - What is seen

extension ImageBrowser {
  /// Where the parts are: the box, the list, the facts about the image, and its picture.
  private static func parts(
    of state: AppState
  ) -> (box: Rect, list: Rect, facts: Rect, preview: Rect?) {
    let body = state.layout.body
    let box = body.centered(
      Size(columns: min(96, body.size.columns), rows: min(22, body.size.rows)))
    let inside = box.inset(columns: 3, rows: 1)
    guard state.appearance.showsPictures, inside.size.columns >= 60 else {
      let (list, facts) = inside.splitBottom(3)
      return (box, list, facts, nil)
    }
    let (list, right) = inside.splitRight(inside.size.columns / 2)
    let (preview, facts) = right.inset(columns: 1).splitBottom(3)
    return (box, list, facts, preview)
  }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let parts = Self.parts(of: state)
    surface.box(parts.box, title: path ?? request, glyphs: glyphs)
    let caret = picker.draw(
      on: &surface, in: parts.list, glyphs: glyphs, placeholder: "type to narrow down")
    if let cover = currentCover, let preview = parts.preview {
      image.draw(cover, on: &surface, in: preview)
    }
    let (lines, role) = facts
    for (row, line) in lines.prefix(parts.facts.size.rows - 1).enumerated() {
      surface.write(
        glyphs.adapted(line), at: parts.facts.origin.moved(rows: row + 1), role: role,
        width: parts.facts.size.columns, ellipsis: glyphs.ellipsis)
    }
    return caret
  }

  /// The facts about the image under the cursor.
  private var facts: ([String], Role) {
    if let problem { return ([problem.reason, problem.hint ?? ""], .error) }
    if picker.current == nil, path != nil { return (["Nothing here has this name."], .dim) }
    guard let path = currentImage else { return ([], .dim) }
    return switch image.result(of: path) {
    case nil: (["reading …"], .dim)
    case .success(let cover): (cover.facts?.imageParts ?? [], .dim)
    case .failure(let problem): ([problem.reason, problem.hint ?? ""], .error)
    }
  }
}
