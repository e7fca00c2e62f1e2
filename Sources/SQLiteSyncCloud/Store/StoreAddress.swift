/// The address of a store, as somebody types it.
public protocol StoreAddress {
  /// Reads an address that somebody has typed.
  ///
  /// - Throws: `badContainer`, which says what is wrong with it; nothing secret that was typed is
  ///   in that.
  init(typed text: String) throws(CloudError)
}

extension StoreAddress {
  /// Reads an address; nil for what is none.
  public init?(_ text: String) {
    do throws(CloudError) {
      try self.init(typed: text)
    } catch {
      return nil
    }
  }
}

extension String {
  /// Whether a control character of ASCII is in it, which no part of an address holds.
  var hasControlCharacter: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7f } }
}
