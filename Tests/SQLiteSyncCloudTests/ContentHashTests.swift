import SQLiteSyncHashing
import Testing

@testable import SQLiteSyncCloud

/// The examples of FIPS 180-4 (csrc.nist.gov/projects/cryptographic-standards-and-guidelines).
struct ContentHashTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func examplesOfTheStandard(text: String, hash: String) {
    let bytes = Array(text.utf8)
    #expect(ContentHash(of: bytes).description == hash)
    #expect(SHA256.digest(of: bytes).hexadecimal == hash)
    for count in Set([0, bytes.count / 2, bytes.count]) {
      let (beginning, all) = ContentHash.ofBeginning(count, andAllOf: bytes)
      #expect(beginning == ContentHash(of: Array(bytes[..<count])))
      #expect(all.description == hash)
    }
  }
}
