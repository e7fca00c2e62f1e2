import CRemindersGd
import Foundation
import Synchronization

/// What libgd has to say while it decodes.
///
/// On the screen it would be in the way; but that data are missing in the middle of a JPEG is said
/// nowhere else.
enum LibraryMessages {
  /// libgd tells all threads' messages to one listener, so one listens at a time.
  private static let turn = NSLock()
  private static let haveTold = Mutex(false)

  /// What libjpeg says when pixels have no data; then it paints them grey.
  private static let missingData = "premature end"

  /// Keeps them from the screen.
  static func listen(to gd: gd_library) {
    gd.gdSetErrorMethod { _, format, arguments in
      guard let format, let arguments else { return }
      var text = [CChar](repeating: 0, count: 256)
      vsnprintf(&text, text.count, format, arguments)
      let message = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      guard String(decoding: message, as: UTF8.self).contains(LibraryMessages.missingData) else {
        return
      }
      LibraryMessages.haveTold.withLock { $0 = true }
    }
  }

  /// An image decoded by libgd, unless some of its data were missing.
  static func whole(_ gd: gd_library, _ decode: () -> gdImagePtr?) -> gdImagePtr? {
    turn.withLock {
      haveTold.withLock { $0 = false }
      let image = decode()
      guard haveTold.withLock({ $0 }) else { return image }
      gd.gdImageDestroy(image)
      return nil
    }
  }
}
