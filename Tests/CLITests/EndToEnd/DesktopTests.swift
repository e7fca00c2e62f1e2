import Foundation
import Testing

extension EndToEnd {
  /// Notifications over a real session bus: libnotify's `notify-send`, and a notification daemon
  /// that keeps what it is told and chooses an action.
  @Suite struct DesktopTests {
    private static let interpreter = "/usr/bin/python3"

    /// Whether all that it takes is installed: dbus, libnotify-bin, python3-dbus and python3-gi.
    private static let isPossible: Bool = {
      let programs = ["/usr/bin/dbus-run-session", "/usr/bin/notify-send", interpreter]
      guard programs.allSatisfy(FileManager.default.isExecutableFile) else { return false }
      let process = Process()
      process.executableURL = URL(filePath: interpreter)
      process.arguments = ["-c", "import dbus.service, dbus.mainloop.glib, gi.repository.GLib"]
      process.standardError = FileHandle.nullDevice
      // What cannot be started is not installed.
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    private static let daemon = """
      import json, sys
      import dbus, dbus.mainloop.glib, dbus.service
      from gi.repository import GLib
      dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
      NAME = "org.freedesktop.Notifications"
      class Daemon(dbus.service.Object):
          count = 0
          @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
          def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
              self.count += 1
              number = self.count
              with open(sys.argv[1], "a") as file:
                  call = {"app": app, "summary": summary, "body": body, "actions": list(actions)}
                  file.write(json.dumps(call) + "\\n")
              if actions:
                  GLib.idle_add(lambda: self.answer(number))
              return dbus.UInt32(number)
          def answer(self, number):
              self.ActionInvoked(dbus.UInt32(number), sys.argv[2])
              self.NotificationClosed(dbus.UInt32(number), dbus.UInt32(2))
              return False
          @dbus.service.method(NAME, out_signature="as")
          def GetCapabilities(self):
              return ["actions", "body", "body-markup"]
          @dbus.service.method(NAME, out_signature="ssss")
          def GetServerInformation(self):
              return ("test", "test", "1", "1.2")
          @dbus.service.signal(NAME, signature="us")
          def ActionInvoked(self, number, action): pass
          @dbus.service.signal(NAME, signature="uu")
          def NotificationClosed(self, number, reason): pass
      bus = dbus.SessionBus()
      name = dbus.service.BusName(NAME, bus)
      daemon = Daemon(bus, "/org/freedesktop/Notifications")
      open(sys.argv[1], "a").close()
      print("ready", flush=True)
      GLib.MainLoop().run()
      """

    @Test(
      .enabled(if: isPossible, "needs dbus, libnotify-bin, python3-dbus and python3-gi"),
      arguments: [("done", "Completed"), ("snooze", "Snoozed")])
    func `a notification is seen on the bus, and its action is carried out`(
      action: String, word: String
    ) throws {
      let program = try Program()
      try program.run("add", "--literal", "--due", "1 minute ago", "--", "-<b>Tea</b> 100% & more")
      let files = program.directory
      let script = files.appending(path: "daemon.py")
      try Data(Self.daemon.utf8).write(to: script)
      let seen = files.appending(path: "seen")
      // The daemon has its name before anybody is told of anything.
      let session = """
        mkfifo '\(files.path)/ready'
        \(Self.interpreter) '\(script.path)' '\(seen.path)' \(action) > '\(files.path)/ready' &
        daemon=$!
        read ready < '\(files.path)/ready'
        '\(program.executable.path)' notify &
        echo $! > '\(files.path)/pid'
        wait $!
        kill $daemon
        """
      let bus = Process()
      bus.executableURL = URL(filePath: "/usr/bin/dbus-run-session")
      bus.arguments = ["--", "/bin/sh", "-c", session]
      bus.environment = program.environment
      bus.standardInput = FileHandle.nullDevice
      // Whoever waits for the end of what the tests print does not wait for a bus.
      bus.standardOutput = FileHandle.nullDevice
      bus.standardError = FileHandle.nullDevice
      try bus.run()
      defer {
        // The daemon and the bus end when the program has ended.
        let number = (try? String(contentsOf: files.appending(path: "pid"), encoding: .utf8)) ?? ""
        if let pid = pid_t(number.trimmingCharacters(in: .whitespacesAndNewlines)) {
          kill(pid, SIGTERM)
        }
        bus.waitUntilExit()
      }
      let step = program.dataDirectory.appending(path: "undo/2.json").path
      while bus.isRunning, !FileManager.default.fileExists(atPath: step) { try program.run("list") }
      #expect(try program.run("undo").errors == "Undone: \(word) “-<b>Tea</b> 100% & more”\n")
      let calls = try String(contentsOf: seen, encoding: .utf8).split(separator: "\n")
      #expect(calls.count == 1)
      let call = try #require(try Program.json(String(calls[0])) as? [String: Any])
      #expect(call["app"] as? String == "reminders")
      #expect(call["summary"] as? String == "-<b>Tea</b> 100% & more")
      #expect((call["body"] as? String)?.hasPrefix("due today ") == true)
      #expect(call["actions"] as? [String] == ["done", "Done", "snooze", "Snooze 10m"])
    }
  }
}
