import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// The watch of a directory on another machine, whose shell is this one's.
@Suite struct SSHWatcherTests {
  private let directory: TemporaryDirectory
  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(.timeLimit(.minutes(5))) func whatIsCreatedIsHeardOf() throws {
    let told = DispatchSemaphore(value: 0)
    let store = SFTPStore(
      command: SFTPServer.command, running: { $0 },
      root: directory.url.path(percentEncoded: false), place: "ssh://test/cloud")
    let watch = store.watch([layout.log(epoch: 1), layout.meta]) { told.signal() }
    // What is there is told of first: something may have happened before.
    told.wait()
    let local = DirectoryStore(directory: directory.url)
    for number in 1...2 as ClosedRange<Int64> {
      #expect(local.createIfAbsent(layout.commit(number, epoch: 1), Data([1])).isCreated)
      told.wait()
    }
    watch.cancel()
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["echo changed", "exit 255"])
  func aConnectionThatBreaksOrFailsIsMadeAnew(script: String) throws {
    let told = DispatchSemaphore(value: 0)
    let log = directory.url.appending(path: "log").path
    let counting = "echo >> '\(log)'; [ $(wc -l < '\(log)') -lt 3 ] || echo changed; \(script)"
    let watcher = SSHWatcher(
      command: ["sh", "-c", counting], backOff: BackOff { _ in 0 }, look: { nil },
      onChange: { told.signal() })
    let watch = watcher.watch()
    told.wait()
    told.wait()
    watch.cancel()
  }

  /// One that only lets files through is looked at.
  @Test(.timeLimit(.minutes(5))) func whereNothingCanBeRunItLooks() throws {
    let told = DispatchSemaphore(value: 0)
    let store = SFTPServer.store(of: directory)
    let local = DirectoryStore(directory: directory.url)
    let watch = store.watch([layout.log(epoch: 1)]) { told.signal() }
    told.wait()
    #expect(local.createIfAbsent(layout.commit(1, epoch: 1), Data([1])).isCreated)
    told.wait()
    watch.cancel()
  }

  /// As OpenSSH's `ForceCommand internal-sftp` and nologin(8) do it.
  @Test(.timeLimit(.minutes(5)), arguments: ["exit 1", "exec sleep 1000"])
  func aRefusalInWordsIsNoSpeechOfTheScript(end: String) throws {
    let told = DispatchSemaphore(value: 0)
    let log = directory.url.appending(path: "log").path
    let refusing = "echo >> '\(log)'; echo 'This service allows sftp connections only.'; \(end)"
    let watcher = SSHWatcher(
      command: ["sh", "-c", refusing], patience: 1, backOff: BackOff { _ in 0 }, look: { nil },
      onChange: { told.signal() })
    let watch = watcher.watch()
    // Nobody else tells: it looks from now on.
    told.wait()
    watch.cancel()
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "\n", "it was asked again")
  }

  @Test func theScriptIsHeardAmongGreetingsAndInPieces() {
    var speech = SSHWatcher.Speech()
    var heard: [[Bool]] = []
    for text in ["Nothing has changed here.\nunchanged\nchan", "ged\n", "still\r\n"] {
      heard.append([speech.tellsOfChange(in: text), speech.hasBegun])
    }
    #expect(heard == [[false, false], [true, true], [false, true]])
  }

  @Test func itLooksEveryFifteenSecondsAndMoreOftenWhileSomethingHappens() {
    #expect((0...5).map(SSHWatcher.wait) == [1, 2, 4, 8, 15, 15])
  }

  @Test func onlyAServerThatRefusesIsNotAskedAgain() {
    #expect(SSHWatcher.Outcome(hasSpoken: true, status: 1) == .wasThere)
    #expect(SSHWatcher.Outcome(hasSpoken: false, status: 255) == .neverCame)
    #expect(SSHWatcher.Outcome(hasSpoken: false, status: 127) == .isRefused)
    #expect(SSHWatcher.Outcome(hasSpoken: false, status: nil) == .isRefused)
  }
}
