import Foundation

/// The line of one operation in a commit.
extension JSONWriter {
  mutating func operation(_ change: CloudChange) {
    switch change {
    case .save(let record, let base): save(record, base: base)
    case .delete(let tombstone, let base): delete(tombstone, base: base)
    }
  }

  private mutating func save(_ record: CloudRecord, base: ChangeTag?) {
    let fields = record.fields.sorted { ExactString($0.key) < ExactString($1.key) }
    let assets = fields.filter(\.value.value.isAsset)
    object { writer in
      if !assets.isEmpty {
        writer.member("assets") { writer in
          writer.object { writer in
            for (name, field) in assets { writer.asset(name, field) }
          }
        }
      }
      writer.member("base") { $0.base(base) }
      writer.member("fields") { writer in
        writer.object { writer in
          for (name, field) in fields where !field.value.isAsset {
            writer.member(name) { writer in
              writer.array { writer in
                writer.value(field.value)
                writer.integer(field.clock.rawValue)
              }
            }
          }
        }
      }
      writer.member("name", record.name)
      writer.member("op", "save")
      if let parent = record.parent { writer.member("parent", parent) }
      writer.member("t", record.life.rawValue)
      writer.member("type", record.type)
    }
  }

  private mutating func delete(_ tombstone: Tombstone, base: ChangeTag?) {
    object { writer in
      writer.member("base") { $0.base(base) }
      writer.member("name", tombstone.name)
      writer.member("op", "delete")
      writer.member("t", tombstone.clock.rawValue)
      writer.member("type", tombstone.type)
    }
  }

  private mutating func base(_ base: ChangeTag?) {
    if let base { string(base.description) } else { null() }
  }

  private mutating func asset(_ name: String, _ field: CloudField) {
    guard case .asset(let asset) = field.value else { return }
    member(name) { writer in
      writer.object { writer in
        writer.member("a", asset.name)
        writer.member("len", Int64(asset.byteCount))
        writer.member("t", field.clock.rawValue)
      }
    }
  }

  private mutating func value(_ value: CloudValue) {
    switch value {
    case .null, .asset: null()
    case .integer(let number): integer(number)
    case .real(let number) where number.isNaN: null()
    case .real(let number) where number.isInfinite:
      object { $0.member("r", number > 0 ? "inf" : "-inf") }
    case .real(let number): real(number)
    case .text(let text): string(text)
    case .bytes(let bytes): object { $0.member("b", bytes.base64EncodedString()) }
    }
  }
}

extension CloudValue {
  fileprivate var isAsset: Bool {
    if case .asset = self { true } else { false }
  }
}

/// Reads one operation, within the limits of the log or without them.
///
/// Keys that this version does not know are ignored.
struct OperationReader {
  private var assets: [String: CloudField] = [:]
  private var base: ChangeTag??
  private var fields: [String: CloudField]?
  private var name: String?
  private var operation: String?
  private var parent: String?
  private var clock: FieldClock?
  private var type: String?

  /// Reads one that anybody may have written.
  static func read(_ scanner: inout JSONScanner) throws(FormatError) -> CloudChange {
    let start = scanner.index
    let change = try readUnlimited(&scanner)
    guard scanner.index - start <= CloudLimits.recordBytes else {
      throw FormatError("an operation of too many bytes", at: start)
    }
    if let objection = Validity.objection(to: change) { throw FormatError(objection, at: start) }
    return change
  }

  /// Reads one that a device wrote for itself: it may hold more than the log takes.
  static func readUnlimited(_ scanner: inout JSONScanner) throws(FormatError) -> CloudChange {
    let start = scanner.index
    var reader = OperationReader()
    try scanner.object { (scanner, key) throws(FormatError) in
      try reader.member(key, &scanner)
    }
    return try reader.change(at: start)
  }

  private mutating func member(
    _ key: String, _ scanner: inout JSONScanner
  ) throws(FormatError) {
    switch key {
    case "assets":
      assets = try scanner.fields { (scanner) throws(FormatError) in
        try scanner.asset()
      }
    case "base": base = try scanner.base()
    case "fields":
      fields = try scanner.fields { (scanner) throws(FormatError) in
        try scanner.field()
      }
    case "name": name = try scanner.string()
    case "op": operation = try scanner.string()
    case "parent": parent = try scanner.string()
    case "t": clock = try scanner.clock()
    case "type": type = try scanner.string()
    default: _ = try scanner.value()
    }
  }

  private func change(at offset: Int) throws(FormatError) -> CloudChange {
    guard let name, let type, let clock, let base else {
      throw FormatError("an operation lacks base, name, t or type", at: offset)
    }
    switch (operation, fields) {
    case ("save", let fields?):
      let all = fields.merging(assets) { field, _ in field }
      guard all.count == fields.count + assets.count else {
        throw FormatError("a field is both a value and an asset", at: offset)
      }
      let record = CloudRecord(name: name, type: type, parent: parent, life: clock, fields: all)
      return .save(record, base: base)
    case ("delete", nil):
      return .delete(Tombstone(name: name, type: type, clock: clock), base: base)
    default:
      throw FormatError("neither a save with fields nor a delete without", at: offset)
    }
  }
}

extension JSONScanner {
  fileprivate mutating func fields(
    _ read: (inout JSONScanner) throws(FormatError) -> CloudField
  ) throws(FormatError) -> [String: CloudField] {
    var fields: [String: CloudField] = [:]
    try object { (scanner, name) throws(FormatError) in
      // Keys ascend by their bytes; two spellings of one name would still be one key of a
      // dictionary.
      guard fields.updateValue(try read(&scanner), forKey: name) == nil else {
        throw scanner.failure("two fields of one name")
      }
    }
    return fields
  }

  fileprivate mutating func field() throws(FormatError) -> CloudField {
    try enter("[")
    let value = try fieldValue()
    try expect(",")
    let clock = try clock()
    try leave("]")
    return CloudField(value, clock)
  }

  fileprivate mutating func asset() throws(FormatError) -> CloudField {
    let value = try value()
    guard let name = value["a"]?.string, let count = value["len"]?.integer,
      let clock = value["t"]?.integer
    else { throw failure("an asset lacks a, len or t") }
    return CloudField(
      .asset(AssetReference(name: name, byteCount: Int(count))),
      FieldClock(rawValue: clock).clamped)
  }

  fileprivate mutating func clock() throws(FormatError) -> FieldClock {
    FieldClock(rawValue: try integer()).clamped
  }

  fileprivate mutating func base() throws(FormatError) -> ChangeTag? {
    if takeLiteral("null") { return nil }
    guard let tag = ChangeTag(try string()) else { throw failure("not a change tag") }
    return tag
  }

  private mutating func fieldValue() throws(FormatError) -> CloudValue {
    switch peek {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "n") where takeLiteral("null"): return .null
    case UInt8(ascii: "{"): return try wrappedValue()
    default:
      switch try number() {
      case .integer(let number): return .integer(number)
      case .real(let number): return .real(number)
      default: throw failure("not a value")
      }
    }
  }

  /// `{"b":"base64"}` or `{"r":"inf"}`: what JSON has no literal for.
  private mutating func wrappedValue() throws(FormatError) -> CloudValue {
    guard case .object(let members) = try value(), members.count == 1,
      let text = members[0].value.string
    else { throw failure("not a value") }
    switch (members[0].key, text) {
    case ("r", "inf"): return .real(.infinity)
    case ("r", "-inf"): return .real(-.infinity)
    case ("b", _):
      guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text else {
        throw failure("not base64")
      }
      return .bytes(bytes)
    default: throw failure("not a value")
    }
  }
}
