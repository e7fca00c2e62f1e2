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
  static func weekday(_ word: String) -> Int? { index(of: word, in: weekdays) }

  /// The month that a word of three letters or more begins; January is 1.
  static func month(_ word: String) -> Int? { index(of: word, in: months).map { $0 + 1 } }

  /// A number in digits, or as one word.
  static func count(_ word: String) -> Int? {
    Int(digits: word) ?? counts.firstIndex(of: word).map { $0 + 1 } ?? tens[word]
  }

  private static let counts = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
  ]
  private static let tens = ["thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90]

  private static func index(of word: String, in names: [String]) -> Int? {
    word.count < 3 ? nil : names.firstIndex { $0.lowercased().hasPrefix(word) }
  }
}
