import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// The decision table for refusals, row by row.
struct SendFailuresTests {
  static let table: [(CloudError.Code, Disposition)] = [
    (.serverRecordChanged, .retryNow),
    (.unknownItem, .retryNow),
    (.batchRequestFailed, .retryNow),
    (.referenceViolation, .retryOnce),
    (.assetFileNotFound, .publishAgain),
    (.assetNotAvailable, .retryLater),
    (.limitExceeded, .splitBatch),
    (.invalidArguments, .hold),
    (.permissionFailure, .hold),
    (.internalError, .backOffEngine),
    (.networkUnavailable, .backOffEngine),
    (.badContainer, .backOffEngine),
    (.notAuthenticated, .backOffEngine),
    (.incompatibleVersion, .backOffEngine),
    (.changeTokenExpired, .fetchWhole),
    (.quotaExceeded, .retryLater),
    (.zoneNotFound, .fetchWhole),
    (.userDeletedZone, .fetchWhole),
    (.accountTemporarilyUnavailable, .backOffEngine),
  ]

  @Test(arguments: table)
  func aRefusalHasItsDisposition(code: CloudError.Code, expected: Disposition) {
    #expect(SendFailures.disposition(of: code, batchCount: 2) == expected)
  }

  @Test func everyCodeHasARow() {
    #expect(Set(Self.table.map(\.0)) == Set(CloudError.Code.allCases))
  }

  @Test func aSingleChangeThatIsTooLargeIsHeld() {
    #expect(SendFailures.disposition(of: .limitExceeded, batchCount: 1) == .hold)
  }

  @Test(arguments: zip(1...12, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] as [Int64]))
  func theBackOffDoublesUpToFiveMinutes(attempts: Int, seconds: Int64) {
    let base = seconds * 1000
    #expect(SendFailures.backOff(attempts: attempts, random: 0) == base * 3 / 4)
    for random in [1, 12_345, UInt64.max] {
      let wait = SendFailures.backOff(attempts: attempts, random: random)
      #expect((base * 3 / 4...base * 5 / 4).contains(wait))
    }
  }
}
