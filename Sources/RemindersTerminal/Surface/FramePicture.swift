import Foundation

/// How a terminal that shows real pixels takes them.
public enum PictureFormat: Hashable, Sendable {
  /// A PNG file of any size, which the terminal scales to the cells.
  case png
  /// Sixels, as many as the cells have pixels.
  case sixels(SixelLimits)
}

/// What a terminal says of its sixels.
public struct SixelLimits: Hashable, Sendable {
  /// Pixels across a cell.
  public var cellWidth: Int
  /// Pixels down a cell.
  public var cellHeight: Int
  /// How many colours one picture has at most.
  public var colors: Int
  /// How many pixels across a picture has at most; nil when the terminal does not say.
  public var maximumWidth: Int?
  /// How many pixels down a picture has at most; nil when the terminal does not say.
  public var maximumHeight: Int?

  /// What a terminal says of its sixels.
  public init(
    cellWidth: Int, cellHeight: Int, colors: Int = 256, maximumWidth: Int? = nil,
    maximumHeight: Int? = nil
  ) {
    self.cellWidth = cellWidth
    self.cellHeight = cellHeight
    self.colors = colors
    self.maximumWidth = maximumWidth
    self.maximumHeight = maximumHeight
  }

  /// Whether a picture over so many cells is not too large.
  public func allow(_ size: Size) -> Bool {
    size.columns * cellWidth <= maximumWidth ?? .max
      && size.rows * cellHeight <= maximumHeight ?? .max
  }
}

/// A picture over some of the cells, for terminals that show real pixels.
public struct FramePicture: Equatable, Sendable {
  /// The cells that it covers; they say the same as well as cells can.
  public var rect: Rect
  /// What the terminal takes, by its format.
  public var data: Data
  /// What the data are.
  public var format: PictureFormat

  /// A picture over cells.
  public init(rect: Rect, data: Data, format: PictureFormat) {
    self.rect = rect
    self.data = data
    self.format = format
  }
}
