import RemindersTestSupport

/// Where the cloud of a seed is, and so what may not be believed.
///
/// A network that loses an answer leaves the server with the question: it may still create the
/// object when its client has looked, found nothing, and gone on.
enum Liar: UInt64, CaseIterable {
  /// A directory that is mounted: caches hide what is new.
  case mount
  /// Another machine's directory, by ssh: whether a name was linked is unknown when the connection
  /// breaks, also when it is another's.
  case ssh
  /// A bucket: answers are lost, requests are repeated on their way, and listings are late.
  case s3
  /// A database: a commit is unknown when the connection breaks, and the next one takes its time.
  case postgres

  /// Each of them has as many seeds, odd and even ones.
  init(seed: UInt64) {
    self = Self(rawValue: seed / 2 % 4) ?? .mount
  }

  var mark: Mark {
    switch self {
    case .mount: .onMount
    case .ssh: .overSSH
    case .s3: .inBucket
    case .postgres: .inDatabase
    }
  }

  /// What goes wrong there, besides what goes wrong everywhere.
  func chances(
    after all: RandomFaults.Chances, using random: inout SplitMix64
  ) -> RandomFaults.Chances {
    guard self != .mount else { return all }
    var chances = all
    // Whoever reads asks the server itself.
    (chances.stale, chances.repeated) = (0, 0)
    chances.lostAnswer = Int.random(in: 10...250, using: &random)
    chances.later = Int.random(in: 10...150, using: &random)
    switch self {
    case .mount: break
    case .ssh: (chances.cut, chances.longestCut) = (Int.random(in: 2...40, using: &random), 4)
    case .s3:
      chances.repeated = Int.random(in: 20...300, using: &random)
      chances.lateList = Int.random(in: 50...500, using: &random)
    case .postgres:
      (chances.cut, chances.longestCut) = (Int.random(in: 2...40, using: &random), 30)
    }
    return chances
  }
}
