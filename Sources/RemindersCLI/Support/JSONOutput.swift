import Reminders

/// One JSON document on standard output.
enum JSONOutput {
  static func print(_ value: some Encodable) throws {
    Swift.print(try JSONText.text(value))
  }
}
