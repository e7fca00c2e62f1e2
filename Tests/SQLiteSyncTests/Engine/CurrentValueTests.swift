import Dispatch
import Synchronization
import Testing

@testable import SQLiteSync

/// A value that several threads change while others begin to listen.
struct CurrentValueTests {
  @Test func aStreamThatBeginsAmongChangesSeesEachThatFollowsAndEndsWithTheLast() async {
    for _ in 1...300 {
      let counter = CurrentValue(0)
      let streams = Mutex<[AsyncStream<Int>]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        for _ in 1...20 {
          if thread < 2 {
            counter.update { $0 += 1 }
          } else {
            let stream = counter.stream()
            streams.withLock { $0.append(stream) }
          }
        }
      }
      counter.finish()
      for stream in streams.withLock({ $0 }) {
        let seen = await stream.reduce(into: []) { $0.append($1) }
        #expect(seen == Array((seen.first ?? 40)...40))
      }
    }
  }

  @Test func aChangeThatChangesNothingIsNotTold() async {
    let counter = CurrentValue(1)
    let stream = counter.stream()
    counter.update { $0 = 1 }
    counter.update { $0 = 2 }
    counter.finish()
    #expect(await stream.reduce(into: []) { $0.append($1) } == [1, 2])
  }
}
