/// A string that is compared by its bytes, as SQLite compares text.
///
/// Swift's own `==` finds the two Unicode spellings of "é" equal. Two records whose names differ
/// only in that are two rows of a database, so they must be two records in the cloud.
struct ExactString: Hashable, Comparable, Sendable {
  let string: String

  init(_ string: String) {
    self.string = string
  }

  static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  static func < (left: ExactString, right: ExactString) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
