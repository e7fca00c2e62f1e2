import Foundation

/// An element of a file, or why it cannot be read: an odd one leaves the others as they are.
struct FileElement<Value: Decodable>: Decodable {
  /// What it says; nil for one that cannot be read.
  let value: Value?
  /// What is wrong with it, with what it calls itself.
  let problem: String

  init(from decoder: any Decoder) throws {
    do {
      value = try Value(from: decoder)
      problem = ""
    } catch let error as DecodingError {
      value = nil
      problem = Self.name(decoder) + error.reason(below: decoder.codingPath.count)
    }
  }

  private init(problem: String) {
    value = nil
    self.problem = problem
  }

  /// What is no JSON at all.
  static var unreadable: FileElement { FileElement(problem: " is not JSON") }

  /// ` (“Milk”)`, by the first member that it has of those that tell elements apart.
  private static func name(_ decoder: any Decoder) -> String {
    // An element that is not even an object has no name.
    guard let object = try? decoder.container(keyedBy: ReminderJSON.Key.self) else { return "" }
    for key in ["title", "description", "uuid", "id"] as [ReminderJSON.Key] {
      // One of the wrong type names nothing.
      if let name = try? object.decode(String.self, forKey: key) {
        return " (“\(name.oneLine.prefix(60))”)"
      }
    }
    return ""
  }
}

/// The elements of an array of a file, which tells how many of them are read.
struct FileElements<Value: Decodable>: Decodable {
  private(set) var elements: [FileElement<Value>] = []

  init(from decoder: any Decoder) throws {
    let told = decoder.userInfo[.progress] as? ToldProgress
    var array = try decoder.unkeyedContainer()
    let count = array.count ?? 0
    while !array.isAtEnd {
      elements.append(try array.decode(FileElement<Value>.self))
      told?.progress(elements.count, count)
    }
  }
}

/// Who is told by a decoder.
private struct ToldProgress: Sendable {
  let progress: ImportFormat.Progress
}

extension CodingUserInfoKey {
  // Every text is a key; that there might be none is what the protocol says.
  fileprivate static let progress = CodingUserInfoKey(rawValue: "progress")!
}

extension JSONDecoder {
  /// One that tells of `FileElements`.
  convenience init(telling progress: @escaping ImportFormat.Progress) {
    self.init()
    userInfo[.progress] = ToldProgress(progress: progress)
  }
}

extension DecodingError {
  /// What is wrong, in words that follow what it is wrong with.
  ///
  /// - Parameter depth: How far inside of the file the element is.
  fileprivate func reason(below depth: Int) -> String {
    switch self {
    case .keyNotFound(let key, _): return " has no \(key.stringValue)"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      let path = context.codingPath.dropFirst(depth).map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? " is of the wrong type" : " has a \(path) of the wrong type"
    @unknown default: return " cannot be read"
    }
  }
}

extension ImportBatch {
  /// The elements that can be read; the others are named.
  ///
  /// - Parameter noun: What they are.
  mutating func take<Value>(_ elements: [FileElement<Value>], _ noun: String) -> [Value] {
    for (index, element) in elements.enumerated() where element.value == nil {
      problems.append("\(noun) \(index + 1)\(element.problem), and was left out")
    }
    return elements.compactMap(\.value)
  }
}

/// A value of JSON of any type, as the text that keeps it in notes.
struct JSONValueText: Decodable {
  /// Nil for null.
  let text: String?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    func read<Value: Decodable>(_ type: Value.Type) -> Value? {
      try? value.decode(type)  // It is of one of the others then.
    }
    if value.decodeNil() {
      text = nil
    } else if let string = read(String.self) {
      text = string
    } else if let truth = read(Bool.self) {
      text = "\(truth)"
    } else if let number = read(Int.self) {
      text = "\(number)"
    } else if let number = read(Double.self) {
      text = "\(number)"
    } else if let list = read([JSONValueText].self) {
      text = list.compactMap(\.text).joined(separator: ", ")
    } else {
      let members = try value.decode([String: JSONValueText].self)
      text = members.sorted { $0.key < $1.key }
        .compactMap { key, value in value.text.map { "\(key): \($0)" } }
        .joined(separator: ", ")
    }
  }
}

extension KeyedDecodingContainer<ReminderJSON.Key> {
  /// The members that nobody reads, as lines for notes.
  ///
  /// - Parameter isKnown: Whether a member is read, or says nothing about what is to be done.
  func unread(_ isKnown: (String) -> Bool) throws -> [String] {
    try allKeys.filter { !isKnown($0.stringValue) }.sorted { $0.stringValue < $1.stringValue }
      .compactMap { key in
        try decode(JSONValueText.self, forKey: key).text.map { "\(key.stringValue): \($0)" }
      }
  }
}
