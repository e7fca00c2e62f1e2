import RemindersCore
import RemindersTerminal

/// A screen, form or prompt that lies above the home screen and has the keys.
///
/// This is all that the app asks of one. What a screen does not say is as most of them have it.
protocol Screen: Equatable, Sendable {
  /// Where keys are listened to, the most particular place first.
  var contexts: [Context] { get }
  /// The commands that the footer names, the most useful first.
  var hints: [Command.ID] { get }
  /// Whether it covers everything between the header and the messages.
  var isFullPage: Bool { get }
  /// Its name in the header, when it is a place of its own.
  var place: String? { get }

  /// What it wants to know of the outside.
  func subscriptions(in state: AppState) -> [any Subscription]
  /// Fits its list to the room it has.
  mutating func arrange(in state: AppState)
  /// Draws it into the space between header and messages.
  ///
  /// - Returns: Where the focus is.
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point?

  /// Takes a key that no command is bound to.
  mutating func type(_ key: Key, in state: AppState)
  /// Takes text that was pasted.
  mutating func paste(_ text: String, in state: AppState)
  /// Moves the cursor.
  mutating func move(_ move: CursorMove)
  /// Scrolls as the wheel does, and leaves the cursor where it is.
  mutating func scroll(by step: Int, in state: AppState)
  /// Selects what is at a point.
  ///
  /// - Returns: Whether that was selected already; nil when nothing is there.
  mutating func click(_ point: Point, in state: AppState) -> Bool?
  /// What a click on words of its own performs.
  func command(at point: Point, in state: AppState) -> Command.ID?
}

extension Screen {
  var isFullPage: Bool { false }
  var place: String? { nil }
  func subscriptions(in state: AppState) -> [any Subscription] { [] }
  mutating func arrange(in state: AppState) {}
  mutating func type(_ key: Key, in state: AppState) {}
  mutating func paste(_ text: String, in state: AppState) {}
  mutating func move(_ move: CursorMove) {}
  mutating func scroll(by step: Int, in state: AppState) {}
  mutating func click(_ point: Point, in state: AppState) -> Bool? { nil }
  func command(at point: Point, in state: AppState) -> Command.ID? { nil }

  fileprivate func isEqual(to other: any Screen) -> Bool { self == other as? Self }
}

/// A full page whose list reaches down to the messages.
protocol ListScreen: Screen {
  associatedtype Item: Hashable & Sendable
  var list: ListState<Item> { get set }
}

extension ListScreen {
  var isFullPage: Bool { true }
  mutating func move(_ move: CursorMove) { list.move(move.step()) }
  mutating func scroll(by step: Int, in state: AppState) { list.scroll(by: step) }

  mutating func click(_ point: Point, in state: AppState) -> Bool? { clickList(point, in: state) }

  /// Selects the item at a point, as `click(_:in:)` does.
  mutating func clickList(_ point: Point, in state: AppState) -> Bool? {
    list.click(row: point.row - (state.layout.body.rowRange.upperBound - list.height))
  }
}

/// What lies above the home screen; the last one has the keys.
struct ScreenStack: RandomAccessCollection, MutableCollection, RangeReplaceableCollection,
  Equatable, Sendable
{
  private var screens: [any Screen] = []

  init() {}

  var startIndex: Int { screens.startIndex }
  var endIndex: Int { screens.endIndex }

  subscript(index: Int) -> any Screen {
    get { screens[index] }
    set { screens[index] = newValue }
  }

  mutating func replaceSubrange(
    _ range: Range<Int>, with replacement: some Collection<any Screen>
  ) {
    screens.replaceSubrange(range, with: replacement)
  }

  /// The screen that has the keys, if it is of a type.
  subscript<S: Screen>(top _: S.Type) -> S? {
    get { last as? S }
    set { if let newValue { self[endIndex - 1] = newValue } }
  }

  /// Changes every screen of a type.
  mutating func update<S: Screen>(_: S.Type, _ change: (inout S) -> Void) {
    for index in indices {
      guard var screen = self[index] as? S else { continue }
      change(&screen)
      self[index] = screen
    }
  }

  static func == (left: ScreenStack, right: ScreenStack) -> Bool {
    left.elementsEqual(right) { $0.isEqual(to: $1) }
  }
}
