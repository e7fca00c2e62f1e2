import Foundation

/// A string that is compared by its bytes, as SQLite compares text.
///
/// Swift's own `==` finds the two Unicode spellings of "é" equal. Two records whose names differ
/// only in that are two rows of a database, so they must be two records in the cloud.
package struct ExactString: Hashable, Comparable, Sendable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.utf8.count == right.string.utf8.count && left.order(to: right) == 0
  }

  package static func < (left: ExactString, right: ExactString) -> Bool {
    left.order(to: right) < 0
  }

  /// Below, at or above zero, as the bytes of the one stand to those of the other.
  ///
  /// A listing of a directory compares millions of times.
  private func order(to other: ExactString) -> Int {
    var (left, right) = (string, other.string)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard let start = left.baseAddress, let other = right.baseAddress else {
          return left.count - right.count
        }
        let order = memcmp(start, other, min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
