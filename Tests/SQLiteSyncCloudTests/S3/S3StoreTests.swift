import Foundation
import RemindersTestSupport
import SQLiteSyncCloudConformance
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// A store in a bucket, and servers and networks that do not do as they should.
///
/// What every store must do is in `ObjectStoreTests`.
@Suite(.enabled(if: MotoServer.port != nil, "\(MotoServer.skipped)"))
struct S3StoreTests {
  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
  private var key: StoreKey { layout.commit(1, epoch: 1) }
  private let prefix = UUID().uuidString.lowercased()

  @Test func aCloudIsUsedByTwoDevices() throws {
    let desk = try CloudFixture(over: MotoServer.store(prefix, probes: true))
    let phone = try CloudFixture(over: MotoServer.store(prefix), seed: 2)
    try desk.log.create()
    for number in 1...10 { try desk.device.save("\(number)", "value") }
    try phone.device.fetch()
    #expect(phone.device.copies == desk.device.copies)
    #expect(try CloudCheck(phone.container).run().findings.isEmpty)
  }

  @Test func aListingOfManyPagesIsWhole() throws {
    let store = try MotoServer.store(prefix)
    let names = (1...7).map { layout.commit($0, epoch: 1) }
    for name in names { #expect(store.createIfAbsent(name, Data([1])).isCreated) }
    // Pages of one, two and four.
    let wanted = try store.list(key.prefix, after: nil, limit: 1) { $0 == names[6].name }
    #expect(wanted.map(\.name) == [names[6].name])
    #expect(try store.list(CloudLayout.root, after: nil, limit: 9).map(\.name) == ["accounts"])
  }

  @Test func nothingIsSharedInABucket() throws {
    let cloud = try CloudFixture(over: MotoServer.store(prefix))
    let error = try #require(throws: CloudError.self) {
      try cloud.container.requireAccess(for: [ownAccount("ben")])
    }
    #expect(error.code == .permissionFailure && error.reason.contains("whoever has a key"))
    #expect(throws: CloudError.self) { try cloud.container.requireAccess(for: [], isPublic: true) }
    try cloud.container.requireAccess(for: [CloudFixture.ann])
  }

  @Test func aFirstLookThatTakesLongIsToldOnce() throws {
    let told = Mutex<[Bool]>([])
    let address = try MotoServer.store(prefix, probes: true).place
    for number in 1...2 as ClosedRange<Int64> {
      let store = S3Store(
        try #require(S3Address(address)),
        onProbe: { isRunning in told.withLock { $0.append(isRunning) } },
        settings: MotoServer.settings)
      #expect(store.createIfAbsent(layout.commit(number, epoch: 1), Data([1])).isCreated)
      #expect(told.withLock(\.self) == [true, false])
    }
  }

  // MARK: - Wrong places

  @Test func aBucketThatIsMissingIsNamed() throws {
    let store = try MotoServer.store(prefix, bucket: "missing", probes: true)
    for error in [
      try #require(throws: CloudError.self) { try store.read(key, limit: 1) },
      try #require(throws: CloudError.self) { try store.list(key.prefix, after: nil, limit: 1) },
    ] {
      #expect(error.code == .accountTemporarilyUnavailable)
      #expect(error.reason.contains("There is no bucket"), "\(error)")
    }
    guard case .failed = store.createIfAbsent(key, Data([1])) else {
      Issue.record("created in no bucket")
      return
    }
  }

