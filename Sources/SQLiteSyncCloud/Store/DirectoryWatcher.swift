#if canImport(Glibc)
  import Dispatch
  import Foundation
  import Synchronization

  /// Tells when something in a directory changes, with one inotify instance for each kind.
  ///
  /// (A user has 128 instances in all, and a process may have many databases.) A directory that
  /// does not exist yet is waited for at its nearest ancestor. When events are lost because too
  /// many came, everybody is told to look. Where inotify is not to be had, nobody is told anything,
  /// and the caller's own poll finds the changes.
  package final class DirectoryWatcher: Sendable {
    /// Tells of files that appear in directories.
    static let shared = DirectoryWatcher(
      events: IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF, pause: .milliseconds(2))
    /// Tells of files in directories that are written to.
    ///
    /// Seldom while much is written: most of it is what this process writes itself.
    package static let writes = DirectoryWatcher(events: IN_MODIFY, pause: .milliseconds(20))

    private struct Watch: Sendable {
      /// Each directory to watch: an existing path, and the components below it.
      let paths: [[String]]
      let onChange: @Sendable () -> Void
      /// The inotify watches that stand for `paths` at present.
      var descriptors: Set<Int32> = []
    }

    private struct State {
      var watches: [Int: Watch] = [:]
      var nextWatch = 0
      /// Reads the events; nil where there is no inotify.
      var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())
    /// Between two looks at what happened; the first of many events is told at once.
    private let pause: DispatchTimeInterval

    private let inotify: Int32
    private let queue = DispatchQueue(label: "cloud.watcher")

    private let events: UInt32

    private init(events: Int32, pause: DispatchTimeInterval) {
      self.pause = pause
      self.events = UInt32(events | IN_ONLYDIR)
      inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard inotify >= 0 else { return }
      state.withLock { state in
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
        source.setEventHandler { [weak self] in self?.drain() }
        source.activate()
        state.source = source
      }
    }

    /// Calls `onChange`, on a queue of the watcher, after a change in one of the directories.
    package func watch(_ paths: [[String]], onChange: @escaping @Sendable () -> Void) -> StoreWatch
    {
      let number = state.withLock { state in
        state.nextWatch += 1
        state.watches[state.nextWatch] = Watch(paths: paths, onChange: onChange)
        arm(state.nextWatch, &state)
        return state.nextWatch
      }
      return StoreWatch { [weak self] in self?.cancel(number) }
    }

    private func cancel(_ number: Int) {
      state.withLock { state in
        guard let watch = state.watches.removeValue(forKey: number) else { return }
        release(watch.descriptors, &state)
      }
    }

    /// Watches each directory of a watch, or its nearest ancestor that is there, instead of what it
    /// watched before.
    private func arm(_ number: Int, _ state: inout State) {
      guard let watch = state.watches[number] else { return }
      state.watches[number]?.descriptors = Set(watch.paths.compactMap(descriptor))
      release(watch.descriptors, &state)
    }

    /// Ends those inotify watches that nobody uses.
    private func release(_ descriptors: Set<Int32>, _ state: inout State) {
      let used = state.watches.values.reduce(into: Set()) { $0.formUnion($1.descriptors) }
      for descriptor in descriptors.subtracting(used) {
        inotify_rm_watch(inotify, descriptor)
      }
    }

    private func descriptor(for components: [String]) -> Int32? {
      var descriptor: Int32?
      var depth = 0
      // What appears below a directory before it is watched is not reported: so look again.
      for _ in components.indices {
        let reached = (depth + 1..<components.count + 1).reversed().first { count in
          let path = components.prefix(count).joined(separator: "/")
          let watched = inotify_add_watch(inotify, path, events)
          if watched >= 0 { descriptor = watched }
          return watched >= 0
        }
        guard let reached, reached < components.count else { break }
        depth = reached
      }
      return descriptor
    }

    /// Reads all events there are and tells those whom they concern.
    private func drain() {
      var touched: Set<Int32> = []
      var overflowed = false
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = buffer.withUnsafeMutableBytes { read(inotify, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        for event in Self.parse(buffer.prefix(count)) {
          touched.insert(event.descriptor)
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { overflowed = true }
        }
      }
      let concerned = state.withLock { state in
        var concerned: [@Sendable () -> Void] = []
        for (number, watch) in state.watches {
          guard overflowed || !watch.descriptors.isDisjoint(with: touched) else { continue }
          concerned.append(watch.onChange)
          arm(number, &state)
        }
        return concerned
      }
      for onChange in concerned { onChange() }
      rest()
    }

    /// Leaves events that come close together to one look: a large transaction makes thousands.
    private func rest() {
      state.withLock { $0.source?.suspend() }
      // A source must not be released while it is suspended.
      queue.asyncAfter(deadline: .now() + pause) {
        self.state.withLock { $0.source?.resume() }
      }
    }

    /// The events in what was read: pairs of a watch and what happened.
    static func parse(_ bytes: ArraySlice<UInt8>) -> [(descriptor: Int32, mask: UInt32)] {
      var events: [(Int32, UInt32)] = []
      bytes.withUnsafeBytes { buffer in
        let header = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + header <= buffer.count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          events.append((event.wd, event.mask))
          offset += header + Int(event.len)
        }
      }
      return events
    }
  }
#endif
