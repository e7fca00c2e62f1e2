/// What a name or a value must be like to stand in the log.
///
/// Writers refuse others, readers void them.
enum Validity {
  /// Why a name of a record, type, field or zone is not acceptable.
  static func objection(toName name: String) -> String? {
    if name.isEmpty { return "a name is empty" }
    if name.utf8.count > CloudLimits.nameBytes {
      return "a name is longer than \(CloudLimits.nameBytes) bytes"
    }
    return name.unicodeScalars.contains(where: isControl) ? "a name holds a control character" : nil
  }

  /// A text for people, as far as it can stand in every file: without control characters, and no
  /// longer than a name.
  static func readable(_ text: String) -> String {
    var (readable, byteCount) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars where !isControl(scalar) {
      byteCount += UTF8.width(scalar)
      guard byteCount <= CloudLimits.nameBytes else { break }
      readable.append(scalar)
    }
    return String(readable)
  }

  /// Whether the scalar is of Unicode's category Cc, which will never have others.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  /// Why a change could not be written down.
  static func objection(to change: CloudChange) -> String? {
    if let objection = objection(toName: change.name) ?? objection(toName: change.type) {
      return objection
    }
    guard case .save(let record, _) = change else { return nil }
    if let parent = record.parent, let objection = objection(toName: parent) { return objection }
    if record.fields.count > CloudLimits.fieldsPerRecord {
      return "more than \(CloudLimits.fieldsPerRecord) fields"
    }
    for (name, field) in record.fields {
      if let objection = objection(toName: name) ?? objection(to: field.value) {
        return "\(objection): \(name.prefix(40))"
      }
    }
    return nil
  }

  static func objection(to value: CloudValue) -> String? {
    switch value {
    case .bytes(let bytes) where bytes.count > CloudLimits.inlineBytes:
      "more than \(CloudLimits.inlineBytes) bytes outside an asset"
    case .text(let text) where text.utf8.contains(0):
      "a NUL character in a text"
    case .asset(let asset) where !asset.isValid:
      "not the name and size of an asset"
    case .null, .integer, .real, .text, .bytes, .asset: nil
    }
  }
}

extension AssetReference {
  /// Whether the reference has the form of one that `publishAsset` returns.
  var isValid: Bool {
    Self.isName(name) && (0...CloudLimits.assetBytes).contains(byteCount)
  }
}
