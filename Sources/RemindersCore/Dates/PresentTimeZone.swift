import Foundation
import Synchronization

extension TimeZone {
  /// The zone of the machine as it is now, and not as it was when the program began; or the one
  /// that `TZ` says, in any of the ways of the system: `Asia/Tokyo`, `:Asia/Tokyo`, a path, `EST`,
  /// `JST-9`, `CET-1CEST,M3.5.0,M10.5.0/3`.
  public static var present: TimeZone {
    if let text = getenv("TZ").map({ String(cString: $0) }), !isReadAlike(text) {
      return ofTheSystem(named: text)
    }
    NSTimeZone.resetSystemTimeZone()
    return .current
  }

  /// Whether Foundation makes of `TZ` what the system does.
  ///
  /// An abbreviation such as `EST` means a city to it, with summer time; an empty text, the zone of
  /// the machine; of what it does not know, as `posix/Asia/Tokyo`, it makes UTC or the opposite.
  private static func isReadAlike(_ text: String) -> Bool {
    if ["UTC", "GMT"].contains(text) { return true }
    return text.contains("/") && !text.hasPrefix("/")
      && text.allSatisfy { $0.isLetter || "/_".contains($0) } && TimeZone(identifier: text) != nil
  }

  private static let found = Mutex<[String: TimeZone]>([:])

  /// The zone whose clocks show what those of the C library show in the year to come.
  private static func ofTheSystem(named text: String) -> TimeZone {
    if let known = found.withLock({ $0[text] }) { return known }
    tzset()
    let now = Date()
    let offsets = (0..<26).map { index -> (moment: Date, seconds: Int) in
      let moment = now.addingTimeInterval(Double(index) * 14 * 86_400)
      var (seconds, parts) = (time_t(moment.timeIntervalSince1970), tm())
      localtime_r(&seconds, &parts)
      return (moment, parts.tm_gmtoff)
    }
    let identifiers = ["GMT"] + knownTimeZoneIdentifiers
    let zone = identifiers.lazy.compactMap(TimeZone.init(identifier:)).first { zone in
      offsets.allSatisfy { zone.secondsFromGMT(for: $0.moment) == $0.seconds }
    }
    let known = zone ?? TimeZone(secondsFromGMT: offsets[0].seconds) ?? .gmt
    found.withLock { $0[text] = known }
    return known
  }
}
