import Foundation
import Testing

@testable import Cloud

@Suite struct CommitLogTests {
  @Test func whatOneDeviceSavesTheOtherFetches() throws {
    let one = try CloudFixture()
    try one.log.create()
    let result = try one.device.save("a", "hello")
    #expect(result.failures.isEmpty)
    #expect(one.device.records["a"] == .test("a", "hello"))

    let two = try one.other()
    try two.device.fetch()
    #expect(two.device.records == one.device.records)
    #expect(two.device.token == one.device.token)
    #expect(two.device.tag("a") == ChangeTag(epoch: 1, sequence: 1, index: 0))
  }
}
