extension CoverImage.Facts {
  /// One line for people: `ridge.png · PNG 1200 × 800 · kept as 1000 × 667, 182 kB · ann · …`.
  public func text(in time: LocalTime) -> String { parts(in: time).joined(separator: " · ") }

  /// The parts of the line, the most important first: what it was, what is kept, who set it when.
  public func parts(in time: LocalTime) -> [String] {
    guard let origin else { return imageParts }
    let moment = DueDate.moment(origin.date).dateText(in: time)
    let setter = origin.account.map { "\($0) \(moment)" } ?? moment
    return [origin.name] + imageParts + [setter]
  }

  /// What the image was, and what is kept of it.
  public var imageParts: [String] {
    let bytes = ByteCount.text(byteCount)
    guard let origin else { return ["\(format.rawValue) \(size.text), \(bytes)"] }
    let before = "\(origin.width) × \(origin.height)"
    // What was not shrunk needs its size only once, which leaves room for who set it.
    let kept = size.text == before ? bytes : "kept as \(size.text), \(bytes)"
    return ["\(origin.format) \(before)", kept]
  }
}

/// Sizes of files for people.
public enum ByteCount {
  /// `812 B`, `182 kB`, `1.4 MB`.
  public static func text(_ count: Int) -> String {
    switch count {
    case ..<1000: "\(count) B"
    case ..<999_500: "\((count + 500) / 1000) kB"
    default: "\(count / 1_000_000).\(count / 100_000 % 10) MB"
    }
  }
}
