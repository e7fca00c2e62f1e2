import RemindersTestSupport
import Testing

@testable import RemindersTerminal

@Suite struct KeyTests {
  @Test(
    "keys have one written form",
    arguments: [
      ("j", Key.character("j")), ("J", .character("J")), ("<c-s>", .control("s")),
      ("<a-b>", .alt("b")), ("<s-tab>", .backTab), ("<esc>", .escape), ("<f1>", .function(1)),
      ("<space>", .space), ("<enter>", .enter), ("<lt>", .character("<")), (">", .character(">")),
      ("<c-a-x>", Key(.character("x"), [.control, .alt])), ("<pageup>", .pageUp),
      ("<c-space>", .control(" ")), ("<s-left>", Key(.left, .shift)), ("日", .character("日")),
      ("<delete>", .delete), ("<c-_>", .control("_")), ("<a-J>", .alt("J")),
    ])
  func names(name: String, key: Key) {
    #expect(Key(name) == key)
    #expect(key.description == name)
  }

  @Test("names are read in any case")
  func anyCase() {
    #expect(Key("<C-S>") == .control("s"))
    #expect(Key("<PageDown>") == .pageDown)
  }

  @Test(
    "what names no key, or several, is not a key",
    arguments: ["", "jj", "<", "<c-", "<>", "<c->", "<x>", "<f0>", "<f99>", "<nothing>"])
  func notKeys(name: String) {
    #expect(Key(name) == nil)
  }

  @Test("a sequence spells keys one after the other")
  func sequences() {
    #expect(
      Key.sequence("gg<c-d>é<space>")
        == [.character("g"), .character("g"), .control("d"), .character("é"), .space])
    #expect(Key.sequence("j<oops>") == nil)
  }

  @Test("only plain characters are typed")
  func typed() {
    #expect(Key.character("x").typed == "x")
    #expect(Key.control("x").typed == nil)
    #expect(Key.enter.typed == nil)
  }
}

@Suite struct KeyDecoderTests {
  private func inputs(_ text: String) -> [TerminalInput] {
    var decoder = KeyDecoder()
    return decoder.feed(Array(text.utf8)) + decoder.flush()
  }

