/// What lists are called: the same in options, in searches and in the line of a new reminder.
///
/// A title is the name of its list, whatever the case of its letters. Of several that are called
/// alike `Family#1` is the first and `Family#2` the second, in their order; a number is left out
/// where another list has that very title.
public struct ListNames: Sendable {
  /// A name for each list that no other has.
  public let all: [String]
  /// Whether there are no lists.
  var isEmpty: Bool { all.isEmpty }
  /// How many words the longest title has.
  private(set) var mostWords = 0

  private let ids: [RemindersList.ID]
  private var exact: [String: [RemindersList]] = [:]
  private var alike: [String: [RemindersList]] = [:]
  private var numbered: [String: RemindersList] = [:]

  /// The names of all lists, in their order.
  public init(_ lists: [RemindersList]) {
    ids = lists.map(\.id)
    // A title of a megabyte, from another person, nobody types.
    for list in lists where !list.title.isLongerThanAnyTitle {
      let words = list.title.split(whereSeparator: \.isWhitespace)
      let title = words.joined(separator: " ")
      exact[title, default: []].append(list)
      alike[SearchFold.comparable(title), default: []].append(list)
      mostWords = max(mostWords, words.count)
    }
    var numbers: [String: Int] = [:]
    var names: [String] = []
    for list in lists {
      let key = SearchFold.comparable(Self.inSingleSpaces(list.title))
      guard let same = alike[key] else {
        names.append(list.title)
        continue
      }
      var number = numbers[key, default: 0] + 1
      while alike["\(key)#\(number)"] != nil { number += 1 }
      numbers[key] = number
      numbered["\(key)#\(number)"] = list
      names.append(same.count == 1 ? list.title : "\(list.title)#\(number)")
    }
    all = names
  }

  /// The lists that a name means: several where it is the title of several.
  func lists(called name: String) -> [RemindersList] {
    let name = Self.inSingleSpaces(name)
    let key = SearchFold.comparable(name)
    return exact[name] ?? alike[key] ?? numbered[key].map { [$0] } ?? []
  }

  /// The own names of the lists that a name means, in their order.
  public func names(called name: String) -> [String] {
    let found = Set(lists(called: name).map(\.id))
    return zip(ids, all).filter { found.contains($0.0) }.map(\.1)
  }

  private static func inSingleSpaces(_ text: String) -> String {
    text.isLongerThanAnyTitle
      ? text : text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
