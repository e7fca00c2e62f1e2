import Foundation

/// A record as bytes of its own, for callers who keep images beside their rows: the line of a
/// commit that would save it, without the limits of the log.
extension CloudRecord {
  /// The record as canonical JSON in UTF-8, without white space.
  public var encoded: Data {
    Data(Commit.line(.save(self, base: nil)))
  }

  /// Reads a record back.
  ///
  /// Throws `internalError` when these are not the bytes of one.
  public init(encoded bytes: Data) throws {
    do {
      var scanner = JSONScanner(Array(bytes))
      scanner.takesNUL = true
      guard case .save(let record, _) = try OperationReader.readUnlimited(&scanner) else {
        throw FormatError("not a save", at: 0)
      }
      self = record
    } catch {
      throw CloudError(.internalError, "A stored record cannot be read: \(error).")
    }
  }
}
