import Foundation
import Testing

@testable import SQLiteSyncCloud

/// What ssh runs in.
@Suite struct ChildProcessTests {
  /// A child, and where it is heard.
  private struct HeardChild: ~Copyable {
    let process: ChildProcess
    let output: FileHandle

    init(_ script: String) throws {
      let sockets = try #require(SocketPair.make())
      let child = try ChildProcess(["sh", "-c", script], output: sockets.there)
      // Its end would not be the end of the connection.
      close(sockets.there)
      process = child
      output = FileHandle(fileDescriptor: sockets.here, closeOnDealloc: true)
    }
  }

  @Test func aChildEndsAsASignalAsksItToWhateverItsStarterBlocks() throws {
    var (termination, earlier) = (sigset_t(), sigset_t())
    sigemptyset(&termination)
    sigaddset(&termination, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &termination, &earlier)
    defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
    let child = try ChildProcess(["sh", "-c", "kill -TERM $$; exit 3"], output: -1)
    #expect(child.waitUntilExit() == 128 + SIGTERM)
  }

  @Test func itsExitStatusIsTold() throws {
    #expect(try ChildProcess(["sh", "-c", "exit 3"], output: -1).waitUntilExit() == 3)
  }

  @Test func aChildInheritsNothingButItsStandardStreams() throws {
    // As a library without O_CLOEXEC opens a file.
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let child = try HeardChild("[ -e /proc/$$/fd/\(file) ] || echo closed")
    #expect(try child.output.readToEnd() == Data("closed\n".utf8))
  }

  @Test(.timeLimit(.minutes(5))) func whatNobodyHasAnyMoreIsEndedWithAllThatItStarted() throws {
    let child = try HeardChild("sleep 1000 & echo started; wait")
    let output = child.output
    #expect(try output.read(upToCount: 8) == Data("started\n".utf8))
    _ = consume child
    // The end comes when nobody can write there any more.
    #expect(try output.readToEnd() ?? Data() == Data())
  }

  @Test func whatCannotBeStartedIsAnError() {
    #expect(throws: POSIXError(.ENOENT)) { _ = try ChildProcess(["no such program"], output: -1) }
  }
}
