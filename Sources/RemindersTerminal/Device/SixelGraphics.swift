import Foundation

/// Pictures in terminals that show real pixels, by DEC's sixels.
///
/// Pixels take the place of the cells below them, and are gone when those are written again.
/// https://vt100.net/docs/vt3xx-gp/chapter14.html
enum SixelGraphics {
  /// Asks for the number of colours, the largest picture, and the extent of a cell.
  ///
  /// Only for terminals that have sixels: others may take the first two for a wish to scroll.
  static let questions = "\u{1B}[?1;1;0S\u{1B}[?2;1;0S\u{1B}[16t"

  /// Shows a picture over its cells.
  static func show(_ picture: FramePicture) -> String {
    let origin = picture.rect.origin
    return "\u{1B}7\u{1B}[\(origin.row + 1);\(origin.column + 1)H"
      + String(decoding: picture.data, as: UTF8.self) + "\u{1B}8"
  }
}
