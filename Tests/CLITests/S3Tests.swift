import Foundation
import RemindersTestSupport
import Testing

/// A cloud in a bucket of a real server, as somebody uses it who has nothing but a key.
@Suite(.enabled(if: SeaweedServer.isThere, Comment(rawValue: SeaweedServer.absence)))
struct S3Tests {
  private let desk: Program
  private let laptop: Program
  private let far: [String: String]

  init() throws {
    desk = try Program(account: nil)
    laptop = Program(beside: desk, device: "laptop")
    far = try SeaweedServer.variables.merging([
      "REMINDERS_CLOUD": SeaweedServer.shared.get().address()
    ]) { $1 }
  }

  @Test func `two devices have the same cloud, which is tried out once and checked`() throws {
    #expect(try desk.run("add", "Haircut", environment: far).status == 0)
    let sent = try desk.run("sync", environment: far)
    #expect(sent.output == "Sent 2, fetched 0.\n", "\(sent.errors)")
    let fetched = try laptop.run("sync", environment: far)
    #expect(fetched.output == "Sent 0, fetched 2.\n" && fetched.errors.isEmpty)
    #expect(try laptop.run("list", environment: far).output.contains("Haircut"))
    let check = try laptop.run("check", "--cloud", "--repair", environment: far)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    let shared = try desk.run("share", "Personal", "--with", "ben", environment: far)
    #expect(shared.status == 77 && shared.errors.contains("whoever has a key"), "\(shared.errors)")
  }

  @Test func `a wrong key is named and never shown, and edits are kept`() throws {
    #expect(try desk.run("add", "Haircut", environment: far).status == 0)
    let wrong = far.merging(["AWS_SECRET_ACCESS_KEY": "sesame"]) { $1 }
    for command in [["sync"], ["status"], ["log"], ["check", "--cloud"]] {
      let run = try desk.run(command, environment: wrong)
      #expect(!(run.output + run.errors).contains("sesame"), "\(command)")
      guard command == ["sync"] else { continue }
      #expect(run.status == 77 && run.errors.contains("does not accept the key"), "\(run.errors)")
      #expect(run.errors.contains("AWS_SECRET_ACCESS_KEY"))
    }
    #expect(try desk.run("sync", environment: far).output == "Sent 2, fetched 0.\n")
  }

  @Test func `a cloud is copied into a bucket, and a device goes on with what it has`() throws {
    let old = desk.directory.appending(path: "old").path
    #expect(try desk.run("add", "Haircut", environment: ["REMINDERS_CLOUD": old]).status == 0)
    #expect(try desk.run("sync", environment: ["REMINDERS_CLOUD": old]).status == 0)
    let place = try #require(far["REMINDERS_CLOUD"])
    let copied = try desk.run("cloud", "copy", old, place, environment: far)
    #expect(copied.status == 0, "\(copied.errors)")
    #expect(copied.output.contains("REMINDERS_CLOUD='\(place)'."))
    #expect(try desk.run("sync", environment: far).output == "Sent 0, fetched 0.\n")
  }
}
