import Foundation
import Synchronization

/// Why a session of SFTP did not do as asked.
enum SFTPError: Error {
  /// There is no connection, or it went away.
  case lost(String)
  /// The server was silent for so many seconds.
  case silent(Int)
  /// The server answered with this status, or with something that is not an answer to the question.
  case status(SFTPStatus)
  /// The server lacks what a cloud needs.
  case unable(SFTPExtension)
  /// The cloud's directory is not there.
  case noRoot
  /// Something else is where the cloud's directory is to be, or one above it.
  case rootIsNoDirectory(String)
  /// A link or a file is in the place of a directory of the cloud.
  case notADirectory(String)
  /// The directory of an account is another user's.
  case impostor(PosixError.Impostor)
  /// A file may not be read, though its directory may.
  case unreadable(String)
  /// The directory of a zone may not be read, and its access list does not say so.
  case lostList(String)
  /// The disk is full.
  case full
  /// The disk is mounted for reading only.
  case readOnly
  /// The server lets nobody run anything; with what it says about that.
  case noShell(String)
}

/// A child process that speaks SFTP over its standard input and output.
final class SFTPProcess: Sendable {
  private let child: ChildProcess
  private let connection: Mutex<SFTPSockets>
  /// What the server can do beyond the protocol's version 3.
  private let extensions: Set<String>

  /// Starts the command and greets the server.
  ///
  /// - Parameter patience: How many milliseconds the server may be silent while it owes an answer.
  init(command: [String], patience: Int32) throws(SFTPError) {
    let (speech, complaints) = (try Self.sockets(), try Self.sockets())
    var connection = SFTPSockets(
      socket: speech.here, complaints: complaints.here, patience: patience)
    child = try Self.start(command, speech: speech.there, complaints: complaints.there)
    extensions = try connection.greet()
    self.connection = Mutex(connection)
  }

  private static func sockets() throws(SFTPError) -> (here: Int32, there: Int32) {
    guard let sockets = SocketPair.make() else { throw .lost(String(cString: strerror(errno))) }
    return sockets
  }

  private static func start(
    _ command: [String], speech: Int32, complaints: Int32
  ) throws(SFTPError) -> ChildProcess {
    // The child has them, and its end would not be the end of the connection.
    defer { [speech, complaints].forEach { close($0) } }
    do {
      return try ChildProcess(command, input: speech, output: speech, complaints: complaints)
    } catch {
      throw .lost("\(command[0]) cannot be started: \(error.localizedDescription)")
    }
  }

  /// Whether the server offers an extension.
  func offers(_ wanted: SFTPExtension) -> Bool { extensions.contains(wanted.rawValue) }

  /// Sends requests all at once, and returns the answers in their order.
  ///
  /// The server works on them one after the other.
  func exchange(_ requests: [SFTPRequest]) throws(SFTPError) -> [SFTPReply] {
    try connection.withLock { connection throws(SFTPError) in try connection.exchange(requests) }
  }

  /// Closes a handle along with the next requests.
  func closeLater(_ handle: [UInt8]) {
    connection.withLock { $0.closeLater(handle) }
  }

  /// Sends one request, and returns its answer.
  func ask(_ request: SFTPRequest) throws(SFTPError) -> SFTPReply {
    try exchange([request])[0]
  }
}
