import Foundation

/// The folded state of a log up to a commit, as a `meta` entry names it.
struct Checkpoint: Hashable, Sendable {
  /// One file of the folded state.
  struct Part: Hashable, Sendable {
    /// The file's name.
    ///
    /// `<sequence, 16 digits>-<12 digits of the hash>-<number of the part, 4 digits>.jsonl`
    var name: String
    var hash: ContentHash
    var byteCount: Int64
    var recordCount: Int64
  }

  /// The last commit that is folded in, and the hash of its file.
  var sequence: Int64
  var hash: ContentHash
  var parts: [Part]
  /// Commits up to this one may be deleted.
  var floor: Int64

  init(sequence: Int64, hash: ContentHash, parts: [Part], floor: Int64) {
    self.sequence = sequence
    self.hash = hash
    self.parts = parts
    self.floor = floor
  }

  init?(_ value: JSONValue) {
    guard let sequence = value["seq"]?.integer, let floor = value["floor"]?.integer,
      let hash = value["hash"]?.string.flatMap(ContentHash.init),
      let list = value["parts"]?.array
    else { return nil }
    let parts = list.compactMap(Part.init)
    guard parts.count == list.count, (1...CloudLimits.number) ~= sequence,
      (0...sequence) ~= floor
    else { return nil }
    self.init(sequence: sequence, hash: hash, parts: parts, floor: floor)
  }
}

extension Checkpoint.Part {
  init?(_ value: JSONValue) {
    guard let name = value["name"]?.string, Self.isName(name),
      let hash = value["sha256"]?.string.flatMap(ContentHash.init),
      let byteCount = value["len"]?.integer, let recordCount = value["count"]?.integer,
      (0...Int64(CloudLimits.readBytes)) ~= byteCount, (0...byteCount) ~= recordCount
    else { return nil }
    self.init(name: name, hash: hash, byteCount: byteCount, recordCount: recordCount)
  }

  static func name(sequence: Int64, hash: ContentHash, number: Int) -> String {
    let digits = ZoneLayout.digits(sequence, count: 16)
    return
      "\(digits)-\(hash.description.prefix(12))-\(ZoneLayout.digits(Int64(number), count: 4)).jsonl"
  }

  static func isName(_ name: String) -> Bool {
    let form: StaticString = "0000000000000000-xxxxxxxxxxxx-0000.jsonl"
    guard name.utf8.count == form.utf8CodeUnitCount else { return false }
    return form.withUTF8Buffer { form in
      name.utf8.enumerated().allSatisfy { index, byte in
        switch form[index] {
        case UInt8(ascii: "0"): (48...57).contains(byte)
        case UInt8(ascii: "x"): (48...57).contains(byte) || (97...102).contains(byte)
        default: byte == form[index]
        }
      }
    }
  }
}

extension JSONWriter {
  mutating func checkpoint(_ checkpoint: Checkpoint) {
    object { writer in
      writer.member("floor", checkpoint.floor)
      writer.member("hash", checkpoint.hash.description)
      writer.member("parts") { writer in
        writer.array { writer in
          for part in checkpoint.parts { writer.part(part) }
        }
      }
      writer.member("seq", checkpoint.sequence)
    }
  }

  private mutating func part(_ part: Checkpoint.Part) {
    object { writer in
      writer.member("count", part.recordCount)
      writer.member("len", part.byteCount)
      writer.member("name", part.name)
      writer.member("sha256", part.hash.description)
    }
  }
}
