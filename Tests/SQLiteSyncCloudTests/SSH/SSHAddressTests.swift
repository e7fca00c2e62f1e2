import Testing

@testable import SQLiteSyncCloud

/// Which texts name a directory on another machine, and the command that they lead to.
@Suite struct SSHAddressTests {
  @Test(
    arguments: [
      ("ssh://host/srv/cloud", nil, "host", nil, "/srv/cloud"),
      ("ssh://ann@host:2222/srv/my%20cloud", "ann", "host", 2222, "/srv/my cloud"),
      ("ssh://host/~/cloud", nil, "host", nil, "cloud"),
      ("SSH://192.168.1.2/c", nil, "192.168.1.2", nil, "/c"),
      ("ssh://ann@[::1]:2722/srv/c", "ann", "::1", 2722, "/srv/c"),
      ("ssh://[fe80::1%25eth0]/c", nil, "fe80::1%eth0", nil, "/c"),
    ] as [(String, String?, String, Int?, String)])
  func anAddressIsTakenApart(
    text: String, user: String?, host: String, port: Int?, path: String
  ) throws {
    let address = try #require(SSHAddress(text))
    #expect((address.user, address.host) == (user, host))
    #expect((address.port, address.path) == (port, path))
  }

  @Test(arguments: [
    "ssh://ann@host:2222/srv/cloud", "ssh://host/~/cloud", "ssh://host/srv/cloud",
    "ssh://ann@[::1]:2722/srv/c", "ssh://host/~/new%20copy%23%25", "ssh://host/%C3%BC",
  ])
  func anAddressIsShownAsItIsTyped(text: String) {
    #expect(SSHAddress(text)?.description == text)
  }

  /// Such as names that ssh would take for options, and passwords, which end in logs.
  @Test(arguments: [
    "ssh://host", "ssh:///srv", "ssh://-oProxyCommand=x/srv", "ssh://-l@host/srv",
    "ssh://ann:secret@host/srv", "ssh://host:0/srv", "ssh://host:65536/srv", "ssh://host/a%00b",
    "ssh://host/srv?x=1", "ssh://ho%20st/srv", "ssh://host/~/", "ssh://host/~",
    "ssh://host/a%0Ab", "sftp://host/srv", "/srv/cloud", "",
  ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(SSHAddress(text) == nil)
  }

  @Test func nobodyIsAskedAndNothingOfTheAddressIsAnOption() throws {
    let command = try #require(SSHAddress("ssh://ann@host:2222/srv")).command
    #expect(command.first == "ssh" && command.contains("BatchMode=yes"))
    #expect(command.suffix(8) == ["-p", "2222", "-l", "ann", "-s", "--", "host", "sftp"])
  }

  @Test func sshGetsAnAddressOfIPv6WithoutBrackets() throws {
    let command = try #require(SSHAddress("ssh://ann@[::1]:2722/srv")).command
    #expect(command.suffix(3) == ["--", "::1", "sftp"])
  }

  @Test func whatRunsThereIsQuotedForItsShell() throws {
    let address = try #require(SSHAddress("ssh://host/srv"))
    let words = ["sh", "-c", "echo \"$1\"", "sh", "it's $HOME; *"]
    let command = address.command(running: words)
    #expect(command.suffix(3).dropLast() == ["--", "host"])
    #expect(command.last == #"'sh' '-c' 'echo "$1"' 'sh' 'it'\''s $HOME; *'"#)
  }
}
