/// An option of an address, after `?`.
enum AddressOption {
  /// What is wrong with an option that nobody knows.
  ///
  /// It is named where it looks like an option: in other places may be what is secret.
  static func unknown(_ name: String, of known: [String]) -> String {
    let isWord =
      (1...30).contains(name.utf8.count) && name.utf8.allSatisfy { (97...122).contains($0) }
    let options = known.joined(separator: ", ")
    return (isWord ? "It has no option \(name)" : "It has not such an option") + ": \(options)"
  }
}
