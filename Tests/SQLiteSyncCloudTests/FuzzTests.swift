import RemindersFuzzing
import RemindersTestSupport
import Testing

/// A little of what `make fuzz` does for longer, and without libFuzzer's eyes.
@Suite struct FuzzTests {
  @Test func whatIsRightIsReadAndWrittenBack() {
    for input in FormatFuzz.corpus { FormatFuzz.run(input) }
  }

  @Test func noMutationOfWhatIsRightTraps() {
    let seed: UInt64 = 20_261_121
    var random = SplitMix64(seed: seed)
    let corpus = FormatFuzz.corpus
    for _ in 0..<2_000 {
      // A trap ends the run; the seed makes it come again.
      FormatFuzz.run(mutation(of: corpus, &random))
    }
  }

  private func mutation(of corpus: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
    guard var input = corpus.randomElement(using: &random) else { return [] }
    for _ in 0..<Int.random(in: 1...4, using: &random) where input.count > 1 {
      let index = Int.random(in: 1..<input.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: input[index] = UInt8.random(in: .min ... .max, using: &random)
      case 1: input.remove(at: index)
      case 2: input.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
      case 3: input.removeSubrange(index..<min(input.count, index + 16))
      default:
        let other = corpus.randomElement(using: &random) ?? []
        input.insert(contentsOf: other.dropFirst().shuffled(using: &random).prefix(8), at: index)
      }
    }
    return input
  }
}
