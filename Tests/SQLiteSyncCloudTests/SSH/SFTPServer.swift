import Foundation
import RemindersTestSupport

@testable import SQLiteSyncCloud

/// OpenSSH's own server, on a pipe instead of behind sshd.
enum SFTPServer {
  static let command = ["/usr/lib/openssh/sftp-server"]
  static let isThere = FileManager.default.isExecutableFile(atPath: command[0])

  static func store(of directory: TemporaryDirectory) -> SFTPStore {
    store(of: directory, command: command)
  }

  static func store(
    of directory: TemporaryDirectory, command: [String], patience: Int32 = 30_000
  ) -> SFTPStore {
    SFTPStore(
      command: command, root: directory.url.path(percentEncoded: false), place: "ssh://test/cloud",
      patience: patience)
  }

  /// A command of the shell, in which `$server` is the server.
  static func shell(_ script: String) -> [String] {
    ["sh", "-c", "server='\(command[0])'; \(script)"]
  }

  /// The server behind a proxy that lets no question about an object through before so many have
  /// come: whoever waits for each answer waits for ever.
  static func together(_ count: Int) -> [String] {
    ["perl", "-e", gathering, "\(count)"] + command
  }

  private static let gathering = #"""
    use IPC::Open2;
    my ($wanted, @server) = @ARGV;
    open2(">&STDOUT", my $to, @server);
    my (%number, $held);
    while (read(STDIN, my $head, 4) == 4) {
      read(STDIN, my $body, unpack("N", $head));
      my $type = ord $body;
      # LSTAT and OPEN of an object's name, and READ.
      if ($type == 5 || ($type == 7 || $type == 3) && $body =~ /[.]json/) {
        $held .= $head . $body;
        next if ++$number{$type} < $wanted;
        $number{$type} = 0;
        syswrite($to, $held);
        $held = "";
      } else {
        syswrite($to, $head . $body);
      }
    }
    """#

  /// Whether this process may mount something that nobody else sees.
  static let mayMount = {
    let child = try? ChildProcess(["unshare", "-m", "true"], output: -1)
    return child?.waitUntilExit() == 0
  }()

  /// The server where only it sees what is mounted: the shell's commands do that, with the
  /// directory as `$1`.
  static func mounting(_ commands: String, at directory: TemporaryDirectory) -> [String] {
    [
      "unshare", "-m", "sh", "-c", "\(commands) && exec \(command[0])", "sh",
      directory.url.path(percentEncoded: false),
    ]
  }

  /// Which bytes of a connection are counted.
  enum Direction: String, CaseIterable, Sendable {
    case toServer, fromServer
  }

  /// The server behind a proxy that closes the connection after a number of bytes.
  ///
  /// What the server was sent before that it still works on.
  static func cut(after count: Int, _ direction: Direction) -> [String] {
    ["perl", "-e", proxy, direction.rawValue, "\(count)", "65536"] + command
  }

  /// The server behind a proxy that lets only so many bytes through at once.
  static func inPieces(of count: Int) -> [String] {
    ["perl", "-e", proxy, "neither", "1", "\(count)"] + command
  }

  private static let proxy = #"""
    use IPC::Open2;
    my ($direction, $left, $piece, @server) = @ARGV;
    my $child = open2(my $from, my $to, @server);
    sub relay {
      my ($in, $out, $counts) = @_;
      my $count = sysread($in, my $bytes, 65536) or return 0;
      $bytes = substr($bytes, 0, $left) if $counts && $count > $left;
      $left -= length $bytes if $counts;
      for (my $sent = 0; $sent < length $bytes; $sent += $piece) {
        syswrite($out, $bytes, $piece, $sent);
      }
      return $left > 0;
    }
    while (1) {
      my $ready = "";
      vec($ready, fileno($_), 1) = 1 for \*STDIN, $from;
      select($ready, undef, undef, undef);
      last if vec($ready, 0, 1) && !relay(\*STDIN, $to, $direction eq "toServer");
      last if vec($ready, fileno($from), 1) && !relay($from, \*STDOUT, $direction eq "fromServer");
    }
    close $to;
    waitpid $child, 0;
    """#
}
