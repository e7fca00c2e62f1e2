/// What so many random schedules prove of those that nobody has run, by the rule of three: if none
/// of N independent trials fails, the rate of failures is below 3/N with a confidence of 95 %.
///
/// Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249 (1983).
public func failureRate(schedules: Int, failures: Int) -> String {
  guard failures == 0 else { return "\(schedules) schedules, \(failures) failures" }
  guard schedules >= 6 else {
    return "\(schedules) schedules, 0 failures: too few to prove anything"
  }
  return
    "\(schedules) schedules, 0 failures: fewer than 1 in \(schedules / 3) fail, at 95 % confidence"
}
