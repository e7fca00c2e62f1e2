import Foundation
import Testing

@testable import RemindersTerminal

@Suite struct PictureInquiryTests {
  private func found(
    _ answers: [TerminalAnswer], mayKnowPNG: Bool = false,
    measured: (width: Int, height: Int)? = nil
  ) -> [PictureInquiry.Step] {
    var inquiry = PictureInquiry(mayKnowPNG: mayKnowPNG)
    _ = inquiry.begin()
    return answers.map { inquiry.receive($0, measuredCell: measured) }
  }

  private let details = PictureInquiry.Step.ask(
    SixelGraphics.questions + ControlSequence.attributesQuery)

  @Test("a terminal without pictures says so, and is asked nothing else")
  func none() {
    #expect(found([.attributes([62, 22])]) == [.found(nil)])
    // Its first number is a family of terminals.
    #expect(found([.attributes([4, 6])]) == [.found(nil)])
  }

  @Test("who knows PNG is not asked for sixels")
  func png() {
    #expect(
      found([.showsPNG, .attributes([62, 4])], mayKnowPNG: true) == [.wait, .found(.png)])
  }

  @Test("sixels are as the terminal says; the kernel knows the size of a cell for it")
  func sixels() {
    let limits = SixelLimits(
      cellWidth: 9, cellHeight: 18, colors: 16, maximumWidth: 1000, maximumHeight: 900)
    #expect(
      found(
        [
          .attributes([62, 4]), .colors(16), .maximum(width: 1000, height: 900),
          .cell(width: 9, height: 18), .attributes([62, 4]),
        ], measured: (1, 1)) == [details, .wait, .wait, .wait, .found(.sixels(limits))])
    #expect(
      found([.attributes([62, 4]), .colors(1024), .attributes([62, 4])], measured: (8, 16))
        == [details, .wait, .found(.sixels(SixelLimits(cellWidth: 8, cellHeight: 16)))])
  }

  @Test("without the size of a cell there are no sixels: they would lie over something else")
  func unknownCell() {
    for cell in [(0, 20), (10, 0), (-1, 5), (5, 1_000_000)] {
      let answer = TerminalAnswer.cell(width: cell.0, height: cell.1)
      #expect(found([.attributes([1, 4]), answer, .attributes([1, 4])]).last == .found(nil))
    }
    #expect(found([.attributes([1, 4]), .attributes([1, 4])]) == [details, .found(nil)])
  }

  @Test("another size of the terminal is asked about where it matters")
  func again() {
    var inquiry = PictureInquiry(mayKnowPNG: true)
    #expect(inquiry.begin().hasSuffix("AAAA\u{1B}\\\u{1B}[c"))
    #expect(inquiry.beginAgain() == nil)
    _ = inquiry.receive(.attributes([62, 4]), measuredCell: (8, 16))
    _ = inquiry.receive(.attributes([62, 4]), measuredCell: (8, 16))
    #expect(inquiry.format == .sixels(SixelLimits(cellWidth: 8, cellHeight: 16)))
    #expect(inquiry.beginAgain() != nil)
    // Until it has answered, all is as it was.
    #expect(inquiry.format == .sixels(SixelLimits(cellWidth: 8, cellHeight: 16)))
    _ = inquiry.receive(.cell(width: 16, height: 32), measuredCell: (8, 16))
    let larger = PictureFormat.sixels(SixelLimits(cellWidth: 16, cellHeight: 32))
    #expect(inquiry.receive(.attributes([62, 4]), measuredCell: (8, 16)) == .found(larger))
  }

  @Test("a picture is allowed up to the last pixel")
  func limits() {
    let limits = SixelLimits(
      cellWidth: 10, cellHeight: 20, maximumWidth: 100, maximumHeight: 100)
    #expect(limits.allow(Size(columns: 10, rows: 5)))
    #expect(!limits.allow(Size(columns: 11, rows: 5)) && !limits.allow(Size(columns: 10, rows: 6)))
  }
}

@MainActor @Suite struct PictureLayerTests {
  nonisolated private static let limits = SixelLimits(cellWidth: 10, cellHeight: 20)
  nonisolated private static let formats = [PictureFormat.png, .sixels(limits)]

  private func frame(_ format: PictureFormat? = nil, data: String = "abc") -> Frame {
    var frame = Frame(surface: Surface(size: Size(columns: 20, rows: 8)), theme: Theme(.mono))
    frame.picture = format.map {
      FramePicture(
        rect: Rect(column: 2, row: 1, columns: 10, rows: 3), data: Data(data.utf8), format: $0)
    }
    return frame
  }

  @Test("a picture is written once, and after the cells", arguments: formats)
  func once(format: PictureFormat) {
    var layer = PictureLayer()
    let first = layer.change(to: frame(format), format: format)
    #expect(first.before.isEmpty && first.repainted == nil && !first.after.isEmpty)
    #expect(layer.change(to: frame(format), format: format) == PictureLayer.Change())
    // The screen was emptied: it is written again.
    _ = layer.leave()
    #expect(layer.change(to: frame(format), format: format).after == first.after)
  }

  @Test("a picture in another format than the terminal's is not written")
  func otherFormat() {
    var layer = PictureLayer()
    #expect(layer.change(to: frame(.png), format: nil) == PictureLayer.Change())
    #expect(layer.change(to: frame(.png), format: Self.formats[1]) == PictureLayer.Change())
  }

  @Test("another picture takes the place of the one before", arguments: formats)
  func replaced(format: PictureFormat) {
    var layer = PictureLayer()
    _ = layer.change(to: frame(format), format: format)
    let change = layer.change(to: frame(format, data: "xyz"), format: format)
    #expect(change.before.isEmpty == (format != .png))
    #expect(change.repainted == (format == .png ? nil : 1..<4))
    #expect(!change.after.isEmpty)
    let end = layer.change(to: frame(), format: format)
    #expect(end.after.isEmpty && end.repainted == change.repainted)
  }

  @Test("sixels that cells were painted over are written again, a PNG is not", arguments: formats)
  func paintedOver(format: PictureFormat) {
    var layer = PictureLayer()
    var frame = frame(format)
    _ = layer.change(to: frame, format: format)
    frame.surface.write("x", at: Point(column: 12, row: 1))
    frame.surface.write("x", at: Point(column: 2, row: 4))
    #expect(layer.change(to: frame, format: format) == PictureLayer.Change())
    frame.surface.write("x", at: Point(column: 11, row: 3))
    #expect(layer.change(to: frame, format: format).after.isEmpty == (format == .png))
    frame.theme = Theme(.dark)
    #expect(layer.change(to: frame, format: format).after.isEmpty == (format == .png))
  }
}
