import Synchronization

/// The session that a store has with a server: begun when it is needed, kept, and begun anew when
/// it was lost.
///
/// While the server cannot be reached, calls fail at once with the last error until `BackOff` lets
/// the next attempt be made.
final class SFTPConnection: Sendable {
  private struct State {
    var session: SFTPProcess?
    /// Directories that were seen, in this session, to be directories and no links.
    var directories: Set<[String]> = []
    /// The users whose names were asked for.
    var asked: Set<UInt32> = []
    var backOff = BackOff()
    /// Why there is no session, and until when none is tried.
    var refusal: (error: SFTPError, end: ContinuousClock.Instant)?
  }

  private let route: SSHRoute
  private let root: String
  private let patience: Int32
  private let state = Mutex(State())

  /// - Parameters:
  ///   - route: How the server is reached.
  ///   - root: The directory of the cloud.
  ///   - patience: How long the server may be silent, in milliseconds.
  init(_ route: SSHRoute, root: String, patience: Int32) {
    (self.route, self.root, self.patience) = (route, root, patience)
  }

  /// One call at a time.
  ///
  /// - Parameters:
  ///   - needsRoot: Whether the directory of the cloud must be there.
  ///   - isRepeatable: Whether it is done once more when the session turns out to have gone away
  ///     meanwhile, as while the machine slept. After a silence it is not: nobody waits for two.
  ///   - body: What is done with the session.
  func run<Result: Sendable>(
    needsRoot: Bool, isRepeatable: Bool, _ body: (SFTPOperations) throws(SFTPError) -> Result
  ) throws(SFTPError) -> Result {
    do throws(SFTPError) {
      return try once(needsRoot: needsRoot, body)
    } catch {
      guard case .lost = error, isRepeatable, state.withLock({ $0.refusal == nil }) else {
        throw error
      }
      return try once(needsRoot: needsRoot, body)
    }
  }

  /// The server has been heard from: the next call tries it whatever failed before.
  func mayBeTried() { state.withLock { $0.refusal = nil } }

  private func once<Result: Sendable>(
    needsRoot: Bool, _ body: (SFTPOperations) throws(SFTPError) -> Result
  ) throws(SFTPError) -> Result {
    try state.withLock { state throws(SFTPError) in
      let session = try connect(&state)
      let channel = SFTPOperations(session: session, root: root, known: state.directories)
      do throws(SFTPError) {
        if needsRoot { try channel.requireRoot() }
        let result = try body(channel)
        state.directories = channel.known
        learnNames(of: channel.owners.subtracting(state.asked), channel)
        state.asked.formUnion(channel.owners)
        return result
      } catch {
        switch error {
        case .lost:
          (state.session, state.directories) = (nil, [])
          throw error
        case .silent:
          (state.session, state.directories) = (nil, [])
          route.wasSilent()
          throw error
        case .status(.noSuchFile):
          // Something that was seen has gone: nothing seen is relied on.
          state.directories = []
          throw channel.explained(error)
        case .status: throw channel.explained(error)
        default: throw error
        }
      }
    }
  }

  /// People are shown by their names: whose files are read is asked for once.
  private func learnNames(of users: Set<UInt32>, _ channel: SFTPOperations) {
    // What was called for is done: that the connection has gone since, the next call finds out.
    let names = try? channel.names(of: users.sorted())
    for (user, name) in names ?? [:] { AccountID(userID: user).isCalled(name) }
  }

  private func connect(_ state: inout State) throws(SFTPError) -> SFTPProcess {
    if let session = state.session { return session }
    if let refusal = state.refusal, refusal.end > .now { throw refusal.error }
    do throws(SFTPError) {
      let session = try SFTPProcess(command: route.commands.session, patience: patience)
      for needed in [SFTPExtension.hardLink, .synchronize] where !session.offers(needed) {
        throw .unable(needed)
      }
      (state.session, state.refusal) = (session, nil)
      state.backOff.reset()
      return session
    } catch {
      if case .silent = error { route.wasSilent() } else { route.wasRefused() }
      state.refusal = (error, .now + .seconds(state.backOff.next()))
      throw error
    }
  }
}
