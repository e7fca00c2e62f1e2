/// The names of weekdays and months, as typed and as shown.
enum DateNames {
  static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// The weekday that a word of three letters or more begins; Monday is 0.
  static func weekday(_ word: String) -> Int? { index(of: word, in: lowercasedWeekdays) }

  /// The month that a word of three letters or more begins; January is 1.
  static func month(_ word: String) -> Int? { index(of: word, in: lowercasedMonths).map { $0 + 1 } }

  /// A number in digits, or as one word.
  static func count(_ word: String) -> Int? {
    word.beginsWithDigit ? Int(digits: word) : counts[word]
  }

  private static let lowercasedWeekdays = weekdays.map { $0.lowercased() }
  private static let lowercasedMonths = months.map { $0.lowercased() }

  private static let counts: [String: Int] = {
    let names = [
      "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
      "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
      "twenty",
    ]
    let tens = ["thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90]
    return names.enumerated().reduce(into: tens) { $0[$1.element] = $1.offset + 1 }
  }()

  private static func index(of word: String, in names: [String]) -> Int? {
    word.utf8.count < 3 ? nil : names.firstIndex { $0.hasPrefix(word) }
  }
}

extension StringProtocol {
  /// Whether it begins with a digit of ASCII; other ones begin no date.
  var beginsWithDigit: Bool { utf8.first.map { (0x30...0x39).contains($0) } ?? false }
}
