import Foundation

/// Runs `work` in that many threads at once, whatever the number of cores, and waits for all.
package func inThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread {
      work(number)
      group.leave()
    }.start()
  }
  group.wait()
}
