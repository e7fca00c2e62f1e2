import Foundation

/// The state of a zone that is to become a checkpoint: the versions of its records in the order of
/// their tags, of which no more than a page is in memory.
///
/// A version that is overwritten stays where it is and is marked; one bit of each is all that is
/// held.
final class FoldedLog {
  /// What is known of the records that some commits are about.
  struct Known {
    /// A version, and its number in the order of all.
    struct Version {
      let number: Int
      let state: RecordState
    }

    fileprivate(set) var versions: [ExactString: Version] = [:]
    fileprivate(set) var children: [ExactString: Set<ExactString>] = [:]
    fileprivate let share: Share?
    fileprivate let names: Set<ExactString>
    fileprivate let parents: Set<ExactString>

    /// What the rules ask.
    var view: ServerView {
      ServerView(
        record: { name in
          assert(names.contains(ExactString(name)))
          return versions[ExactString(name)]?.state
        },
        children: { parent in
          assert(parents.contains(ExactString(parent)))
          return (children[ExactString(parent)] ?? []).map(\.string)
        },
        share: { share })
    }

    /// How many records that is.
    var count: Int { children.values.reduce(versions.count) { $0 + $1.count } }
  }

  /// Of each version the hashes of its name and its parent's, and where its state is.
  private let index: SpoolFile
  private let states: SpoolFile
  private let lines: SpoolFile
  private var count = 0
  /// A bit for each version.
  private var overwritten: [UInt64] = []
  private var share: Share?
  /// Whether the share record as it stands was written by somebody else than its owner.
  private(set) var isShareForged = false

  private let lastForgettable: Int64

  /// - Parameters:
  ///   - pageBytes: How much of a file is held in memory.
  ///   - lastForgettable: The last commit whose deletions may be left out.
  init(pageBytes: Int, lastForgettable: Int64 = .max) {
    self.lastForgettable = lastForgettable
    index = SpoolFile(pageBytes: pageBytes)
    states = SpoolFile(pageBytes: pageBytes)
    lines = SpoolFile(pageBytes: pageBytes)
  }

  /// Brings a version in, later than all before; `operation` is its line in a commit or a
  /// checkpoint.
  func put(
    _ copy: ServerCopy, operation: ArraySlice<UInt8>, overwriting known: Known.Version? = nil
  ) throws {
    if copy.name == Share.recordName { (share, isShareForged) = (copy.share, !copy.isAuthentic) }
    if let known { overwritten[known.number / 64] |= 1 << UInt64(known.number % 64) }
    if count % 64 == 0 { overwritten.append(0) }
    count += 1
    let state = RecordState(copy)
    let offset = try states.append(
      FoldedState.encoded(copy.name, state, assets: copy.assets.map(\.name)))
    var entry = Frame()
    entry.append(HashFilter.hash(ExactString(copy.name)))
    entry.append(state.parent.map { HashFilter.hash(ExactString($0)) } ?? HashFilter.none)
    entry.append(Int64(offset))
    try index.append(entry.bytes)
    let line = CheckpointPart.Line(
      tag: copy.tag, author: copy.author, device: copy.device, operation: operation)
    var frame = Frame()
    let isForgettable = copy.tag.sequence <= lastForgettable
    frame.append((isForgettable ? state.deleted?.milliseconds : nil) ?? .max)
    frame.append(line.encoded)
    try lines.append(frame.bytes)
  }

  /// Looks for all at once: the records of these names, and whose parent these are.
  ///
  /// Of the children that are not among the names it takes the first: the rules ask whether there
  /// is one.
  func look(up names: Set<ExactString>, childrenOf parents: Set<ExactString>) throws -> Known {
    var known = Known(share: share, names: names, parents: parents)
    let (nameFilter, parentFilter) = (HashFilter(names), HashFilter(parents))
    var others: [ExactString: ExactString] = [:]
    try index.forEach { number, bytes in
      var entry = FrameReader(bytes)
      let isNamed = nameFilter.mayContain(entry.integer())
      let isChild = parentFilter.mayContain(entry.integer())
      guard isNamed || isChild, !isOverwritten(number) else { return }
      let (name, state) = try states.read(at: Int(entry.integer())) { bytes in
        var frame = FrameReader(bytes)
        return FoldedState.decode(&frame)
      }
      if isNamed, names.contains(name) {
        known.versions[name] = Known.Version(number: number, state: state)
      }
      guard isChild, let parent = state.parent.map(ExactString.init), parents.contains(parent)
      else { return }
      if names.contains(name) {
        known.children[parent, default: []].insert(name)
      } else {
        others[parent] = others[parent].map { min($0, name) } ?? name
      }
    }
    for (parent, child) in others { known.children[parent, default: []].insert(child) }
    return known
  }

