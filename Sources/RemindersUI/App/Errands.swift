import Foundation
import Images
import Reminders
import Terminal

/// What the screens want to know of files and pictures; nil for what they do not want now.
struct Wishes: Equatable, Sendable {
  /// The picture of the cover in the header of a list.
  var header: PictureRequest?
  /// The same in real pixels.
  var sharpHeader: SharpRequest?
  /// The picture in a form or in the choice of a file.
  var preview: PictureRequest?
  /// A file to make a cover of.
  var cover: CoverFile?
  /// The path of a directory to look into.
  var directory: String?
}

/// A file to make a cover of, and who does.
struct CoverFile: Equatable, Sendable {
  var path: String
  var account: String?
}

/// A cover to be drawn into a space.
struct PictureRequest: Equatable, Sendable {
  var cover: CoverImage
  var space: Size
  var mode: Picture.Mode
}

/// A cover to be drawn in real pixels, as the terminal takes them.
struct SharpRequest: Equatable, Sendable {
  var picture: PictureRequest
  var format: PictureFormat

  fileprivate func encoded(from cache: PictureCache) throws -> Data {
    let (cell, encoding): (PixelSize, Picture.Encoding) =
      switch format {
      // A usual cell; the terminal scales to its own.
      case .png: (PixelSize(width: 10, height: 20), .png)
      case .sixels(let limits):
        (
          PixelSize(width: limits.cellWidth, height: limits.cellHeight),
          .sixels(colors: limits.colors)
        )
      }
    let space = PixelSize(
      width: picture.space.columns * cell.width, height: picture.space.rows * cell.height)
    return try cache.encoded(picture.cover.data, in: space, picture.mode, as: encoding)
  }
}

/// What an errand brought.
enum Delivery: Sendable {
  case header(PictureRequest, Result<HalfBlockImage, Problem>)
  case sharpHeader(SharpRequest, Result<Data, Problem>)
  case preview(PictureRequest, Result<HalfBlockImage, Problem>)
  case cover(String, Result<CoverImage, Problem>)
  case directory(String, Result<ImageDirectory, Problem>)
}

/// Runs the errands that the state wants.
@MainActor
final class Errands {
  private let header: Errand<PictureRequest, HalfBlockImage>
  private let sharpHeader: Errand<SharpRequest, Data>
  private let preview: Errand<PictureRequest, HalfBlockImage>
  private let cover: Errand<CoverFile, CoverImage>
  private let directory: Errand<String, ImageDirectory>

  init(
    _ environment: UIEnvironment,
    report: @escaping @MainActor (Delivery) -> Void, ended: @escaping @MainActor () -> Void
  ) {
    let cache = PictureCache(directory: environment.pictureCache)
    let draw = { @Sendable (request: PictureRequest) in
      try HalfBlockImage(request, from: cache)
    }
    header = Errand(work: draw, report: { report(.header($0, $1)) }, ended: ended)
    sharpHeader = Errand(
      work: { try $0.encoded(from: cache) }, report: { report(.sharpHeader($0, $1)) }, ended: ended)
    preview = Errand(work: draw, report: { report(.preview($0, $1)) }, ended: ended)
    cover = Errand(
      work: { try CoverImage(file: $0.path, account: $0.account, now: environment.now()) },
      report: { report(.cover($0.path, $1)) }, ended: ended)
    directory = Errand(
      work: { try ImageDirectory($0) }, report: { report(.directory($0, $1)) }, ended: ended)
  }

  /// Goes for what is wanted now.
  func follow(_ wishes: Wishes) {
    header.follow(wishes.header)
    sharpHeader.follow(wishes.sharpHeader)
    preview.follow(wishes.preview)
    cover.follow(wishes.cover)
    directory.follow(wishes.directory)
  }

  /// Whether something is still to be brought.
  var isRunning: Bool {
    header.isRunning || sharpHeader.isRunning || preview.isRunning || cover.isRunning
      || directory.isRunning
  }
}

extension HalfBlockImage {
  fileprivate init(_ request: PictureRequest, from cache: PictureCache) throws {
    let (width, height) = HalfBlockImage.pixelSize(filling: request.space)
    let picture = try cache.picture(
      of: request.cover.data, in: PixelSize(width: width, height: height), request.mode)
    self.init(
      width: picture.size.width, height: picture.size.height, pixels: picture.pixels.map(RGB.init))
  }
}

extension AppState {
  /// What is wanted of files and pictures now.
  var wishes: Wishes {
    var wishes = Wishes(header: headerPicture)
    wishes.sharpHeader = sharpHeaderPicture
    switch screens.last {
    case .imageBrowser(let browser): browser.addWishes(to: &wishes, self)
    case .listForm(let form): form.addWishes(to: &wishes, self)
    default: break
    }
    return wishes
  }

  /// Takes what an errand brought.
  mutating func receive(_ delivery: Delivery) -> [Effect] {
    switch delivery {
    case .header(let request, let result): home.cover?.receive(result, of: request)
    case .sharpHeader(let request, let result): home.cover?.receive(sharp: result, of: request)
    case .preview(let request, let result):
      for index in screens.indices { screens[index].receive(preview: result, of: request) }
    case .cover(let path, let result):
      for index in screens.indices { screens[index].receive(cover: result, of: path) }
      return saveIfWaiting()
    case .directory(let path, let result):
      for index in screens.indices { screens[index].receive(directory: result, at: path) }
    }
    return []
  }
}

extension Screen {
  fileprivate mutating func receive(
    preview: Result<HalfBlockImage, Problem>, of request: PictureRequest
  ) {
    withImages { $0.receive(preview, of: request) }
  }

  fileprivate mutating func receive(cover: Result<CoverImage, Problem>, of path: String) {
    withImages { $0.made = ImageChoice.Made(path: path, result: cover) }
  }

  fileprivate mutating func receive(
    directory: Result<ImageDirectory, Problem>, at path: String
  ) {
    switch self {
    case .imageBrowser(var browser):
      browser.receive(directory, at: path)
      self = .imageBrowser(browser)
    case .listForm(var form):
      form.cover.receive(directory, at: path)
      self = .listForm(form)
    default: break
    }
  }

  private mutating func withImages(_ change: (inout ImageChoice) -> Void) {
    switch self {
    case .imageBrowser(var browser):
      change(&browser.image)
      self = .imageBrowser(browser)
    case .listForm(var form):
      change(&form.cover.image)
      self = .listForm(form)
    default: break
    }
  }
}
