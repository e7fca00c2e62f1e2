import Foundation

extension LocalTime {
  /// The time of a moment to the second, as logs have it: `14:31:58`.
  public func clockText(of moment: Date) -> String {
    let seconds = moment.wholeSeconds + offset(at: moment)
    let second = seconds - wallClock(at: moment).day.number * 86_400
    let numbers: [Int] = [second / 3600, second / 60 % 60, second % 60]
    return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  /// The same, after its day unless that is today: `Fri 20 Nov 14:31:58`.
  public func secondText(of moment: Date) -> String {
    let day = wallClock(at: moment).day
    return (day == today ? "" : localeFormat.text(of: day) + " ") + clockText(of: moment)
  }
}
