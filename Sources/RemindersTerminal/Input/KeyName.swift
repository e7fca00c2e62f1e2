/// The written form of keys, as in configuration files and tests: `j`, `<c-s>`, `<a-b>`, `<s-tab>`,
/// `<f1>`, `<space>`, `<lt>`.
extension Key: CustomStringConvertible {
  private static let namedCodes: [(name: String, code: Code)] = [
    ("enter", .enter), ("tab", .tab), ("backspace", .backspace), ("delete", .delete),
    ("insert", .insert), ("esc", .escape), ("up", .up), ("down", .down), ("left", .left),
    ("right", .right), ("home", .home), ("end", .end), ("pageup", .pageUp),
    ("pagedown", .pageDown), ("space", .character(" ")), ("lt", .character("<")),
  ]

  private static let namedModifiers: [(prefix: String, modifier: Modifiers)] = [
    ("c-", .control), ("a-", .alt), ("s-", .shift),
  ]

  /// The key with this written form, or nil when there is none or more than one.
  public init?(_ name: String) {
    guard let keys = Key.sequence(name), keys.count == 1 else { return nil }
    self = keys[0]
  }

  /// The keys in `text`, one after the other (`jj<space>`), or nil when a `<…>` has no meaning.
  public static func sequence(_ text: String) -> [Key]? {
    var keys: [Key] = []
    var rest = text[...]
    while let first = rest.first {
      guard first == "<" else {
        keys.append(.character(first))
        rest.removeFirst()
        continue
      }
      guard let end = rest.firstIndex(of: ">"),
        let key = Key(bracketed: rest[rest.index(after: rest.startIndex)..<end])
      else { return nil }
      keys.append(key)
      rest = rest[rest.index(after: end)...]
    }
    return keys
  }

  private init?(bracketed name: Substring) {
    var rest = name
    var modifiers: Modifiers = []
    while let held = Key.namedModifiers.first(where: {
      rest.count > $0.prefix.count && rest.lowercased().hasPrefix($0.prefix)
    }) {
      modifiers.insert(held.modifier)
      rest = rest.dropFirst(held.prefix.count)
    }
    let name = rest.lowercased()
    if let named = Key.namedCodes.first(where: { $0.name == name }) {
      self.init(named.code, modifiers)
    } else if name.hasPrefix("f"), let number = Int(name.dropFirst()), (1...24).contains(number) {
      self.init(.function(number), modifiers)
    } else if rest.count == 1, let character = rest.first, !modifiers.isEmpty {
      // Terminals do not tell control with a capital from control with a small letter.
      let shown = modifiers.contains(.control) ? name.first ?? character : character
      self.init(.character(shown), modifiers)
    } else {
      return nil
    }
  }

  /// The written form.
  public var description: String {
    let named = Key.namedCodes.first { $0.code == code }?.name
    let name: String
    switch code {
    case .function(let number): name = "f\(number)"
    case .character(let character): name = named ?? String(character)
    default: name = named ?? ""
    }
    guard named != nil || !modifiers.isEmpty || name.count > 1 else { return name }
    let held = Key.namedModifiers.filter { modifiers.contains($0.modifier) }.map(\.prefix)
    return "<" + held.joined() + name + ">"
  }
}
