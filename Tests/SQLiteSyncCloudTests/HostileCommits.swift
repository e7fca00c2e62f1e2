import Foundation

@testable import SQLiteSyncCloud

extension HostileFile {
  private static func save(_ fields: String, _ more: String = "") -> String {
    #"{"base":null,"fields":{\#(fields)},"name":"h","op":"save","t":7,"type":"t"\#(more)}"#
  }

  private static func named(_ name: String) -> String {
    #"{"base":null,"fields":{},"name":"\#(name)","op":"save","t":7,"type":"t"}"#
  }

  /// Lines that are no operation, or one that breaks a rule.
  private static let lines = [
    "", "null", "[]", "{}", "x", #"{"op":"save"}"#,
    // JSON.
    save(#""f":[1,7],"f":[1,7]"#), save(#""g":[1,7],"f":[1,7]"#), save(#""f":[1,7],"#),
    save(#""f":[1,7] "#), save(#"/**/"f":[1,7]"#), save(#""f":[NaN,7]"#), save(#""f":[-0,7]"#),
    save(#""f":[Infinity,7]"#), save(#""f":[1e400,7]"#), save(#""f":[01,7]"#),
    save(#""f":[9223372036854775808,7]"#), save(#""f":[-9223372036854775809,7]"#),
    save(#""f":["\ud800",7]"#), save(#""f":["\u0000",7]"#), save(#""f":["\u0041",7]"#),
    save(#""f":[\#(String(repeating: "9", count: 1 << 19)),7]"#),
    save(#""f":[\#(String(repeating: "[", count: 1 << 19)),7]"#),
    // Types.
    save(#""f":1"#), save(#""f":[1]"#), save(#""f":[1,7,7]"#), save(#""f":[true,7]"#),
    save(#""f":[[1],7]"#), save(#""f":[1,7.0]"#), save(#""f":[1,null]"#), save(#""f":[1,"7"]"#),
    save(#""f":[{"b":"*"},7]"#), save(#""f":[{"b":"QQ"},7]"#), save(#""f":[{"r":"nan"},7]"#),
    save(#""f":[{"b":"QQ==","r":"inf"},7]"#), save(#""f":[{},7]"#),
    save(#""f":[{"b":"\#(Data(count: CloudLimits.inlineBytes + 1).base64EncodedString())"},7]"#),
    #"{"base":1,"fields":{},"name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"base":"1.1","fields":{},"name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":[],"name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{},"name":1,"op":"save","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{},"name":"h","op":"drop","t":7,"type":"t"}"#,
    #"{"base":null,"fields":{},"name":"h","op":"save","t":"7","type":"t"}"#,
    #"{"base":null,"fields":{},"name":"h","op":"save","t":7,"type":null}"#,
    #"{"base":null,"fields":{},"name":"h","op":"save","parent":7,"t":7,"type":"t"}"#,
    #"{"base":null,"fields":{},"name":"h","op":"delete","t":7,"type":"t"}"#,
    // Names.
    named(""), named(#"\u001b[2J"#), named(#"a\nb"#), named("\u{7F}"), named("\u{9B}31m"),
    named(String(repeating: "n", count: 256)), save(#""":[1,7]"#), save(#""\u0007":[1,7]"#),
    // Assets.
    #"{"assets":{"f":{"a":"../../../../etc/passwd","len":1,"t":7}},"base":null,"fields":{},"#
      + #""name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"assets":{"f":{"a":"\#(ContentHash(of: [1]))-0123456","len":1,"t":7}},"base":null,"#
      + #""fields":{},"name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"assets":{"f":{"a":"\#(ContentHash(of: [1]))-01234567","len":-1,"t":7}},"base":null,"#
      + #""fields":{},"name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"assets":{"f":{"a":"\#(ContentHash(of: [1]))-01234567","len":9223372036854775807,"t":7}},"#
      + #""base":null,"fields":{},"name":"h","op":"save","t":7,"type":"t"}"#,
    #"{"assets":{"f":{"a":"\#(ContentHash(of: [1]))-01234567","len":1,"t":7}},"base":null,"#
      + #""fields":{"f":[1,7]},"name":"h","op":"save","t":7,"type":"t"}"#,
    // Rules.
    #"{"base":null,"fields":{},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":"1.9.0","fields":{},"name":"a","op":"save","t":7,"type":"t"}"#,
    #"{"base":"1.1.0","fields":{},"name":"a","op":"save","t":7,"type":"other"}"#,
    #"{"base":"1.1.0","fields":{},"name":"a","op":"save","parent":"nobody","t":7,"type":"t"}"#,
    #"{"base":null,"name":"a","op":"delete","t":7,"type":"t"}"#,
    #"{"base":"9223372036854775807.9223372036854775807.9223372036854775807","fields":{},"#
      + #""name":"a","op":"save","t":7,"type":"t"}"#,
  ]

  /// Commits that are void.
  static let commits: [HostileFile] =
    bytes + headers
    + lines.map(HostileFile.init(line:)) + [
      HostileFile(header: "zone", #""other""#), HostileFile(header: "zone", nil),
      HostileFile(header: "zone", "1"), HostileFile(header: "n", nil),
      HostileFile(header: "n", "2"), HostileFile(header: "n", #""1""#),
      HostileFile(header: "f", #""meta""#), HostileFile(header: "v", "999"),
      HostileFile(header: "seq", "1"), HostileFile(header: "seq", "3"),
      HostileFile(header: "epoch", "2"), HostileFile(header: "prev", nil),
      HostileFile("no operation") { $0.sealed(lines: []) },
      HostileFile("401 operations") {
        $0.sealed(lines: (0...CloudLimits.operationsPerCommit).map { named("h\($0)") })
      },
      HostileFile("a record twice") { $0.sealed(lines: [named("h"), named("h")]) },
      HostileFile("a record saved and deleted") {
        $0.sealed(lines: [
          named("h"), #"{"base":null,"name":"h","op":"delete","t":7,"type":"t"}"#,
        ])
      },
      HostileFile("201 fields") {
        let fields = (0...CloudLimits.fieldsPerRecord).map { #""\#(1000 + $0)":[1,7]"# }
        return $0.sealed(lines: [save(fields.joined(separator: ","))])
      },
      HostileFile("a record of more than a mebibyte") {
        let text = String(repeating: "x", count: CloudLimits.recordBytes)
        return $0.sealed(lines: [save(#""f":["\#(text)",7]"#)])
      },
      HostileFile("a chain of parents that ends in nobody") {
        $0.sealed(
          lines: (0..<400).map {
            #"{"base":null,"fields":{},"name":"h\#($0)","op":"save","#
              + #""parent":"h\#($0 + 1)","t":7,"type":"t"}"#
          })
      },
    ]

  /// Commits that are strange and right: every device has what they say.
  static let strange: [HostileFile] =
    [
      named("../x"), named("/etc/passwd"), named("."), named(".."), named("CON"),
      named("trailing."), named(" "), named("h:sqlite_master"), named("'; DROP TABLE lists; --"),
      named(String(repeating: "n", count: 255)), named("\u{202E}txt.exe"), named("\u{FFFF}"),
      save(#""__proto__":[1,7],"constructor":[1,7],"id":[1,7]"#),
      save(#""a\"":[1,7],"aZ":[1,7]"#), save(#""a\\":[1,7],"a]":[1,7]"#),
      save(#""f":["\u001b]0;owned\u0007",7]"#), save(#""f":["\#u{202E}\#u{2028}",7]"#),
      save(#""f":["\#(String(repeating: "e\u{301}", count: 1 << 16))",7]"#),
      save(#""f":[1,-1],"g":[1,4611686018427387904],"h":[1,9223372036854775807]"#),
      save(#""f":[{"r":"inf"},7],"g":[{"r":"-inf"},7],"h":[5e-324,7]"#),
      save("", #","zz":{"unknown":[1.5,null,true,{"a":[[[1]]]}]}"#),
      #"{"base":null,"fields":{},"name":"h","op":"save","parent":"h","t":7,"type":"t"}"#,
      #"{"base":null,"name":"h","op":"delete","t":9223372036854775807,"type":"t"}"#,
      #"{"base":"1.9.9","name":"h","op":"delete","t":-9223372036854775808,"type":"t"}"#,
    ].map(HostileFile.init(line:)) + [
      HostileFile("two spellings of one name") {
        $0.sealed(lines: [named("\u{E9}"), named("e\u{301}")])
      },
      HostileFile("names that differ in case") { $0.sealed(lines: [named("H"), named("h")]) },
      HostileFile("a circle of parents") {
        $0.sealed(lines: [
          #"{"base":null,"fields":{},"name":"h","op":"save","parent":"i","t":7,"type":"t"}"#,
          #"{"base":null,"fields":{},"name":"i","op":"save","parent":"h","t":7,"type":"t"}"#,
        ])
      },
      HostileFile(header: "at", #""yesterday""#), HostileFile(header: "at", "1"),
      HostileFile(header: "at", #""9999999999-12-31T23:59:59.999Z""#),
      HostileFile(header: "app", #""\u001b[2J""#), HostileFile(header: "zz", "[1]"),
    ]
}
