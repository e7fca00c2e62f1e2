import Synchronization

/// How a server is reached: by the user's own ssh, whose connection several of its processes may
/// share (`ControlMaster`).
///
/// One that is stuck, as after the machine slept, is asked for ever by whoever shares it. So after
/// a silence the next connection is one of its own; where that is not let in, as it can be with a
/// password that was typed once, the shared one is tried again.
final class SSHRoute: Sendable {
  /// What is run.
  struct Commands: Sendable {
    /// Speaks SFTP over its standard input and output.
    let session: [String]
    /// The command that runs another one there; nil where nothing can be run.
    let running: (@Sendable ([String]) -> [String])?
  }

  private let usual: Commands
  private let alone: Commands?
  private let isAlone = Mutex(false)

  /// - Parameters:
  ///   - usual: As the user has configured it.
  ///   - alone: The same over a connection of its own; nil where none is shared.
  init(_ usual: Commands, alone: Commands? = nil) {
    (self.usual, self.alone) = (usual, alone)
  }

  /// The commands for the next connection.
  var commands: Commands {
    isAlone.withLock { isAlone in isAlone ? alone ?? usual : usual }
  }

  /// The server was silent for too long.
  func wasSilent() { isAlone.withLock { $0.toggle() } }

  /// No connection was made.
  func wasRefused() { isAlone.withLock { $0 = false } }
}
