import Foundation

/// The value of one field of a record: SQLite's five storage classes and a reference to an asset.
public enum CloudValue: Hashable, Sendable {
  /// SQL NULL: a value like any other. (A field that is *absent* was unknown to the writer.)
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// A finite or infinite double; SQLite stores NaN as NULL, and so do we.
  case real(Double)
  /// Unicode text.
  case text(String)
  /// Bytes small enough to lie in the commit itself (`CloudLimits.inlineBytes`).
  case bytes(Data)
  /// Bytes that lie beside the log.
  case asset(AssetReference)
}

/// Names the bytes of an asset in a zone.
public struct AssetReference: Hashable, Sendable {
  /// `<sha256 of the bytes, 64 hex digits>-<8 hex digits of this upload>`.
  public let name: String
  /// The number of bytes.
  public let byteCount: Int

  /// A reference as it stands in a commit.
  public init(name: String, byteCount: Int) {
    self.name = name
    self.byteCount = byteCount
  }

  /// The SHA-256 of the bytes in lower-case hexadecimal.
  public var sha256: String { String(name.prefix(64)) }
}

/// A value and the clock of the edit that wrote it.
public struct CloudField: Hashable, Sendable {
  /// What was written.
  public var value: CloudValue
  /// When, and by which device.
  public var clock: FieldClock

  /// A field with its clock.
  public init(_ value: CloudValue, _ clock: FieldClock) {
    self.value = value
    self.clock = clock
  }
}