  @Test func withoutAKeyNothingIsAsked() throws {
    let store = try MotoServer.store(prefix) { AWSSettings(environment: [:]) { _ in nil } }
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.code == .notAuthenticated)
    #expect(error.reason.contains("There is no key for s3://"))
    #expect(error.hint?.contains("AWS_ACCESS_KEY_ID") == true)
  }

  @Test func aPortWhereNobodyListensIsNoRoute() throws {
    let port = try LoopbackServer { _ in }.port
    let store = try MotoServer.store(prefix, port: port)
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.code == .networkUnavailable && error.reason.contains("cannot be reached"))
    guard case .failed = store.createIfAbsent(key, Data([1])) else {
      Issue.record("nothing can have been created")
      return
    }
  }

  @Test func aServerThatIsSilentIsGivenUp() throws {
    let server = try LoopbackServer { connection in
      while !connection.receive().isEmpty {}
    }
    let store = try MotoServer.store(prefix, port: server.port, patience: 300)
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.code == .networkUnavailable, "\(error)")
    #expect(error.reason.contains("has not answered within "), "\(error)")
    #expect(error.reason.contains("http://127.0.0.1:\(server.port)"), "\(error)")
  }

  @Test func aPageThatAsksToSignInIsNotTakenForAnObject() throws {
    let server = try answering { _ in HTTPMessage.answer("200 OK", "<html>Welcome</html>") }
    let store = try MotoServer.store(prefix, port: server.port)
    #expect(throws: CloudError.self) { try store.read(key, limit: 100) }
    #expect(throws: CloudError.self) { try store.list(key.prefix, after: nil, limit: 1) }
    #expect(!store.createIfAbsent(key, Data([1])).isCreated)
  }

  @Test(
    arguments: [
      ("403 Forbidden", "SignatureDoesNotMatch", "does not accept the key", .notAuthenticated),
      ("403 Forbidden", "InvalidAccessKeyId", "does not accept the key", .notAuthenticated),
      ("403 Forbidden", "AccessDenied", "refuses", .notAuthenticated),
      ("301 Moved Permanently", "PermanentRedirect", "in another region", .badContainer),
      ("400 Bad Request", "AuthorizationHeaderMalformed", "in another region", .badContainer),
      ("503 Slow Down", "SlowDown", "answered with error 503", .networkUnavailable),
      (
        "501 Not Implemented", "NotImplemented", "cannot do what a cloud needs",
        .accountTemporarilyUnavailable
      ),
    ] as [(String, String, String, CloudError.Code)])
  func whatAServerRefusesIsSaid(
    status: String, code: String, reason: String, kind: CloudError.Code
  ) throws {
    let server = try answering { _ in
      HTTPMessage.answer(
        status, "<Error><Code>\(code)</Code><Message>Sorry.</Message></Error>")
    }
    let store = try MotoServer.store(prefix, port: server.port)
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.reason.contains(reason) && error.hint != nil, "\(error)")
    #expect(!error.reason.contains("..") && error.reason.hasSuffix("."), "\(error)")
    // Others would end a share.
    #expect(error.code == kind, "\(error)")
    let isOfKey = error.hint?.contains("of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") == true
    #expect(isOfKey == (kind == .notAuthenticated), "\(error)")
    #expect(!"\(error)".contains("secret"))
  }

  /// Each time the next of some answers, in the end the last; none at all is silence.
  @Test(
    arguments: [
      (["200 OK"], "created"), (["412 Precondition Failed"], "exists"),
      (["409 Conflict", "409 Conflict", "200 OK"], "created"),
      (["409 Conflict", "412 Precondition Failed"], "exists"),
      (Array(repeating: "409 Conflict", count: 4), "unknown"), (["403 Forbidden"], "failed"),
      (["500 Internal Server Error"], "unknown"), (["503 Slow Down"], "unknown"), ([], "unknown"),
    ] as [([String], String)])
  func whatACreateIsAnsweredSaysWhatBecameOfIt(answers: [String], outcome: String) throws {
    let requests = Mutex(0)
    let server = try LoopbackServer { connection in
      var rest: [UInt8] = []
      while connection.message(&rest) != nil {
        let number = requests.withLock { requests in
          defer { requests += 1 }
          return requests
        }
        guard !answers.isEmpty else { continue }
        let answer = answers[min(number, answers.count - 1)]
        connection.send(HTTPMessage.answer(answer, headers: ["ETag: \"x\""]))
      }
    }
    let store = try MotoServer.store(
      prefix, port: server.port, patience: answers.isEmpty ? 300 : 30_000)
    let found = store.createIfAbsent(key, Data([1]))
    #expect("\(found)".prefix { $0.isLetter } == outcome, "\(found)")
    // What may have been carried out is not sent again: it would meet itself.
    #expect(requests.withLock(\.self) == max(1, answers.count))
  }

  /// An endpoint whose clock is ten years behind, and that takes only requests of its own time.
  @Test func theServersClockCounts() throws {
    let server = try answering { request in
      let date = "Date: Sun, 06 Nov 2016 08:49:37 GMT"
      guard request.headers["x-amz-date"]?.hasPrefix("20161106T08") == true else {
        return HTTPMessage.answer(
          "403 Forbidden", headers: [date],
          "<Error><Code>RequestTimeTooSkewed</Code></Error>")
      }
      return HTTPMessage.answer("200 OK", headers: [date, "ETag: \"x\""], "found")
    }
    let store = try MotoServer.store(prefix, port: server.port)
    #expect(try store.read(key, limit: 100) == Data("found".utf8))
    let time = try #require(try store.now(in: key.prefix))
    #expect(abs(time - 1_478_422_177_000) < 300_000)
  }

  /// Clocks that differ whatever is tried are named, and the request is not repeated for ever.
  @Test func aClockThatStaysWrongIsSaid() throws {
    let server = try answering { _ in
      HTTPMessage.answer("403 Forbidden", "<Error><Code>RequestTimeTooSkewed</Code></Error>")
    }
    let store = try MotoServer.store(prefix, port: server.port)
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.reason.contains("clock"))
  }

  // MARK: - Places that do not create once

  @Test(arguments: [false, true])
  func aPlaceThatIgnoresConditionsIsRefusedForWriting(replaces: Bool) throws {
    let server = try ConditionlessServer(replaces: replaces)
    let store = try MotoServer.store(prefix, port: server.port, probes: true)
    for _ in 1...2 {
      guard case .failed(let error) = store.createIfAbsent(key, Data([1])) else {
        Issue.record("it was written to")
        return
      }
      #expect(error.reason.contains("http://127.0.0.1:\(server.port) cannot keep a cloud"))
      #expect(error.hint?.contains("If-None-Match") == true)
    }
    #expect(try store.read(key, limit: 1) == nil)
    #expect(try store.list(CloudLayout.root, after: nil, limit: 9).isEmpty)
  }

  // MARK: - Networks

  /// Whatever is known of the outcome is true, and what was created is whole.
  @Test(arguments: Proxy.Direction.allCases)
  func aConnectionMayBreakAfterAnyByte(direction: Proxy.Direction) throws {
    let direct = try MotoServer.store(prefix)
    let bytes = Data(repeating: 7, count: 500)
    var isDone = false
    var outcomes: Set<String> = []
    for count in stride(from: 1, to: 6_000, by: isThorough ? 1 : 97) where !isDone {
      let key = layout.commit(Int64(count), epoch: 1)
      let proxy = try Proxy(.cut(after: count, direction))
      let store = try MotoServer.store(prefix, port: proxy.port)
      let outcome = store.createIfAbsent(key, bytes)
      let found = try direct.read(key, limit: 999)
      #expect(found == nil || found == bytes, "torn after \(count) bytes")
      switch outcome {
      case .created: #expect(found == bytes, "\(count)")
      case .failed: #expect(found == nil, "\(count)")
      case .exists, .unknown: break
      }
      outcomes.insert("\(outcome)".prefix { $0.isLetter }.description)
      isDone = outcome.isCreated
      _ = direct.createIfAbsent(key, bytes)
      #expect(try direct.read(key, limit: 999) == bytes)
    }
    #expect(isDone && outcomes.isSuperset(of: ["unknown", "created"]), "\(outcomes)")
  }

  /// libcurl takes a head that is cut off for an answer without a body.
  @Test(arguments: [
    HTTPMessage.answer("200 OK", headers: ["ETag: \"x\"", "Server: y"], "found"),
    HTTPMessage.answer("404 Not Found", "<Error><Code>NoSuchKey</Code></Error>"),
  ])
  func anAnswerThatIsCutIsNone(answer: [UInt8]) throws {
    for orders in [answer, Self.withLengthLast(answer)] {
      let count = Mutex(0)
      let server = try LoopbackServer { connection in
        var rest: [UInt8] = []
        guard connection.message(&rest) != nil else { return }
        connection.send(orders.prefix(count.withLock(\.self)))
      }
      for length in 0..<orders.count {
        count.withLock { $0 = length }
        let store = try MotoServer.store(prefix, port: server.port)
        let error = try #require(throws: CloudError.self, "\(length)") {
          try store.read(key, limit: 100)
        }
        #expect(error.code == .networkUnavailable, "\(length): \(error)")
      }
    }
  }

  private static func withLengthLast(_ answer: [UInt8]) -> [UInt8] {
    let parts = String(decoding: answer, as: UTF8.self).components(separatedBy: "\r\n\r\n")
    var lines = parts[0].components(separatedBy: "\r\n")
    lines.append(lines.remove(at: 1))
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + parts[1]).utf8)
  }

  /// What is sent twice on its way is told to exist; the log reads it back and finds its own.
  @Test func aCommitThatIsSentTwiceIsWrittenOnce() throws {
    let direct = try CloudFixture(over: MotoServer.store(prefix))
    try direct.log.create()
    let proxy = try Proxy(.twice)
    let twice = try CloudFixture(
      over: MotoServer.store(prefix, port: proxy.port, probes: true), seed: 2)
    for number in 1...2 { try twice.device.save("\(number)", "value") }
    try direct.device.fetch()
    #expect(direct.device.token?.sequence == 2)
    #expect(direct.device.copies == twice.device.copies)
  }

  @Test func aReadOfWhatIsLongerThanWantedEnds() throws {
    let server = try answering { _ in
      HTTPMessage.answer("200 OK", headers: ["ETag: \"x\""], String(repeating: "x", count: 1 << 20))
    }
    let store = try MotoServer.store(prefix, port: server.port)
    #expect(try store.read(key, limit: 10) == Data("xxxxxxxxxx".utf8))
  }

  private func answering(
    _ answer: @escaping @Sendable (HTTPMessage) -> [UInt8]
  ) throws -> LoopbackServer {
    try LoopbackServer { connection in
      var rest: [UInt8] = []
      while let request = connection.message(&rest) { connection.send(answer(request)) }
    }
  }
}