  /// The lines of the checkpoint, without deletions from before a time, in milliseconds since 1970,
  /// that may be forgotten.
  func forEachLine(forgettingBefore limit: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void)
    throws
  {
    try lines.forEach { number, bytes in
      guard !isOverwritten(number) else { return }
      var frame = FrameReader(bytes)
      if frame.integer() >= limit { try body(frame.rest) }
    }
  }

  /// The names of the assets that the living records name.
  func assets() throws -> Set<String> {
    var names: Set<String> = []
    try states.forEach { number, bytes in
      if !isOverwritten(number) { names.formUnion(FoldedState.assets(bytes)) }
    }
    return names
  }

  private func isOverwritten(_ number: Int) -> Bool {
    overwritten[number / 64] >> UInt64(number % 64) & 1 == 1
  }
}

/// The state of a record as a frame, with its assets.
private enum FoldedState {
  static func encoded(_ name: String, _ state: RecordState, assets: [String]) -> [UInt8] {
    var frame = Frame()
    for number in [state.tag.epoch, state.tag.sequence, Int64(state.tag.index)] {
      frame.append(number)
    }
    frame.append(state.deleted?.rawValue ?? .min)
    for text in [name, state.type] { frame.append(text) }
    frame.append(state.parent == nil ? 0 : 1)
    if let parent = state.parent { frame.append(parent) }
    frame.append(Int64(assets.count))
    for asset in assets { frame.append(asset) }
    return frame.bytes
  }

  static func decode(_ frame: inout FrameReader) -> (ExactString, RecordState) {
    let tag = ChangeTag(
      epoch: frame.integer(), sequence: frame.integer(), index: Int(frame.integer()))
    let deleted = frame.integer()
    let (name, type) = (frame.text(), frame.text())
    let parent = frame.integer() == 0 ? nil : frame.text()
    let state = RecordState(
      type: type, parent: parent, tag: tag,
      deleted: deleted == .min ? nil : FieldClock(rawValue: deleted))
    return (ExactString(name), state)
  }

  static func assets(_ bytes: UnsafeRawBufferPointer) -> [String] {
    var frame = FrameReader(bytes)
    _ = decode(&frame)
    return (0..<frame.integer()).map { _ in frame.text() }
  }
}

/// Numbers and texts one after the other.
private struct Frame {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: Int64) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ text: String) {
    append(Int64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func append(_ rest: [UInt8]) {
    bytes += rest
  }
}

/// Reads what a `Frame` has written in this process.
private struct FrameReader {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  mutating func integer() -> Int64 {
    let number = rest.loadUnaligned(as: Int64.self)
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(MemoryLayout<Int64>.size))
    return number
  }

  mutating func text() -> String {
    let count = Int(integer())
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }
}

/// Tells of most hashes at once that they are none of a set's.
private struct HashFilter {
  /// The hash of no name.
  static let none: Int64 = 0
  private static let bitCount = 1 << 20
  private var bits: [UInt64] = []

  init(_ names: Set<ExactString>) {
    guard !names.isEmpty else { return }
    bits = [UInt64](repeating: 0, count: Self.bitCount / 64)
    for name in names {
      let bit = Self.bit(Self.hash(name))
      bits[bit / 64] |= 1 << UInt64(bit % 64)
    }
  }

  static func hash(_ name: ExactString) -> Int64 { Int64(name.hashValue) | 1 }

  private static func bit(_ hash: Int64) -> Int { Int(hash >> 1) & (bitCount - 1) }

  func mayContain(_ hash: Int64) -> Bool {
    guard hash != Self.none, !bits.isEmpty else { return false }
    let bit = Self.bit(hash)
    return bits[bit / 64] >> UInt64(bit % 64) & 1 == 1
  }
}
