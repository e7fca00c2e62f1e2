#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Synchronization

  /// Tells when files appear in a directory, by kqueue; never compiled yet: there was no Mac.
  ///
  /// A directory that does not exist yet is waited for at its nearest ancestor. Writes to files
  /// that are there already are not told: `writes` tells of files that come and go, such as the log
  /// of a database, and the caller's own poll finds the rest.
  package final class DirectoryWatcher: Sendable {
    /// Tells of files that appear in directories.
    static let shared = DirectoryWatcher()
    /// Tells of files in directories that come and go.
    package static let writes = shared

    private struct Watch {
      /// Each directory to watch: an existing path, and the components below it.
      let paths: [[String]]
      let onChange: @Sendable () -> Void
      var sources: [any DispatchSourceFileSystemObject] = []
    }

    private let watches = Mutex<[Int: Watch]>([:])
    private let numbers = Mutex(0)
    private let queue = DispatchQueue(label: "cloud.watcher")

    private init() {}

    /// Calls `onChange`, on a queue of the watcher, after a change in one of the directories.
    package func watch(_ paths: [[String]], onChange: @escaping @Sendable () -> Void) -> StoreWatch
    {
      let number = numbers.withLock { number in
        number += 1
        return number
      }
      watches.withLock { watches in
        watches[number] = Watch(paths: paths, onChange: onChange)
        arm(number, &watches)
      }
      return StoreWatch { [weak self] in
        self?.watches.withLock { watches in
          for source in watches.removeValue(forKey: number)?.sources ?? [] { source.cancel() }
        }
      }
    }

    /// Watches each directory, or its nearest ancestor that is there, instead of what was watched
    /// before.
    private func arm(_ number: Int, _ watches: inout [Int: Watch]) {
      guard let watch = watches[number] else { return }
      for source in watch.sources { source.cancel() }
      watches[number]?.sources = watch.paths.compactMap { source(for: $0, number) }
    }

    private func source(
      for components: [String], _ number: Int
    ) -> (any DispatchSourceFileSystemObject)? {
      let paths = components.indices.reversed().map {
        components[...$0].joined(separator: "/")
      }
      let files = paths.lazy.map { open($0, O_EVTONLY | O_CLOEXEC) }
      guard let file = files.first(where: { $0 >= 0 }) else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: file, eventMask: [.write, .delete, .rename], queue: queue)
      source.setEventHandler { [weak self] in self?.tell(number) }
      source.setCancelHandler { close(file) }
      source.activate()
      return source
    }

    private func tell(_ number: Int) {
      let onChange = watches.withLock { watches in
        arm(number, &watches)
        return watches[number]?.onChange
      }
      onChange?()
    }
  }
#endif
