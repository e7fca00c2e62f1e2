/// The picture over the cells of the screen, and what has to be written to change it.
struct PictureLayer {
  /// What changes with a frame.
  struct Change: Equatable {
    /// What to write before the cells are painted.
    var before = ""
    /// The rows of which every cell is to be painted.
    var repainted: Range<Int>?
    /// What to write when the cells are painted.
    var after = ""
  }

  private var shown: FramePicture?
  /// The frame over whose cells it was shown.
  private var frame: Frame?

  /// What to write so that the picture of a frame is shown, if the terminal has its format.
  mutating func change(to frame: Frame, format: PictureFormat?) -> Change {
    let wanted = frame.picture?.format == format ? frame.picture : nil
    var change = Change()
    if let shown, shown != wanted {
      change = Self.removal(of: shown)
      self.shown = nil
    }
    guard let wanted else { return change }
    let isWhole = shown == wanted && !liesOverNewCells(of: frame)
    if !isWhole {
      change.after = Self.sequence(wanted)
      shown = wanted
    }
    self.frame = frame
    return change
  }

  /// Forgets the picture, because the screen is left or every cell is painted anew.
  ///
  /// - Returns: What to write for that.
  mutating func leave() -> String {
    defer { (shown, frame) = (nil, nil) }
    return shown.map { Self.removal(of: $0).before } ?? ""
  }

  /// Whether cells below the picture are painted with this frame.
  private func liesOverNewCells(of new: Frame) -> Bool {
    guard let shown, let frame, case .sixels = shown.format else { return false }
    if frame.theme != new.theme { return true }
    return shown.rect.rowRange.contains { row in
      shown.rect.columnRange.contains { column in
        let cell = Point(column: column, row: row)
        return frame.surface[cell] != new.surface[cell]
      }
    }
  }

  private static func sequence(_ picture: FramePicture) -> String {
    switch picture.format {
    case .png: KittyGraphics.show(picture)
    case .sixels: SixelGraphics.show(picture)
    }
  }

  private static func removal(of picture: FramePicture) -> Change {
    switch picture.format {
    case .png: Change(before: KittyGraphics.remove)
    case .sixels: Change(repainted: picture.rect.rowRange)
    }
  }
}
