import Foundation
import Testing

@testable import SQLiteSyncCloud

/// Files that nobody should write, and somebody will.
struct HostileFile: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: @Sendable (Place) -> Data

  /// What a file at its place must say to be right in everything else.
  struct Place: Sendable {
    var kind: String
    var number: Int64
    var previous: ContentHash?
    var zone: String
    /// The keys and values of a right header, in JSON.
    var header: [String: String]
    /// The body lines of a right file.
    var lines: [String]

    /// A file with a right seal.
    func sealed(
      _ changes: [String: String?] = [:], lines: [String]? = nil, count: Int? = nil
    ) -> Data {
      let lines = lines ?? self.lines
      var header = header
      if kind == "commit" { header["n"] = "\(count ?? lines.count)" }
      for (key, value) in changes { header[key] = value }
      let members = header.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
      return Self.seal(
        "{\(members.joined(separator: ","))}\n" + lines.map { $0 + "\n" }.joined(),
        count: count ?? lines.count)
    }

    /// A text with the trailer that fits it.
    static func seal(_ text: String, count: Int) -> Data {
      let hash = ContentHash(of: Array(text.utf8))
      return Data((text + #"{"end":\#(count),"sha256":"\#(hash)"}"# + "\n").utf8)
    }
  }

  init(_ name: String, _ bytes: @escaping @Sendable (Place) -> Data) {
    testDescription = name
    self.bytes = bytes
  }

  /// A file whose body is one line.
  init(line: String) {
    self.init("line \(line.prefix(60))") { $0.sealed(lines: [line]) }
  }

  /// A file whose header has another value for a key, or lacks it.
  init(header key: String, _ value: String?) {
    self.init("header \(key) \(value?.prefix(40) ?? "missing")") { $0.sealed([key: value]) }
  }
}

extension HostileFile {
  /// Bytes that are no file of any kind.
  static let bytes = [
    HostileFile("no bytes") { _ in Data() },
    HostileFile("one byte") { _ in Data("{".utf8) },
    HostileFile("a line end") { _ in Data("\n".utf8) },
    HostileFile("only line ends") { _ in Data(repeating: 10, count: 1 << 16) },
    HostileFile("zeros") { _ in Data(count: 1 << 16) },
    HostileFile("more than may be read") { _ in Data(count: CloudLimits.readBytes + 1) },
    HostileFile("only a trailer") { _ in Place.seal("", count: 0) },
    HostileFile("an empty header") { _ in Place.seal("{}\n", count: 0) },
    HostileFile("a header that is no object") { _ in Place.seal("[]\n", count: 0) },
    HostileFile("no last line end") { $0.sealed().dropLast() },
    HostileFile("line ends of another system") { place in
      Data(String(decoding: place.sealed(), as: UTF8.self).replacing("\n", with: "\r\n").utf8)
    },
    HostileFile("a byte order mark") { place in
      Place.seal("\u{FEFF}" + String(decoding: place.sealed(), as: UTF8.self), count: 1)
    },
    HostileFile("UTF-16") { place in
      Data(Array(place.sealed()).flatMap { [$0, 0] })
    },
    HostileFile("no trailer") { place in
      Data(place.sealed().split(separator: 10).dropLast().joined(separator: [10])) + [10]
    },
    HostileFile("two trailers") { place in
      place.sealed() + (place.sealed().split(separator: 10).last ?? Data()) + [10]
    },
    HostileFile("twice the file") { $0.sealed() + $0.sealed() },
    HostileFile("something after the trailer") { $0.sealed() + Data("{}\n".utf8) },
    HostileFile("a trailer of another count") { place in
      Data(
        String(decoding: place.sealed(), as: UTF8.self)
          .replacing(#"{"end":"#, with: #"{"end":9"#).utf8)
    },
    HostileFile("an absurd count") { place in
      place.sealed(count: .max)
    },
    HostileFile("a negative count") { $0.sealed(count: -1) },
    HostileFile("NUL in a string") { $0.sealed(["app": "\"\u{0}\""]) },
    HostileFile("an escaped NUL") { $0.sealed(["zone": #""\u0000""#]) },
    HostileFile("a lone surrogate") { $0.sealed(["app": #""\ud800""#]) },
    HostileFile("a megabyte of digits") {
      $0.sealed(["epoch": String(repeating: "9", count: 1 << 20)])
    },
    HostileFile("a million brackets") {
      $0.sealed(["app": String(repeating: "[", count: 1 << 20)])
    },
    HostileFile("a million objects") {
      $0.sealed(["app": String(repeating: #"{"a":"#, count: 1 << 18)])
    },
    HostileFile("nine levels") {
      $0.sealed(["zz": String(repeating: "[", count: 9) + String(repeating: "]", count: 9)])
    },
  ]

  /// Headers that are wrong whatever the kind of the file.
  static let headers: [HostileFile] =
    ["f", "v", "seq", "epoch", "author", "device", "id"].flatMap { key in
      [nil, "null", "true", "{}", "[]", "1.0", "-1", #""x""#, "1e3"].compactMap { value in
        // Any text is a device and an id.
        ["device", "id"].contains(key) && value == #""x""#
          ? nil : HostileFile(header: key, value)
      }
    } + [
      HostileFile(header: "epoch", "0"), HostileFile(header: "epoch", "10000000000000000"),
      HostileFile(header: "epoch", "9223372036854775807"),
      HostileFile(header: "epoch", "9223372036854775808"), HostileFile(header: "epoch", "-0"),
      HostileFile(header: "seq", "9223372036854775807"), HostileFile(header: "v", "0"),
      HostileFile(header: "author", #""@../ann""#), HostileFile(header: "author", #""u-1""#),
      HostileFile(header: "author", #""u01""#), HostileFile(header: "author", #""u4294967296""#),
      HostileFile(header: "author", #""@\#(String(repeating: "a", count: 40))""#),
      HostileFile(header: "prev", #""\#(String(repeating: "0", count: 64))""#),
      HostileFile(header: "prev", #""../../../../etc/passwd""#),
      HostileFile("a header with two of a key") { place in
        let text = String(decoding: place.sealed(), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let body = lines.dropLast(2).map(String.init)
        let twice = body[0].replacing(#""v":1"#, with: #""v":1,"v":1"#)
        return Place.seal(
          ([twice] + body.dropFirst()).map { $0 + "\n" }.joined(), count: body.count - 1)
      },
    ]
}
