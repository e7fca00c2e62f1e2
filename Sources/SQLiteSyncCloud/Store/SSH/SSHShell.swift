import Foundation
import Synchronization

/// A shell on the server, for what SFTP has no requests for: access control lists, and the numbers
/// of users.
///
/// It runs one script, which never changes. What is asked of it are lines that the script reads as
/// texts: no part of a name is ever read as a command.
final class SSHShell: Sendable {
  /// What can be asked.
  enum Request {
    /// The number of the user who logs in.
    case ownUser
    /// The number of a user of a login name.
    case user(String)
    /// The access control list of a directory, as `getfacl` prints it.
    case access(path: String)
    /// The same of one that may not be entered.
    case accessSeen(path: String)
    /// Whether directories of a directory can have access control lists.
    case canHaveLists(path: String)
    /// Gives a directory an access control list, and the sticky bit or not.
    case allow(path: String, AccessControlList)

    /// What the script reads, one line each.
    fileprivate var lines: [String] {
      switch self {
      case .ownUser: ["me", "", ""]
      case .user(let name): ["user", "", name]
      case .access(let path): ["access", path, ""]
      case .accessSeen(let path): ["seen", "", path]
      case .canHaveLists(let path): ["lists", path, ""]
      case .allow(let path, let list):
        [list.mode & 0o1000 != 0 ? "open" : "close", path, list.entries]
      }
    }
  }

  /// What came of a request.
  struct Answer {
    /// The exit status of the last command.
    let status: Int32
    /// What the commands wrote, complaints among it.
    let lines: [String]
  }

  /// `status` of a command that the server does not have: see sh(1).
  static let notFound: Int32 = 127

  /// Each request is three lines; each answer ends with a line that has the status.
  ///
  /// As `DirectoryStore` does it: before others may write the sticky bit is set, and it goes after
  /// they may not.
  static let script = """
    LC_ALL=C; export LC_ALL
    while IFS= read -r verb && IFS= read -r path && IFS= read -r word; do
      ( [ -z "$path" ] || cd -P -- "$path" || exit
        case $verb in
          hello) ;;
          me) id -u ;;
          user) id -u -- "$word" ;;
          access) getfacl -cnE . ;;
          seen) getfacl -cnE -- "$word" ;;
          lists) directory=$(mktemp -d ./.lists-XXXXXX) || exit
            setfacl -m u:0:--- "$directory"; status=$?
            rmdir "$directory"; exit $status ;;
          open) chmod +t . && setfacl --set "$word" . ;;
          close) setfacl --set "$word" . && chmod -t . ;;
        esac ) 2>&1
      echo "= $?"
    done
    """

  private let child: ChildProcess
  private let socket: Int32
  private let patience: Int32
  private let received = Mutex<[UInt8]>([])

  /// Starts the command, which runs `script` on the server.
  ///
  /// - Parameter patience: How many milliseconds the server may be silent while it owes an answer.
  /// - Throws: `noShell` when the server lets nobody run anything, `lost` without a connection.
  init(command: [String], patience: Int32) throws(SFTPError) {
    guard let (here, there) = SocketPair.make() else {
      throw .lost(String(cString: strerror(errno)))
    }
    (socket, self.patience) = (here, patience)
    do {
      defer { close(there) }
      child = try ChildProcess(command, input: there, output: there, complaints: there)
    } catch {
      close(here)
      throw .lost("\(command[0]) cannot be started: \(error.localizedDescription)")
    }
    // A server that lets only files through runs something else, which ends at once by this: it is
    // no packet of SFTP.
    _ = try exchange(["hello", "", ""])
  }

  deinit { close(socket) }

  /// Sends a request, and waits for its answer.
  func ask(_ request: Request) throws(SFTPError) -> Answer {
    let lines = request.lines
    // No component of a path and no login name has one: somebody tries to say more than one thing.
    guard !lines.contains(where: { $0.utf8.contains { $0 < 0x20 } }) else {
      throw .status(.noSuchFile)
    }
    return try exchange(lines)
  }

  private func exchange(_ lines: [String]) throws(SFTPError) -> Answer {
    try received.withLock { received throws(SFTPError) in
      received = []
      let question = Array((lines.joined(separator: "\n") + "\n").utf8)
      // A shell that has ended by now may have said why: that is read all the same.
      _ = send(socket, question, question.count, Int32(MSG_NOSIGNAL))
      while true {
        let text = String(decoding: received, as: UTF8.self)
        var found = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // What follows the last end of a line is the beginning of one.
        found.removeLast()
        if let status = found.last.flatMap(Self.status) {
          return Answer(status: status, lines: found.dropLast())
        }
        try receive(into: &received, since: found.last { !$0.isEmpty } ?? "")
      }
    }
  }

  private static func status(in line: String) -> Int32? {
    line.hasPrefix("= ") ? Int32(line.dropFirst(2)) : nil
  }

  /// - Parameter complaint: The last line that was not an answer.
  private func receive(into received: inout [UInt8], since complaint: String) throws(SFTPError) {
    var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, patience) > 0 else {
      child.kill()
      throw .silent(Int(max(1, patience / 1_000)))
    }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { throw .noShell(complaint) }
    received += buffer.prefix(count)
  }
}

extension AccessControlList {
  /// The list as `setfacl --set` takes it.
  var entries: String {
    let users = users.sorted { $0.key < $1.key }
      .map { "u:\($0.key):\(Self.letters($0.value.rawValue))" }
    let others = Self.letters(others.rawValue)
    // With a mask a list stays, also where it names nobody: see `DirectoryStore.set`.
    return (["u::rwx"] + users + ["g::\(others)", "m::\(Self.letters(mask))", "o::\(others)"])
      .joined(separator: ",")
  }

  /// Reads what `getfacl` prints; nil when it says what has no name here.
  ///
  /// - Parameters:
  ///   - lines: The lines.
  ///   - masked: Whether to read what users may do, or what they could without the mask.
  init?(printed lines: [String], masked: Bool = true) {
    var named: [UInt32: UInt16] = [:]
    var (group, mask, others): (UInt16, UInt16, UInt16) = (0, 7, 0)
    for line in lines {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 3, let bits = Self.bits(parts[2]) else { continue }
      switch parts[0] {
      case "user" where !parts[1].isEmpty:
        guard let user = UInt32(parts[1]) else { return nil }
        named[user] = bits
      case "group" where !parts[1].isEmpty: return nil
      case "group": group = bits
      case "mask" where masked: mask = bits
      case "other": others = bits
      default: continue
      }
    }
    self.init(named: named, group: group, mask: mask, others: others)
  }

  private static func letters(_ bits: UInt16) -> String {
    zip("rwx", [4, 2, 1] as [UInt16]).map { bits & $1 != 0 ? String($0) : "-" }.joined()
  }

  private static func bits(_ letters: Substring) -> UInt16? {
    guard letters.count == 3 else { return nil }
    return zip(letters, [4, 2, 1] as [UInt16]).reduce(0) { $0 | ($1.0 == "-" ? 0 : $1.1) }
  }
}
