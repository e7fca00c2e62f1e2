/// When a field was edited and by which device: what a merge compares.
///
/// One 64-bit integer: milliseconds since 1970 in the upper 48 bits, 16 bits that name the device
/// in the lower. Of two edits of one field the greater clock wins. It is a hybrid logical clock
/// kept per field (Kulkarni et al., "Logical Physical Clocks", 2014): an edit is stamped later than
/// whatever the field was known to hold, so a slow wall clock cannot make an edit that shows and
/// never wins.
public struct FieldClock: RawRepresentable, Hashable, Comparable, Sendable, Codable {
  /// `milliseconds << 16 | device`.
  public let rawValue: Int64

  /// The clock with this raw value, as stored.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// The clock of an edit at `milliseconds` since 1970 by the device with these 16 bits.
  public init(milliseconds: Int64, device: UInt16) {
    let bounded = min(max(milliseconds, 0), Self.limit.milliseconds)
    self.rawValue = bounded << 16 | Int64(device)
  }

  /// Before every edit: the clock of a field that its writer did not know.
  public static let zero = FieldClock(rawValue: 0)

  /// 2100-01-01T00:00:00Z.
  ///
  /// Later clocks count as this one, so that a poisoned clock can be outlived.
  public static let limit = FieldClock(rawValue: 4_102_444_800_000 << 16)

  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64 { rawValue >> 16 }

  /// The bits of the device that made the edit.
  public var device: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// This clock, brought between `zero` and `limit`.
  ///
  /// Every reader applies it, so merging stays pure.
  public var clamped: FieldClock {
    min(max(self, .zero), .limit)
  }

  /// The clock of an edit made at `milliseconds` on top of this one: always later, up to the limit.
  public func edited(atMilliseconds milliseconds: Int64, device: UInt16) -> FieldClock {
    guard self < .limit else { return .limit }
    let next = FieldClock(
      milliseconds: max(milliseconds, self == .zero ? 0 : self.milliseconds + 1), device: device)
    return next.clamped
  }

  /// Whether the left edit loses to the right one.
  public static func < (left: FieldClock, right: FieldClock) -> Bool {
    left.rawValue < right.rawValue
  }
}
