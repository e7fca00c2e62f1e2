import Foundation
import RemindersCore
import RemindersImages
import RemindersTerminal

// What is read of image files and drawn of covers, off the main actor.

/// A cover to be drawn into a space.
struct PictureRequest: Equatable, Sendable {
  var cover: CoverImage
  var space: Size
  var mode: Picture.Mode

  fileprivate func drawn(from cache: PictureCache) throws -> HalfBlockImage {
    let (width, height) = HalfBlockImage.pixelSize(filling: space)
    let picture = try cache.picture(
      of: cover.data, in: PixelSize(width: width, height: height), mode)
    return HalfBlockImage(
      width: picture.size.width, height: picture.size.height, pixels: picture.pixels.map(RGB.init))
  }
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

/// The picture of the cover in the header of a list.
struct HeaderPicture: ShownFile {
  let request: PictureRequest

  func find(_ sources: SubscriptionSources) throws -> HalfBlockImage {
    try request.drawn(from: sources.pictures)
  }

  func show(_ result: Result<HalfBlockImage, Problem>, in state: inout AppState) {
    state.home.cover?.receive(result, of: request)
  }
}

/// The same in real pixels.
struct SharpHeaderPicture: ShownFile {
  let request: SharpRequest

  func find(_ sources: SubscriptionSources) throws -> Data {
    try request.encoded(from: sources.pictures)
  }

  func show(_ result: Result<Data, Problem>, in state: inout AppState) {
    state.home.cover?.receive(sharp: result, of: request)
  }
}

/// The picture in a form, or in the choice of a file.
struct Preview: ShownFile {
  let request: PictureRequest

  func find(_ sources: SubscriptionSources) throws -> HalfBlockImage {
    try request.drawn(from: sources.pictures)
  }

  func show(_ result: Result<HalfBlockImage, Problem>, in state: inout AppState) {
    state.changeImageChoices { $0.receive(result, of: request) }
  }
}

/// A file to make a cover of, and who does.
struct CoverFile: ShownFile {
  let path: String
  let account: String?
  /// Another number has it read once more.
  var attempt = 0

  func find(_ sources: SubscriptionSources) throws -> CoverImage {
    try CoverImage(file: path, account: account, now: sources.environment.now())
  }

  func show(_ result: Result<CoverImage, Problem>, in state: inout AppState) {
    state.changeImageChoices { $0.made = ImageChoice.Made(path: path, result: result) }
  }
}

/// What is in a directory.
struct DirectoryListing: ShownFile {
  let path: String

  func find(_ sources: SubscriptionSources) throws -> ImageDirectory { try ImageDirectory(path) }

  func show(_ result: Result<ImageDirectory, Problem>, in state: inout AppState) {
    state.screens.update(ImageBrowser.self) { $0.receive(result, at: path) }
    state.screens.update(ListForm.self) { $0.cover.receive(result, at: path) }
  }
}

extension AppState {
  fileprivate mutating func changeImageChoices(_ change: (inout ImageChoice) -> Void) {
    screens.update(ImageBrowser.self) { change(&$0.image) }
    screens.update(ListForm.self) { change(&$0.cover.image) }
  }
}
