import SQLiteSyncCloud
import Testing

/// The names by which people know Unix users.
struct LoginNameTests {
  @Test func aUserIsKnownByTheLoginName() {
    #expect(AccountID(userID: 0).displayName == "root")
    #expect(AccountID(loginName: "root") == AccountID(userID: 0))
    #expect(AccountID(userID: 0).description == "u0")
  }

  @Test func whomTheSystemDoesNotKnowIsKnownByNumber() {
    #expect(AccountID(userID: 4_100_200_300).displayName == "u4100200300")
    for name in ["", "nobody has this name", "u4100200300", "a\0b", "root\n"] {
      #expect(AccountID(loginName: name) == nil, "\(name)")
    }
  }

  @Test func anAccountThatIsOnlyANameIsCalledByIt() {
    #expect(AccountID(name: "ann")?.displayName == "ann")
    #expect(AccountID(name: "root")?.displayName == "root")
  }
}