/// A server of objects that takes no notice of `If-None-Match`.
final class ConditionlessServer: Sendable {
  private let server: LoopbackServer
  var port: UInt16 { server.port }

  /// - Parameter replaces: Whether it says that it has created what was there, or all but the first
  ///   are told that it exists, and it is replaced all the same.
  init(replaces: Bool) throws {
    let objects = Mutex<[String: [UInt8]]>([:])
    server = try LoopbackServer { connection in
      var rest: [UInt8] = []
      while let request = connection.message(&rest) {
        let words = request.firstLine.split(separator: " ")
        let (method, path) = (String(words[0]), String(words[1]))
        let found = objects.withLock { $0[path] }
        switch method {
        case "PUT":
          objects.withLock { $0[path] = request.body }
          let status = replaces || found == nil ? "200 OK" : "412 Precondition Failed"
          connection.send(HTTPMessage.answer(status, headers: ["ETag: \"x\""]))
        case "DELETE":
          objects.withLock { $0[path] = nil }
          connection.send(HTTPMessage.answer("204 No Content"))
        case _ where path.contains("list-type"):
          connection.send(HTTPMessage.answer("200 OK", "<ListBucketResult/>"))
        default:
          let body = found.map { String(decoding: $0, as: UTF8.self) }
          connection.send(
            body.map { HTTPMessage.answer("200 OK", headers: ["ETag: \"x\""], $0) }
              ?? HTTPMessage.answer("404 Not Found", "<Error><Code>NoSuchKey</Code></Error>"))
        }
      }
    }
  }
}

