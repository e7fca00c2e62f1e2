import Testing

@Suite struct TimeZoneTests {
  @Test(arguments: [
    (":Asia/Tokyo", "+09:00"), ("/usr/share/zoneinfo/Asia/Tokyo", "+09:00"), ("JST-9", "+09:00"),
    ("UTC-14", "+14:00"), ("<+0330>-3:30", "+03:30"), ("Asia/Tokyo", "+09:00"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "+01:00"),
  ])
  func `the zone is the one that the system reads in TZ`(text: String, offset: String) throws {
    let program = try Program()
    let added = try program.run(
      ["add", "Call 15 jan 2027 9am", "--json"], environment: ["TZ": text])
    #expect(added.output.contains("2027-01-15T09:00:00\(offset)"), "\(added.output)")
  }
}
