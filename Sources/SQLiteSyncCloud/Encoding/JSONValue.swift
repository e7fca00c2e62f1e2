/// A document of the cloud's JSON in memory: for the small ones, and for keys that we do not know.
enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// The value of a key of an object.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.firstIndex { $0.key == key }.map { members[$0].value }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// An array of strings; nil when it is anything else.
  var strings: [String]? {
    guard let array else { return nil }
    let strings = array.compactMap(\.string)
    return strings.count == array.count ? strings : nil
  }
}

/// A key of an object and its value.
struct JSONMember: Hashable, Sendable {
  let key: String
  let value: JSONValue
}

extension JSONScanner {
  /// Reads any value.
  mutating func value() throws(FormatError) -> JSONValue {
    switch peek {
    case UInt8(ascii: "\""):
      return .string(try string())
    case UInt8(ascii: "{"):
      var members: [JSONMember] = []
      // As many as a header has; not for what lies inside, of which a hostile file has millions.
      if depth == 0 { members.reserveCapacity(16) }
      try object { (scanner, key) throws(FormatError) in
        members.append(JSONMember(key: key, value: try scanner.value()))
      }
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      try array { (scanner) throws(FormatError) in elements.append(try scanner.value()) }
      return .array(elements)
    case 48...57:
      return try number()
    default:
      if takeLiteral("null") { return .null }
      if takeLiteral("true") { return .boolean(true) }
      if takeLiteral("false") { return .boolean(false) }
      return try number()
    }
  }

  /// Reads a value and the line's end.
  mutating func line() throws(FormatError) -> JSONValue {
    let value = try value()
    try expect("\n")
    return value
  }
}