private let namedBucket = ProcessInfo.processInfo.environment["S3_TEST_URL"]

/// A bucket that somebody names, of any service.
@Suite(.enabled(if: namedBucket != nil, "S3_TEST_URL names no bucket"))
struct S3BucketTests {

  @Test(arguments: StoreCheck.all + [.contention(writers: 8, rounds: isThorough ? 1_000 : 40)])
  func everyPromiseIsKept(check: StoreCheck) throws {
    let parts = try #require(namedBucket).split(separator: "?", maxSplits: 1).map(String.init)
    let own = parts[0] + "/" + UUID().uuidString.lowercased()
    let address = try #require(S3Address(([own] + parts.dropFirst()).joined(separator: "?")))
    try check.run { S3Store(address) }
  }
}

/// A server with a disk, which may be killed.
@Suite(.enabled(if: SeaweedServer.isThere, Comment(rawValue: SeaweedServer.absence)))
struct SeaweedTests {
  @Test func nothingIsLostNorDoubledWhenTheServerIsKilledUnderEightWriters() throws {
    let server = try SeaweedServer()
    let address = try #require(S3Address(server.address()))
    try KilledServer.expectNothingLost(rounds: 6) {
      S3Store(address, settings: MotoServer.settings)
    } kill: {
      try server.killAndRestart()
    }
  }
}
