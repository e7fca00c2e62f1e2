import GRDB
import SQLiteSyncCloud

/// `<primary key>:<table>`: how a row is named in the cloud.
///
/// Names are ASCII. Bytes of a key that are not, and the percent sign, are spelled `%C3`, as in a
/// URL.
struct RecordName: Hashable, Sendable, CustomStringConvertible {
  let key: String
  let table: String

  init(key: String, table: String) {
    self.key = key
    self.table = table
  }

  /// Nil when it is not the name of a row: it has no table part, or is spelled otherwise.
  init?(_ name: String) {
    guard let colon = name.lastIndex(of: ":"), let key = Self.decode(name[..<colon]) else {
      return nil
    }
    self.key = key
    self.table = String(name[name.index(after: colon)...])
    guard !table.isEmpty, description.utf8.elementsEqual(name.utf8) else { return nil }
  }

  /// Any name: one that is not a row's belongs to the table "".
  static func parsing(_ name: String) -> RecordName {
    RecordName(name) ?? RecordName(key: name, table: "")
  }

  var description: String {
    table.isEmpty ? key : Self.encode(key) + ":" + table
  }

  // MARK: - Spelling

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%")
  }

  private static func encode(_ key: String) -> String {
    guard !key.utf8.allSatisfy(isPlain) else { return key }
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in key.utf8 {
      bytes +=
        isPlain(byte)
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func decode(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  // MARK: - In SQL

  /// What GLOB finds in a key that is spelled otherwise in the name.
  private static let spelled = "'*[^ -$&-~]*'"

  /// The name as an SQL expression, of expressions for the key and the table's name.
  ///
  /// In a database whose encoding is UTF-16 the bytes of a key are others than in its name. Its
  /// characters would not do everywhere: SQLite takes U+FFFE and U+FFFF for errors.
  static func sql(key: String, table: String) -> String {
    """
    CASE WHEN \(table) = '' THEN \(key) ELSE CASE WHEN \(key) GLOB \(spelled) THEN iif(
      hex('a') = '61', (\(spellingBytes(of: key))), (\(spellingCharacters(of: key)))
    ) ELSE \(key) END || ':' || \(table) END
    """
  }

  private static func spellingBytes(of key: String) -> String {
    """
    WITH RECURSIVE name (text, rest) AS (
      SELECT '', CAST(\(key) AS BLOB)
      UNION ALL
      SELECT text || CASE
        WHEN hex(substr(rest, 1, 1)) BETWEEN '20' AND '7E' AND substr(rest, 1, 1) <> x'25'
        THEN CAST(substr(rest, 1, 1) AS TEXT) ELSE '%' || hex(substr(rest, 1, 1)) END,
        substr(rest, 2)
      FROM name WHERE length(rest) > 0
    )
    SELECT text FROM name WHERE length(rest) = 0
    """
  }

  private static func spellingCharacters(of key: String) -> String {
    func code(at place: String) -> String { "unicode(substr(\(key), \(place), 1))" }
    return """
      WITH RECURSIVE name (text, place, code) AS (
        SELECT '', 1, \(code(at: "1"))
        UNION ALL
        SELECT text || CASE
          WHEN code BETWEEN 32 AND 126 AND code <> 37 THEN char(code)
          WHEN code < 128 THEN printf('%%%02X', code)
          WHEN code < 2048 THEN printf('%%%02X%%%02X', 192 | (code >> 6), 128 | (code & 63))
          WHEN code < 65536 THEN printf(
            '%%%02X%%%02X%%%02X', 224 | (code >> 12), 128 | ((code >> 6) & 63),
            128 | (code & 63))
          ELSE printf(
            '%%%02X%%%02X%%%02X%%%02X', 240 | (code >> 18), 128 | ((code >> 12) & 63),
            128 | ((code >> 6) & 63), 128 | (code & 63)) END,
          place + 1, \(code(at: "place + 1"))
        FROM name WHERE place <= length(\(key))
      )
      SELECT text FROM name WHERE place > length(\(key))
      """
  }

  /// An SQL expression, true when a key cannot be part of a record's name.
  ///
  /// Where some letters are spelled with percent signs, every byte counts three. Capture asks this
  /// of every new row, so what is dear is asked only where it can matter: how a key is spelled of
  /// long ones, for NUL of keys whose characters, up to the first NUL, are not all of their bytes,
  /// and for UTF-8 of keys that are not ASCII.
  static func objectionSQL(key: String, table: String) -> String {
    let limit = CloudLimits.nameBytes - table.utf8.count - 1
    let bytes = "length(CAST(\(key) AS BLOB))"
    return """
      (\(key) GLOB '_*'
      OR \(bytes) > \(limit / 3) AND \(bytes) * iif(\(key) GLOB \(spelled), 3, 1) > \(limit)
      OR \(bytes) <> length(\(key)) AND instr(\(key), char(0)) > 0
      OR \(key) GLOB '*[^ -~]*' AND \(isMalformed(key)))
      """
  }

  /// An SQL expression, true when a text is not UTF-8: it would be another one elsewhere.
  ///
  /// SQLite decodes whatever it is given, and what it encodes is UTF-8. It takes two characters
  /// that are none (U+FFFE and U+FFFF) for errors.
  private static func isMalformed(_ text: String) -> String {
    let character = "substr(\(text), place, 1)"
    return """
      EXISTS (
        WITH RECURSIVE characters (place) AS (
          SELECT 1 UNION ALL SELECT place + 1 FROM characters WHERE place < length(\(text))
        )
        SELECT 1 FROM characters
        WHERE char(unicode(\(character))) <> \(character)
          AND \(character) NOT IN (char(65534), char(65535)))
      """
  }

  /// Whether a key can be part of a record's name: what `objectionSQL` asks.
  static func isValid(key: String, table: String) -> Bool {
    let isSpelled = !key.utf8.allSatisfy(isPlain)
    let count = key.utf8.count * (isSpelled ? 3 : 1)
    return !key.utf8.starts(with: "_".utf8) && !key.utf8.contains(0)
      && count <= CloudLimits.nameBytes - table.utf8.count - 1
  }
}
