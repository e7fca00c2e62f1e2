import Foundation
import Testing

@testable import RemindersCore

extension InterchangeTests {
  @Test func aBackupBringsBackWhatIsGoneAndWhatHasChanged() async throws {
    let fixture = try await filled()
    let file = fixture.directory.appending(path: "backup.sqlite")
    try fixture.database.backUp(to: file)
    #expect(throws: AppError.self) { try fixture.database.backUp(to: file) }
    let before = try fixture.contents()
    let list = try fixture.database.list(named: "Summer, house; \"x\"").id
    _ = try await fixture.database.deleteList(list)
    _ = try await fixture.database.renameTag("shop", to: "mall")
    let undo = try await fixture.database.restoreBackup(file)
    #expect(Set(try fixture.contents()).isSuperset(of: before))
    _ = try await fixture.database.undo(undo)
    #expect(throws: AppError.self) {
      try fixture.database.list(named: "Summer, house; \"x\"")
    }
  }

  @Test func aStepSurvivesAFile() async throws {
    let fixture = try await filled()
    let before = try fixture.contents()
    let list = try fixture.database.list(named: "Summer, house; \"x\"").id
    let step = try await fixture.database.deleteList(list)
    let read = try JSONDecoder().decode(UndoStep.self, from: JSONEncoder().encode(step))
    #expect(read == step)
    _ = try await fixture.database.undo(read)
    #expect(try fixture.contents() == before)
  }
}
