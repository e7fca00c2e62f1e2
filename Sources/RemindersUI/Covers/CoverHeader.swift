import Foundation
import RemindersCore
import RemindersImages
import RemindersTerminal

/// The cover of a list as the header of its pane shows it.
struct CoverHeader: Equatable, Sendable {
  let listID: RemindersList.ID
  let cover: CoverImage
  /// The picture as it was drawn last; of an older size until the next one is there.
  private(set) var picture: HalfBlockImage?
  /// The picture in real pixels, and what was asked for.
  private var sharp: Sharp?
  /// Why there is no picture.
  private(set) var problem: Problem?

  private struct Sharp: Equatable, Sendable {
    var request: SharpRequest
    var data: Data
  }

  init(_ cover: CoverImage, of listID: RemindersList.ID, replacing old: CoverHeader?) {
    self.listID = listID
    self.cover = cover
    // Until the new picture is drawn, the old one keeps its place.
    picture = old?.listID == listID ? old?.picture : nil
  }

  /// Takes the picture in real pixels; without it, the cells show theirs.
  mutating func receive(sharp result: Result<Data, Problem>, of request: SharpRequest) {
    // The picture in cells reports why it cannot be drawn.
    sharp = (try? result.get()).map { Sharp(request: request, data: $0) }
  }

  /// The picture in real pixels, if it is the one that is asked for.
  func sharpPicture(for request: SharpRequest) -> Data? {
    sharp?.request == request ? sharp?.data : nil
  }

  mutating func receive(_ result: Result<HalfBlockImage, Problem>, of request: PictureRequest) {
    guard request.cover == cover else { return }
    switch result {
    case .success(let picture): (self.picture, problem) = (picture, nil)
    case .failure(let problem): (picture, self.problem) = (nil, problem)
    }
  }
}

extension HomeState {
  /// Takes over the cover that a list has now, or that it has none.
  mutating func show(_ cover: CoverImage?, of listID: RemindersList.ID) {
    if let old = self.cover, old.listID == listID, old.cover == cover { return }
    self.cover = cover.map { CoverHeader($0, of: listID, replacing: self.cover) }
  }

  /// The cover of the list whose reminders are shown.
  var shownCover: CoverHeader? {
    guard let cover, case .list(cover.listID) = shown?.query.kind else { return nil }
    return cover
  }
}

extension AppState {
  /// How much of a cover the pane shows.
  var coverRoom: Layout.CoverRoom {
    guard isOn(.covers), let header = home.shownCover else { return .none }
    guard header.cover.facts != nil else { return .line }
    if appearance.showsPictures { return .picture }
    // Where cells cannot say the same, there is a picture only if it is one of real pixels.
    let space = layout(cover: .picture).picture
    return space.flatMap { appearance.pixelFormat(over: $0.size) } == nil ? .line : .picture
  }

  /// The picture that the header needs.
  var headerPicture: PictureRequest? {
    guard let header = home.shownCover, let rect = layout.picture else { return nil }
    return PictureRequest(cover: header.cover, space: rect.size, mode: .filling)
  }

  /// The same in real pixels, where the terminal shows them.
  var sharpHeaderPicture: SharpRequest? {
    guard let picture = headerPicture,
      let format = appearance.pixelFormat(over: picture.space)
    else { return nil }
    return SharpRequest(picture: picture, format: format)
  }

  /// The picture in real pixels over the cells of the same; nothing may lie above those.
  var framePicture: FramePicture? {
    guard screens.isEmpty, pendingKeys.isEmpty, let rect = layout.picture,
      let request = sharpHeaderPicture, let data = home.shownCover?.sharpPicture(for: request)
    else { return nil }
    return FramePicture(rect: rect, data: data, format: request.format)
  }

  /// Draws the picture, and the line about it below.
  func drawCover(on surface: inout Surface, _ layout: Layout) {
    guard let header = home.shownCover else { return }
    if appearance.showsPictures, let rect = layout.picture {
      header.picture?.draw(on: &surface, in: rect)
    }
    guard let line = layout.coverLine else { return }
    let glyphs = appearance.glyphs
    if let problem = header.problem ?? (header.cover.facts == nil ? .noImage : nil) {
      surface.write(
        problem.reason, at: line.origin, role: .warning, width: line.size.columns,
        ellipsis: glyphs.ellipsis)
      return
    }
    let parts = (header.cover.facts?.parts(in: time) ?? []).map(glyphs.adapted)
    surface.write(
      TextWidth.joined(
        parts, by: " \(glyphs.separator) ", fitting: line.size.columns,
        ellipsis: glyphs.ellipsis),
      at: line.origin, role: .dim, width: line.size.columns, ellipsis: glyphs.ellipsis)
  }
}

extension Problem {
  static let noImage = Problem("The cover of this list is not an image.")
}

extension TextWidth {
  /// What must be left of a name that is shortened.
  private static let leastName = 8

  /// As many of the parts as there is room for; at least the first one.
  ///
  /// The first one is the name of a file: it is shortened before another part is left out.
  fileprivate static func joined(
    _ parts: [String], by separator: String, fitting columns: Int, ellipsis: String
  ) -> String {
    var others = parts.dropFirst()
    let name = parts.first ?? ""
    while !others.isEmpty {
      let rest = others.reduce("") { $0 + separator + $1 }
      let room = columns - self.columns(of: rest)
      if room >= min(self.columns(of: name), leastName) {
        return shortenedInside(name, to: room, ellipsis: ellipsis) + rest
      }
      others.removeLast()
    }
    return name
  }
}
