import Foundation
import Testing

/// What `make install` puts where, of the program that is tested.
@Suite struct InstallTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `make install puts the program, its manual page and three completions in place`()
    throws
  {
    let program = try Program()
    let stage = try program.makeDirectory("stage").path
    let manual = program.directory.appending(path: "manual")
    try Data(".TH reminders 1\n".utf8).write(to: manual)
    let built = program.executable.standardizedFileURL.deletingLastPathComponent().path
    let make = Process()
    make.executableURL = URL(filePath: "/usr/bin/make")
    make.arguments = [
      "--silent", "-C", Self.root.path, "install-files", "DESTDIR=\(stage)", "PREFIX=/usr",
      "BUILT=\(built)", "MANUAL=\(manual.path)",
    ]
    make.environment = program.environment
    make.standardError = FileHandle.nullDevice
    try make.run()
    make.waitUntilExit()
    #expect(make.terminationStatus == 0)
    let share = "\(stage)/usr/share"
    for (file, start) in [
      ("man/man1/reminders.1", ".TH reminders"),
      ("bash-completion/completions/reminders", "#!/bin/bash"),
      ("zsh/site-functions/_reminders", "#compdef reminders"),
      ("fish/vendor_completions.d/reminders.fish", "function "),
    ] {
      let text = try String(contentsOfFile: "\(share)/\(file)", encoding: .utf8)
      #expect(text.hasPrefix(start), "\(file): \(text.prefix(40))")
    }
    let installed = Process()
    installed.executableURL = URL(filePath: "\(stage)/usr/bin/reminders")
    installed.arguments = ["lists"]
    installed.environment = program.environment
    installed.standardOutput = FileHandle.nullDevice
    installed.standardError = FileHandle.nullDevice
    try installed.run()
    installed.waitUntilExit()
    #expect(installed.terminationStatus == 0)
  }
}
