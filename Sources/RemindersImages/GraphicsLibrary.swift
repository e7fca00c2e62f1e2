import CRemindersGd

/// libgd, loaded when the first image is decoded.
enum GraphicsLibrary {
  /// Its file, as every program calls it.
  static let fileName = "libgd.so.3"

  private static let loaded = Result { () throws(ImageError) in
    let library = try load(fileName)
    LibraryMessages.listen(to: library)
    return library
  }

  /// Its functions, by their own names.
  ///
  /// - Throws: `ImageError` when the machine does not have it.
  static func functions() throws(ImageError) -> gd_library { try loaded.get() }

  /// Loads a library and finds the functions in it.
  ///
  /// - Throws: `ImageError` when it is not there, or another one than it should be.
  static func load(_ fileName: String) throws(ImageError) -> gd_library {
    try withUnsafeTemporaryAllocation(of: gd_library.self, capacity: 1) {
      buffer throws(ImageError) in
      guard let library = buffer.baseAddress, gd_library_load(fileName, library) else {
        throw ImageError(
          .failed, "Images cannot be decoded: the library \(fileName) is missing.",
          hint: "On Debian, install the package libgd3; everything else works without it.")
      }
      return library.move()
    }
  }
}
