import Foundation

/// A time zone that a calendar defines itself (RFC 5545, 3.6.5), under a name of its own.
struct ICalendarZone {
  /// Standard or daylight saving time.
  fileprivate struct Observance {
    /// When it begins by the clock that is then changed, in seconds since 1970 there.
    let onsets: [Int]
    /// How it begins again; nil for one that does not.
    let rule: Recurrence?
    /// Seconds to add to UTC.
    let offset: Int
    /// Those before it.
    let offsetBefore: Int
  }

  private let observances: [Observance]

  /// - Parameter lines: What is in the VTIMEZONE; nil where it says nothing that can be followed.
  init?(_ lines: [ICalendarFile.Line]) {
    let parts = lines.split { $0.name == "BEGIN" }.dropFirst(lines.first?.name == "BEGIN" ? 0 : 1)
    observances = parts.compactMap { Observance(Array($0)) }
    guard !observances.isEmpty, observances.count == parts.count else { return nil }
  }

  /// The moment when a clock there shows this.
  func moment(_ day: CalendarDay, seconds: Int) -> Date {
    let clock = ICalendarZone.clock(day, seconds)
    let begun = observances.compactMap { observance in
      observance.lastOnset(by: clock).map { (onset: $0, offset: observance.offset) }
    }
    let offset =
      begun.max { $0.onset < $1.onset }?.offset
      ?? observances.min { $0.onsets[0] < $1.onsets[0] }?.offsetBefore ?? 0
    return Date(timeIntervalSince1970: Double(clock - offset))
  }

  fileprivate static func clock(_ day: CalendarDay, _ seconds: Int) -> Int {
    day.number * 86_400 + seconds
  }
}

extension ICalendarZone.Observance {
  fileprivate init?(_ lines: [ICalendarFile.Line]) {
    func values(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }
    let onsets = (values("DTSTART") + values("RDATE").flatMap { $0.components(separatedBy: ",") })
      .compactMap { CompactDate.wall($0).map { ICalendarZone.clock($0.day, $0.seconds) } }
    guard !onsets.isEmpty, let offset = values("TZOFFSETTO").first.flatMap(Self.seconds),
      let before = values("TZOFFSETFROM").first.flatMap(Self.seconds)
    else { return nil }
    let rule = values("RRULE").first.map { Recurrence(rule: $0) }
    if case .some(nil) = rule { return nil }
    self.init(
      onsets: onsets.sorted(), rule: rule ?? nil, offset: offset, offsetBefore: before)
  }

  /// The last time that it began; nil before the first.
  fileprivate func lastOnset(by clock: Int) -> Int? {
    let stated = onsets.last { $0 <= clock }
    guard let rule, let first = onsets.first, first <= clock else { return stated }
    var last = CalendarDay(number: clock.quotientAndRemainderFlooring(by: 86_400).quotient)
    if case .until(let day) = rule.end { last = min(day, last) }
    let years = [last.components.year, last.components.year - 1]
    let ruled = years.compactMap { CalendarDay(year: $0, month: 1, day: 1) }
      .map { rule.first(onOrAfter: $0) }.filter { $0 <= last }
      .map { ICalendarZone.clock($0, first.quotientAndRemainderFlooring(by: 86_400).remainder) }
      .filter { (first...clock).contains($0) }
    return (ruled + [stated].compactMap(\.self)).max()
  }

  /// `+0100`, `-033000`.
  private static func seconds(_ text: String) -> Int? {
    let digits = text.dropFirst()
    guard let sign = ["+": 1, "-": -1][text.prefix(1)], [4, 6].contains(digits.utf8.count),
      let number = Int(digits: digits)
    else { return nil }
    let clock = digits.utf8.count == 4 ? number * 100 : number
    return sign * (clock / 10_000 * 3600 + clock / 100 % 100 * 60 + clock % 100)
  }
}

extension ICalendarFile.Line {
  /// The same with a zone that this machine knows, or in UTC, where its own is one of the file's.
  func resolved(_ zones: [String: ICalendarZone]) -> ICalendarFile.Line {
    guard let name = parameters["TZID"], TimeZone(identifier: name) == nil else { return self }
    var line = self
    // Where a series is at home counts more than what the file says of its clocks.
    if let known = Self.knownName(name) ?? WindowsZones.names[name] {
      line.parameters["TZID"] = known
    } else if let (day, seconds) = CompactDate.wall(value), let zone = zones[name] {
      line.parameters["TZID"] = nil
      line.value = CompactDate.text(zone.moment(day, seconds: seconds))
    }
    return line
  }

  /// `Europe/Berlin` of `/freeassociation.sourceforge.net/Europe/Berlin`: what begins with a slash
  /// is a name of some registry (RFC 5545, 3.8.3.1), and those end with the usual one.
  private static func knownName(_ name: String) -> String? {
    guard name.hasPrefix("/") else { return nil }
    let parts = name.split(separator: "/")
    return [3, 2].map { parts.suffix($0).joined(separator: "/") }
      .first { TimeZone(identifier: $0) != nil }
  }
}

// MARK: - Written

extension ICalendarZone {
  /// A zone of this machine as a component, with what its clocks do in the years around a moment.
  static func lines(of zone: TimeZone, around now: Date) -> [String] {
    let year: TimeInterval = 366 * 86_400
    let begin = now.addingTimeInterval(-yearsBefore * year)
    let first = zone.secondsFromGMT(for: begin)
    // Before that it is taken to have been as it was then.
    var changes: [Change: [String]] = [:]
    var order: [Change] = []
    var moment = begin
    while let next = zone.nextDaylightSavingTimeTransition(after: moment),
      next < now.addingTimeInterval(yearsAfter * year)
    {
      let change = Change(
        from: zone.secondsFromGMT(for: next.addingTimeInterval(-1)),
        to: zone.secondsFromGMT(for: next), isDaylight: zone.isDaylightSavingTime(for: next))
      if changes[change] == nil { order.append(change) }
      changes[change, default: []].append(clock(next, offset: change.from))
      moment = next
    }
    let start = Change(from: first, to: first, isDaylight: zone.isDaylightSavingTime(for: begin))
    return ["BEGIN:VTIMEZONE", "TZID:\(zone.identifier)"]
      + start.lines(["19700101T000000"]) + order.flatMap { $0.lines(changes[$0] ?? []) }
      + ["END:VTIMEZONE"]
  }

  private static let (yearsBefore, yearsAfter) = (2.0, 10.0)

  /// What a clock so many seconds before UTC shows.
  private static func clock(_ moment: Date, offset: Int) -> String {
    String(CompactDate.text(moment.addingTimeInterval(Double(offset))).dropLast())
  }

  /// What clocks are set to, from which offset.
  private struct Change: Hashable {
    let from: Int
    let to: Int
    let isDaylight: Bool

    func lines(_ onsets: [String]) -> [String] {
      let name = isDaylight ? "DAYLIGHT" : "STANDARD"
      return ["BEGIN:\(name)", "DTSTART:\(onsets.first ?? "")"]
        + (onsets.count > 1 ? ["RDATE:" + onsets.dropFirst().joined(separator: ",")] : [])
        + [
          "TZOFFSETFROM:\(Self.text(from))", "TZOFFSETTO:\(Self.text(to))", "END:\(name)",
        ]
    }

    private static func text(_ offset: Int) -> String {
      let minutes = abs(offset) / 60
      return (offset < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + (minutes % 60).padded(to: 2)
    }
  }
}
