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

  /// Which bytes of a connection are counted.
  enum Direction: String, CaseIterable, Sendable {
    case toServer, fromServer
  }

  /// The server behind a proxy that closes the connection after a number of bytes.
  ///
  /// What the server was sent before that it still works on.
  static func cut(after count: Int, _ direction: Direction) -> [String] {
    ["perl", "-e", proxy, direction.rawValue, "\(count)"] + command
  }

  private static let proxy = #"""
    use IPC::Open2;
    my ($direction, $left, @server) = @ARGV;
    my $child = open2(my $from, my $to, @server);
    sub relay {
      my ($in, $out, $counts) = @_;
      my $count = sysread($in, my $bytes, 65536) or return 0;
      $bytes = substr($bytes, 0, $left) if $counts && $count > $left;
      $left -= length $bytes if $counts;
      syswrite($out, $bytes);
      return $left > 0;
    }
    while (1) {
      my $ready = "";
      vec($ready, fileno($_), 1) = 1 for \*STDIN, $from;
      select($ready, undef, undef, undef);
      last if vec($ready, 0, 1) && !relay(\*STDIN, $to, $direction eq "toServer");
      last if vec($ready, fileno($from), 1) && !relay($from, \*STDOUT, $direction ne "toServer");
    }
    close $to;
    waitpid $child, 0;
    """#
}
