import Foundation

/// The few elements of S3's XML that are read, in their order; attributes and names of their own
/// kind are passed over.
///
/// Foundation's parser would load a second library for a few tags.
struct S3XML {
  enum Token: Equatable {
    case begin(String)
    case text(String)
    case end(String)
  }

  private(set) var tokens: [Token] = []

  /// Reads a document; nil for what is none.
  init?(_ bytes: Data) {
    var rest = Substring(String(decoding: bytes, as: UTF8.self))
    var open: [String] = []
    while let start = rest.firstIndex(of: "<") {
      if !open.isEmpty {
        guard let text = Self.unescaped(rest[..<start]) else { return nil }
        tokens.append(.text(text))
      }
      guard let end = rest[start...].firstIndex(of: ">") else { return nil }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      guard !tag.hasPrefix("?"), !tag.hasPrefix("!") else {
        // A declaration; neither a type of document nor marked sections are ever sent.
        guard tag.hasPrefix("?") else { return nil }
        continue
      }
      let isEnd = tag.hasPrefix("/")
      let isEmpty = tag.hasSuffix("/")
      let name = String(tag.drop { $0 == "/" }.prefix { !$0.isWhitespace && $0 != "/" })
      guard !name.isEmpty else { return nil }
      if isEnd {
        guard open.popLast() == name else { return nil }
        tokens.append(.end(name))
      } else {
        tokens.append(.begin(name))
        if isEmpty { tokens.append(.end(name)) } else { open.append(name) }
      }
    }
    guard open.isEmpty, !tokens.isEmpty else { return nil }
  }

  private static func unescaped(_ text: Substring) -> String? {
    guard text.contains("&") else { return String(text) }
    var result = ""
    var rest = text
    while let start = rest.firstIndex(of: "&") {
      guard let end = rest[start...].firstIndex(of: ";"),
        let character = character(rest[rest.index(after: start)..<end])
      else { return nil }
      result += rest[..<start] + String(character)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ name: Substring) -> Unicode.Scalar? {
    let named: [Substring: Unicode.Scalar] = [
      "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]
    if let character = named[name] { return character }
    guard name.first == "#" else { return nil }
    let digits = name.dropFirst()
    let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }

  /// The name of the outermost element.
  var root: String? {
    guard case .begin(let name) = tokens.first else { return nil }
    return name
  }

  /// What the children of an element say: by the path of names from the root, in their order.
  func forEachText(_ body: ([String], String) -> Void) {
    var path: [String] = []
    for (token, next) in zip(tokens, tokens.dropFirst()) {
      switch (token, next) {
      case (.begin(let name), .text(let text)):
        path.append(name)
        body(path, text)
      case (.begin(let name), _):
        path.append(name)
        body(path, "")
      case (.end, _): path.removeLast()
      case (.text, _): break
      }
    }
  }
}

/// What an answer says that is not a success.
struct S3Complaint {
  private(set) var code = ""
  private(set) var message = ""
  private(set) var region: String?

  init(_ response: HTTPResponse) {
    region = response.headers["x-amz-bucket-region"]
    guard let xml = S3XML(response.body), xml.root == "Error" else { return }
    xml.forEachText { path, text in
      switch path {
      case ["Error", "Code"]: code = text
      case ["Error", "Message"]: message = text
      case ["Error", "Region"]: region = text
      default: break
      }
    }
  }

  /// The code and the message, for people; the sentence that has it ends it.
  var text: String {
    let message = message.prefix(200).trimmingCharacters(in: CharacterSet(charactersIn: ". \n"))
    let parts = [code, message].filter { !$0.isEmpty }
    return parts.isEmpty ? "no reason" : parts.joined(separator: ": ")
  }
}

/// A page of a listing.
struct S3Listing {
  private(set) var entries: [StoreEntry] = []
  private(set) var hasDirectories = false
  /// What to ask with for the next page; nil at the end.
  private(set) var next: String?

  /// Reads a page; nil for what is none.
  ///
  /// - Parameter prefix: What all keys begin with: it is not part of the names.
  init?(_ bytes: Data, prefix: String) {
    guard let xml = S3XML(bytes), xml.root == "ListBucketResult" else { return nil }
    var isTruncated = false
    var object: (key: String, size: Int64, time: Int64)?
    var objects: [(key: String, size: Int64, time: Int64)] = []
    var directories: [String] = []
    xml.forEachText { path, text in
      switch path.dropFirst() {
      case ["IsTruncated"]: isTruncated = text == "true"
      case ["NextContinuationToken"]: next = text
      case ["CommonPrefixes", "Prefix"]: directories.append(text)
      case ["Contents"]:
        if let object { objects.append(object) }
        object = ("", 0, 0)
      case ["Contents", "Key"]: object?.key = text
      case ["Contents", "Size"]: object?.size = Int64(text) ?? 0
      case ["Contents", "LastModified"]:
        object?.time = CalendarTime.milliseconds(iso8601: text) ?? 0
      default: break
      }
    }
    if let object { objects.append(object) }
    if !isTruncated { next = nil }
    guard !isTruncated || next != nil else { return nil }
    hasDirectories = !directories.isEmpty
    entries = objects.compactMap { object in
      Self.name(object.key, prefix).map {
        StoreEntry(name: $0, byteCount: object.size, modified: object.time)
      }
    }
    entries += directories.compactMap { directory in
      guard directory.hasSuffix("/") else { return nil }
      return Self.name(String(directory.dropLast()), prefix).map {
        StoreEntry(name: $0, byteCount: 0, modified: 0, kind: .directory)
      }
    }
  }

  /// The name in a key; nil for a key that no store makes, such as a folder made in a browser.
  private static func name(_ key: String, _ prefix: String) -> String? {
    guard key.hasPrefix(prefix) else { return nil }
    let name = String(key.dropFirst(prefix.count))
    return name.isEmpty || name == "." || name == ".." || name.contains("/") ? nil : name
  }
}
