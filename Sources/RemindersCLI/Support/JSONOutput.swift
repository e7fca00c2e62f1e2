import Foundation

/// One JSON document on standard output.
enum JSONOutput {
  static func print(_ value: some Encodable) throws {
    Swift.print(try text(value))
  }

  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
