import Foundation
import GRDB

/// The merge of JSON arrays as sets: pure, and linear in their length.
enum ArrayUnion {
  /// The cloud's elements without those that were removed here, then those that were added here;
  /// nil when a value is not a JSON array.
  ///
  /// No base has no elements.
  static func merge(
    base: DatabaseValue?, mine: DatabaseValue, theirs: DatabaseValue
  ) -> DatabaseValue? {
    guard let before = base.map(elements) ?? [], let here = elements(mine),
      let there = elements(theirs)
    else { return nil }
    let removed = Set(before).subtracting(here)
    var known = Set(there).union(before)
    var merged = there.filter { !removed.contains($0) }
    for element in here where known.insert(element).inserted { merged.append(element) }
    if merged == there { return theirs }
    if merged == here { return mine }
    let texts = merged.map { String(decoding: $0.bytes, as: UTF8.self) }
    return "[\(texts.joined(separator: ","))]".databaseValue
  }

  /// An element as it is written, without white space around its parts.
  private struct Element: Hashable {
    var bytes: [UInt8] = []
  }

  /// The elements of an array; nil when the value is none.
  private static func elements(_ value: DatabaseValue) -> [Element]? {
    guard case .string(let text) = value.storage, isArray(text) else { return nil }
    var elements: [Element] = []
    var element = Element()
    var (depth, isText, isEscaped) = (0, false, false)
    for byte in text.utf8 {
      if isText {
        element.bytes.append(byte)
        if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth == 1 { continue }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { continue }
      case UInt8(ascii: ",") where depth == 1:
        elements.append(element)
        element = Element()
        continue
      default: break
      }
      element.bytes.append(byte)
    }
    if !element.bytes.isEmpty { elements.append(element) }
    return elements
  }

  private static func isArray(_ text: String) -> Bool {
    // A byte order mark, or another encoding, is not an array in a column.
    guard text.utf8.first(where: { !" \t\n\r".utf8.contains($0) }) == UInt8(ascii: "[") else {
      return false
    }
    // What cannot be read is none.
    return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) is [Any]
  }
}
