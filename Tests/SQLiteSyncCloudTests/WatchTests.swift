import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What a watch tells when more happens than the kernel keeps.
@Suite struct WatchTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func make(_ path: String) {
    close(open("\(directory.url.path)/\(path)", O_CREAT | O_WRONLY, 0o600))
  }

  @Test(.timeLimit(.minutes(10))) func whenEventsAreLostEverybodyIsToldToLook() throws {
    for name in ["busy", "quiet"] { mkdir("\(directory.url.path)/\(name)", 0o700) }
    let limit = try #require(
      Int(
        try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
          .trimmingCharacters(in: .newlines)))
    let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let told = DispatchSemaphore(value: 0)
    let isFirst = Mutex(true)
    let busy = DirectoryWatcher.shared.watch([[directory.url.path, "busy"]]) {
      guard isFirst.take() else { return }
      isBlocked.signal()
      mayGoOn.wait()
    }
    let quiet = DirectoryWatcher.shared.watch([[directory.url.path, "quiet"]]) { told.signal() }
    make("busy/first")
    isBlocked.wait()
    // Nobody reads the events now: the kernel keeps some, and drops what comes after them.
    for number in 0...limit { make("busy/\(number)") }
    make("quiet/unseen")
    mayGoOn.signal()
    told.wait()
    busy.cancel()
    quiet.cancel()
  }
}
