import RemindersCore
import RemindersImages
import RemindersTerminal

/// An image that is being chosen: the cover made of it, and its picture, once they are there.
struct ImageChoice: Equatable, Sendable {
  /// What became of a file.
  struct Made: Equatable, Sendable {
    var path: String
    var result: Result<CoverImage, Problem>
  }

  /// The cover that was made last.
  var made: Made?
  /// The picture that was drawn last.
  private var drawn: Drawn?

  private struct Drawn: Equatable, Sendable {
    var request: PictureRequest
    var result: Result<HalfBlockImage, Problem>
  }

  /// What became of the file at a path; nil while it is being read.
  func result(of path: String) -> Result<CoverImage, Problem>? {
    made?.path == path ? made?.result : nil
  }

  mutating func receive(_ result: Result<HalfBlockImage, Problem>, of request: PictureRequest) {
    drawn = Drawn(request: request, result: result)
  }

  /// The picture of a cover.
  func picture(of cover: CoverImage) -> HalfBlockImage? {
    guard let drawn, drawn.request.cover == cover, case .success(let picture) = drawn.result else {
      return nil
    }
    return picture
  }

  /// Draws the picture of a cover in the middle of a space.
  func draw(_ cover: CoverImage, on surface: inout Surface, in rect: Rect) {
    guard let picture = picture(of: cover) else { return }
    let size = Size(columns: picture.width, rows: (picture.height + 1) / 2)
    picture.draw(on: &surface, in: rect.centered(size))
  }
}
