import Testing

@Suite struct TimeZoneTests {
  @Test(arguments: [
    (":Asia/Tokyo", "+09:00", "+09:00"), ("/usr/share/zoneinfo/Asia/Tokyo", "+09:00", "+09:00"),
    ("JST-9", "+09:00", "+09:00"), ("UTC-14", "+14:00", "+14:00"),
    ("<+0330>-3:30", "+03:30", "+03:30"), ("Asia/Tokyo", "+09:00", "+09:00"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "+01:00", "+02:00"), ("Europe/Berlin", "+01:00", "+02:00"),
    ("posix/Europe/Berlin", "+01:00", "+02:00"), ("CET", "+01:00", "+02:00"),
    ("EST", "-05:00", "-05:00"), ("Etc/GMT+5", "-05:00", "-05:00"), ("", "+00:00", "+00:00"),
    ("UTC", "+00:00", "+00:00"), ("Nowhere/Atall", "+00:00", "+00:00"),
  ])
  func `the zone is the one that the system reads in TZ`(
    text: String, winter: String, summer: String
  ) throws {
    let program = try Program()
    for (day, month, offset) in [("15 jan", "01", winter), ("15 jul", "07", summer)] {
      let added = try program.run(
        ["add", "Call \(day) 2027 9am", "--json"], environment: ["TZ": text])
      #expect(added.output.contains("2027-\(month)-15T09:00:00\(offset)"), "\(added.output)")
    }
  }
}
