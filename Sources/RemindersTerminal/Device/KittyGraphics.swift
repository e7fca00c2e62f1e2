import Foundation

/// Pictures in terminals that show real pixels, by kitty's graphics protocol.
///
/// https://sw.kovidgoyal.net/kitty/graphics-protocol/
enum KittyGraphics {
  /// Asks whether the terminal shows pictures; one that does answers with `answer`.
  static let query = "\u{1B}_Gi=\(queryID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"

  /// What follows `ESC _` in the answer that says yes.
  static let answer = "Gi=\(queryID);OK"

  private static let queryID = 31
  private static let pictureID = 1
  /// The protocol's limit for one piece of the payload.
  private static let pieceLength = 4096

  /// Shows a picture over its cells, whatever they are.
  static func show(_ picture: FramePicture) -> String {
    let payload = Array(picture.data.base64EncodedString().utf8)
    let (origin, size) = (picture.rect.origin, picture.rect.size)
    // C=1: the cursor stays. q=2: no answer.
    var control =
      "a=T,f=100,i=\(pictureID),c=\(size.columns),r=\(size.rows),C=1,q=2"
    var sequence = "\u{1B}7\u{1B}[\(origin.row + 1);\(origin.column + 1)H"
    for start in stride(from: 0, to: payload.count, by: pieceLength) {
      let piece = payload[start..<min(start + pieceLength, payload.count)]
      let isLast = start + pieceLength >= payload.count
      sequence += "\u{1B}_G\(control),m=\(isLast ? 0 : 1);" + String(decoding: piece, as: UTF8.self)
      sequence += "\u{1B}\\"
      control = "q=2"
    }
    return sequence + "\u{1B}8"
  }

  /// Takes the picture away, and its bytes out of the terminal's memory.
  static let remove = "\u{1B}_Ga=d,d=I,i=\(pictureID),q=2\u{1B}\\"
}
