import Testing

@testable import RemindersTerminal

@Suite struct ThemeTests {
  /// Roles that no sign or word accompanies: only their look tells what they mean.
  private static let rolesKnownByLook: [Role] = [
    .heading, .titleBar, .cursor, .cursorElsewhere, .match, .hintKey, .fieldFocused,
    .placeholder,
  ]

  @Test(
    "what only a look tells differs from text by more than colour", arguments: Theme.Name.allCases)
  func notByColorAlone(name: Theme.Name) {
    let theme = Theme(name)
    for role in ThemeTests.rolesKnownByLook {
      let look = theme.look(of: role)
      let isSeen = !look.attributes.isEmpty || look.background != nil || role == .placeholder
      #expect(isSeen, "\(role)")
    }
  }

  @Test("without colours, what stands side by side looks different")
  func monoTellsApart() {
    let theme = Theme(.mono)
    for look in Role.allCases.map({ theme.look(of: $0) }) {
      #expect(look.foreground == nil && look.background == nil)
    }
    let pairs: [(Role, Role)] = [
      (.text, .cursor), (.cursor, .cursorElsewhere), (.text, .match), (.text, .heading),
      (.hintKey, .hintText), (.field, .fieldFocused), (.text, .overdue), (.text, .done),
      (.field, .placeholder), (.hintText, .hintDisabled), (.text, .error),
    ]
    for (one, other) in pairs {
      #expect(theme.look(of: one) != theme.look(of: other), "\(one) and \(other)")
    }
  }

  @Test("the selection shows over every role, in every theme", arguments: Theme.Name.allCases)
  func selectionOverRoles(name: Theme.Name) {
    let theme = Theme(name)
    for role in Role.allCases where role != .cursor && role != .titleBar {
      let plain = theme.look(of: Style(role))
      let selected = theme.look(of: Style(role, over: .cursor))
      #expect(plain != selected, "\(role)")
    }
  }

  @Test("a row keeps the colours of its parts under the selection")
  func overlayKeepsForeground() {
    let theme = Theme(.dark)
    let selected = theme.look(of: Style(.overdue, over: .cursor))
    #expect(selected.foreground == theme.look(of: .overdue).foreground)
    #expect(selected.background == theme.look(of: .cursor).background)
  }

  @Test("a row under a reversed cursor is one block", arguments: Role.allCases)
  func reversedCursor(role: Role) {
    let look = Theme(.auto).look(of: Style(role, over: .cursor, foreground: RGB(0x4A99EF)))
    #expect(look.foreground == nil && look.attributes.contains(.reverse))
    let title = Theme(.auto).look(of: Style(.titleBar, over: role == .cursor ? .success : role))
    #expect(title.foreground == nil)
  }

  @Test("an exact colour wins over the role's, but not in a theme without colours")
  func exactColors() {
    let style = Style(.tag, foreground: RGB(0x4A99EF))
    #expect(Theme(.auto).look(of: style).foreground == .rgb(RGB(0x4A99EF)))
    #expect(Theme(.mono).look(of: style).foreground == nil)
  }

  @Test(
    "the plain text of every theme keeps the terminal's own colours", arguments: Theme.Name.allCases
  )
  func ownColors(name: Theme.Name) {
    #expect(Theme(name).look(of: .text) == Look())
  }

  @Test("one role can be replaced")
  func replacing() {
    let look = Look(.ansi(1), on: .ansi(7), .bold)
    let theme = Theme(.dark).replacing(.tag, with: look)
    #expect(theme.look(of: .tag) == look)
    #expect(theme.look(of: .flag) == Theme(.dark).look(of: .flag))
  }

  @Test("themes are found by the names that people write")
  func names() {
    #expect(
      Theme.Name.allCases.map(\.rawValue) == ["auto", "dark", "light", "high-contrast", "mono"])
  }
}