  private func events(_ text: String) -> [TerminalEvent] {
    inputs(text).compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  @Test("what the terminal says of itself is an answer and no key")
  func answers() {
    let attributes = "\u{1B}[?62;4;22c"
    #expect(inputs(attributes) == [.answer(.attributes([62, 4, 22]))])
    #expect(inputs("\u{1B}[6;20;10t") == [.answer(.cell(width: 10, height: 20))])
    #expect(inputs("\u{1B}[?1;0;256S") == [.answer(.colors(256))])
    #expect(inputs("\u{1B}[?2;0;800;600S") == [.answer(.maximum(width: 800, height: 600))])
    #expect(inputs("\u{1B}_Gi=31;OK\u{1B}\\") == [.answer(.showsPNG)])
    // It could not, or it says something else.
    for text in ["\u{1B}[?1;3;0S", "\u{1B}[8;24;80t", "\u{1B}[>1;10;0c", "\u{1B}_Gi=31;no\u{1B}\\"]
    {
      #expect(inputs(text + "j") == [.event(.key(.character("j")))], "\(text.debugDescription)")
    }
    #expect(inputs("\u{1B}[1;2S") == [.event(.key(Key(.function(4), .shift)))])
  }

  private func keys(_ text: String) -> String {
    events(text).map { if case .key(let key) = $0 { key.description } else { "?" } }.joined()
  }

  @Test(
    "bytes become keys",
    arguments: [
      ("jé日🎉", "jé日🎉"), ("\r\n", "<enter><enter>"), ("\t", "<tab>"),
      ("\u{7F}\u{8}", "<backspace><backspace>"), ("\u{1}\u{1A}", "<c-a><c-z>"),
      ("\u{0}", "<c-space>"), ("\u{1F}\u{1C}", "<c-_><c-\\>"), ("\u{1B}", "<esc>"),
      ("\u{1B}b\u{1B}\u{7F}", "<a-b><a-backspace>"), ("\u{1B}é", "<a-é>"),
      ("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}OD", "<up><down><right><left>"),
      ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}OH\u{1B}[8~", "<home><end><home><end><home><end>"),
      ("\u{1B}[2~\u{1B}[3~\u{1B}[5~\u{1B}[6~", "<insert><delete><pageup><pagedown>"),
      ("\u{1B}OP\u{1B}[15~\u{1B}[24~\u{1B}[[A\u{1B}[[E", "<f1><f5><f12><f1><f5>"),
      ("\u{1B}[Z", "<s-tab>"),
      (
        "\u{1B}[1;5C\u{1B}[1;3D\u{1B}[1;2A\u{1B}[3;5~\u{1B}[1;9A",
        "<c-right><a-left><s-up><c-delete><a-up>"
      ),
      ("\u{1B}[115;5u\u{1B}[27;5;115~\u{1B}[27u\u{1B}[13;2u", "<c-s><c-s><esc><s-enter>"),
      ("\u{1B}[106;2u", "J"),
    ])
  func decoding(bytes: String, keys expected: String) {
    #expect(keys(bytes) == expected)
  }

  @Test("reports and sequences that mean nothing here are dropped, and what follows is read")
  func unknownSequences() {
    #expect(keys("\u{1B}[I\u{1B}[?62;4c\u{1B}[99~\u{1B}OXj") == "j")
    #expect(keys("\u{1B}[12\u{3}j") == "<c-c>j")
  }

  @Test("the same bytes give the same events however they are cut")
  func anyCut() {
    let text = "j\u{1B}[1;5C日\u{1B}[200~a\r\nb 日\u{1B}[201~\u{1B}[<0;3;4M\u{1B}OPx\u{1B}[?4c"
    let expected = inputs(text)
    #expect(expected.count == 8)
    for size in 1...7 {
      var decoder = KeyDecoder()
      var found: [TerminalInput] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        found += decoder.feed(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(found + decoder.flush() == expected, "pieces of \(size)")
    }
  }

  @Test("a lone escape waits for what may follow it")
  func loneEscape() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]).isEmpty)
    #expect(decoder.isUndecided)
    #expect(decoder.flush() == [.event(.key(.escape))])
    #expect(!decoder.isUndecided)
    #expect(decoder.feed([0x1B, 0x1B]) == [.event(.key(.escape))])
    #expect(decoder.feed(Array("[A".utf8)) == [.event(.key(.up))])
  }

  @Test("an escape is not flushed by the timer of an earlier one")
  func laterEscape() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]).isEmpty)
    let first = decoder.feedCount
    #expect(decoder.feed(Array("[A\u{1B}".utf8)) == [.event(.key(.up))])
    let second = decoder.feedCount
    #expect(decoder.flush(unlessFedSince: first).isEmpty)
    #expect(decoder.feed(Array("[B".utf8)) == [.event(.key(.down))])
    #expect(decoder.feed([0x1B]).isEmpty)
    #expect(decoder.flush(unlessFedSince: second).isEmpty)
    #expect(decoder.flush(unlessFedSince: decoder.feedCount) == [.event(.key(.escape))])
  }

  @Test("a paste arrives as one text, whatever is in it")
  func pastes() {
    #expect(
      events("\u{1B}[200~q\u{1B}[A\u{3}\r\nx\ry\u{1B}[201~j")
        == [.paste("q\u{1B}[A\u{3}\nx\ny"), .key(.character("j"))])
    #expect(events("\u{1B}[200~\u{1B}[201~") == [.paste("")])
  }

  @Test("an unfinished paste is not typed")
  func unfinishedPaste() {
    #expect(events("\u{1B}[200~q").isEmpty)
  }

  @Test("text that comes faster than anybody types is a paste, however it is cut")
  func unmarkedPaste() {
    let text = String(repeating: "quit, añd\r", count: 50)
    let bytes = Array(text.utf8)
    var decoder = KeyDecoder()
    #expect(decoder.feed(bytes[..<301]) + decoder.feed(bytes[301...]) == [])
    #expect(decoder.isPasting)
    let pasted = text.replacing("\r", with: "\n")
    #expect(decoder.flush() == [.event(.paste(pasted))])
    #expect(!decoder.isPasting && !decoder.isUndecided)
    #expect(decoder.feed(Array("q".utf8)) == [.event(.key(.character("q")))])
  }

  @Test("a key that is no text ends a paste without marks, and keys of a fast hand are none")
  func endOfUnmarkedPaste() {
    let text = String(repeating: "quit, and ", count: 50)
    #expect(
      events(text + "\u{3}j") == [.paste(text), .key(.control("c")), .paste("j")])
    #expect(events(String(repeating: "j", count: 60)).count == 60)
    #expect(events("g" + String(repeating: "j", count: 600)).count == 601, "a key that is held")
    #expect(events(String(repeating: "j\u{1B}[Bf", count: 200)).count == 600)
  }

  @Test("presses and the wheel are mouse events; releases, drags and other buttons are not")
  func mouse() {
    let point = Point(column: 2, row: 3)
    #expect(events("\u{1B}[<0;3;4M\u{1B}[<0;3;4m") == [.mouse(MouseEvent(.click, at: point))])
    #expect(events("\u{1B}[<64;3;4M") == [.mouse(MouseEvent(.wheelUp, at: point))])
    #expect(events("\u{1B}[<81;3;4M") == [.mouse(MouseEvent(.wheelDown, at: point))])
    #expect(events("\u{1B}[<32;3;4M\u{1B}[<2;3;4M\u{1B}[<0;0;1M\u{1B}[<0;1M").isEmpty)
  }

  @Test("no bytes stop it: random ones always end in a state that can go on")
  func randomBytes() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2_000 {
      var decoder = KeyDecoder()
      let bytes = (0..<24).map { _ -> UInt8 in
        Bool.random(using: &generator)
          ? Array("\u{1B}[O<?~;M1234567890uAZcSt".utf8).randomElement(using: &generator) ?? 0
          : UInt8.random(in: 0...255, using: &generator)
      }
      _ = decoder.feed(bytes) + decoder.feed(Array("\u{1B}[201~".utf8)) + decoder.flush()
      #expect(decoder.feed([0x6A]) == [.event(.key(.character("j")))], "\(bytes)")
    }
  }
}