@Suite struct ColorTests {
  @Test("text that would not stand out from the background has the terminal's colour")
  func visibility() {
    func color(_ hex: UInt32, _ theme: Theme.Name, on background: RGB? = nil) -> Color? {
      Theme(theme).look(of: Style(foreground: RGB(hex), background: background)).foreground
    }
    for hex in [0x202020, 0x000000, 0x000080] as [UInt32] {
      #expect(color(hex, .dark) == nil && color(hex, .auto) == nil)
      #expect(color(hex, .light) == .rgb(RGB(hex)))
      // A picture is what it is.
      #expect(color(hex, .dark, on: RGB(hex)) == .rgb(RGB(hex)))
    }
    #expect(color(0xFFFFFF, .light) == nil && color(0xFFFFFF, .auto) == nil)
    #expect(color(0xFFFFFF, .dark) != nil)
    for hex in [0x4A99EF, 0x8E5BD0, 0x808080] as [UInt32] {
      for theme in [Theme.Name.auto, .dark, .light] { #expect(color(hex, theme) != nil) }
    }
    #expect(Color.rgb(RGB(0x808080)).index(at: .ansi8) == 7)
  }

  @Test(
    "the nearest colour is chosen",
    arguments: [
      (UInt32(0x000000), 16), (0xFFFFFF, 231), (0xFF0000, 196), (0x4A99EF, 69),
      (0x808080, 244), (0x121212, 233),
    ])
  func palette(hex: UInt32, index: Int) {
    #expect(Color.rgb(RGB(hex)).index(at: .palette256) == index)
  }

  @Test(
    "the colours of lists stay apart in sixteen colours, and have a hue in eight",
    arguments: [
      (UInt32(0x4A99EF), 12), (0x57A85B, 10), (0xE3B341, 11), (0xEF7E4A, 3), (0xE0524D, 9),
      (0xE56BA6, 13), (0x8E5BD0, 5),
    ])
  func listColors(hex: UInt32, index: Int) {
    let color = Color.rgb(RGB(hex))
    #expect(color.index(at: .ansi16) == index)
    #expect(color.index(at: .ansi8) == index % 8)
  }

  @Test("fewer colours give the nearest of those, and none gives none")
  func depths() {
    let red = Color.rgb(RGB(0xF01010))
    #expect(red.index(at: .ansi16) == 9)
    #expect(red.index(at: .ansi8) == 1)
    #expect(red.index(at: .mono) == nil)
    let named = Color.palette(203, ansi: 9)
    #expect(Color.ansi(9).index(at: .direct) == 0xFF_0000)
    #expect(Color.ansi(9).index(at: .direct, ownColors: 16) == 9)
    // The first numbers are not exact colours there.
    #expect(Color.rgb(RGB(0)).index(at: .direct, ownColors: 16) == 16)
    #expect(
      [ColorDepth.direct, .palette256, .ansi16, .ansi8, .mono].map { named.index(at: $0) }
        == [0xFF_5F5F, 203, 9, 1, nil])
  }
}

@Suite struct GlyphSetTests {
  @Test("the ASCII set is ASCII, and no sign of either is empty or cannot be shown")
  func signs() {
    for (set, isASCII) in [(GlyphSet.unicode, false), (.ascii, true)] {
      for child in Mirror(reflecting: set).children {
        let sign = child.value as? String ?? ""
        #expect(TextWidth.columns(of: sign) > 0, "\(child.label ?? "")")
        if isASCII { #expect(sign.allSatisfy { $0.isASCII }, "\(child.label ?? "")") }
      }
    }
  }

  @Test("states differ as text in ASCII")
  func states() {
    let glyphs = GlyphSet.ascii
    #expect(Set([glyphs.open, glyphs.partial, glyphs.done, glyphs.alert, glyphs.flag]).count == 5)
    #expect(Set([glyphs.check, glyphs.cross, glyphs.conflict, glyphs.unknown]).count == 4)
  }

  @Test("signs that rules and boxes are made of take one cell")
  func lines() {
    for set in [GlyphSet.unicode, .ascii] {
      let signs = [
        set.horizontal, set.vertical, set.topLeft, set.topRight, set.bottomLeft, set.bottomRight,
        set.teeDown, set.pointer, set.bar, set.swatch, set.barFull, set.barEmpty,
      ]
      #expect(signs.allSatisfy { TextWidth.columns(of: $0) == 1 })
    }
  }
}
