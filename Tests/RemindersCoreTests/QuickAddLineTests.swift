import Foundation
import Testing

@testable import RemindersCore

@Suite struct QuickAddLineTests {
  @Test(
    arguments: [
      ("Call mum", "Call mum", nil, nil, []),
      ("Call mum tomorrow", "Call mum", "2026-11-22", nil, []),
      ("Call mum on fri 9am", "Call mum", "2026-11-27T09:00:00+01:00", nil, []),
      (
        "Call the plumber fri 9am #home !!", "Call the plumber", "2026-11-27T09:00:00+01:00",
        "medium", ["home"]
      ),
      ("Call friday next week", "Call", "2026-11-27", nil, []),
      ("Call next week friday 9am", "Call", "2026-11-27T09:00:00+01:00", nil, []),
      ("Party Friday the 13th", "Party", "2027-08-13", nil, []),
      ("Party on the 13th of december", "Party", "2026-12-13", nil, []),
      ("Pay rent #home #money !high", "Pay rent", nil, "high", ["home", "money"]),
      ("Pay 25.12", "Pay 25.12", nil, nil, []), ("Pay fri 25.12", "Pay", "2026-12-25", nil, []),
      ("Buy 3", "Buy 3", nil, nil, []), ("Print it 3d", "Print it 3d", nil, nil, []),
      ("Plan the weekend", "Plan the weekend", nil, nil, []),
      ("Tidy up this weekend", "Tidy up", "2026-11-21", nil, []),
      ("Tomorrow", "Tomorrow", nil, nil, []),
      ("Friday the 13th", "Friday the 13th", nil, nil, []),
      ("Tomorrow 9am #x", "Tomorrow 9am", nil, nil, ["x"]),
      ("# !!!! a", "# !!!! a", nil, nil, []),
      ("Pay #x #x ! +3d", "Pay", "2026-11-24", "low", ["x"]),
      ("Fix #12", "Fix #12", nil, nil, []),
      ("Buy bread #shop. #c++, #x!", "Buy bread", nil, nil, ["shop", "c++", "x"]),
      ("Buy bread #shop,#home; #a;b #x,", "Buy bread", nil, nil, ["shop", "home", "a", "b", "x"]),
      ("Fix #home,#12", "Fix #home,#12", nil, nil, []),
      ("Fix \\#home now", "Fix #home now", nil, nil, []),
      ("Watch \\Friday", "Watch Friday", nil, nil, []),
      ("Mail \\@ann", "Mail @ann", nil, nil, []),
    ] as [(String, String, String?, String?, [String])])
  func aLineIsRead(
    text: String, title: String, due: String?, priority: String?, tags: [String]
  ) {
    let line = QuickAddLine(text, in: berlin())
    #expect(line.title == title)
    #expect(line.due?.iso8601(in: berlin()) == due)
    #expect(line.priority?.name == priority)
    #expect(line.tags == tags)
    #expect(line.unknownList == nil)
  }

  @Test(
    arguments: [
      ("Bins every monday 8am", "Bins", "every Mon", "2026-11-23T08:00:00+01:00"),
      ("Water the plants every! 3 days #home", "Water the plants", "every! 3 days", "2026-11-21"),
      (
        "Pay rent monthly on the last friday", "Pay rent", "every month on the last Fri",
        "2026-11-27"
      ),
      ("Water ! every ! 3 days", "Water", "every! 3 days", "2026-11-21"),
      ("Water every + day #home", "Water", "every+ day", "2026-11-21"),
      ("Birthday every 24.12.", "Birthday", "every year on 24 Dec", "2026-12-24"),
      ("Wish everybody every ! one", "Wish everybody every one", nil, nil),
      ("Write every day counts", "Write every day counts", nil, nil),
      ("every mon 9am", "every mon 9am", nil, nil),
      ("Birthday Anna 3 mar every year", "Birthday Anna", "every year", "2027-03-03"),
      ("Gym mon every week", "Gym", "every week", "2026-11-23"),
      ("Gym sat every week", "Gym", "every week", "2026-11-21"),
      ("Gym sat 9am every week", "Gym", "every week", "2026-11-28T09:00:00+01:00"),
      ("Bins fri 9am every 2 weeks", "Bins", "every 2 weeks", "2026-11-27T09:00:00+01:00"),
      ("Pills every day at noon", "Pills", "every day", "2026-11-22T12:00:00+01:00"),
      ("Run every monday morning", "Run", "every Mon", "2026-11-23T09:00:00+01:00"),
      ("Yoga every mon starting 7 dec", "Yoga", "every Mon", "2026-12-07"),
      (
        "Pay rent every month at 9am until june", "Pay rent", "every month until 30 Jun 2027",
        "2026-11-22T09:00:00+01:00"
      ),
      ("Gym every monday 9am starting dec 1", "Gym", "every Mon", "2026-12-07T09:00:00+01:00"),
      (
        "Gym every mon starting next week until 1 mar at 7pm", "Gym", "every Mon until 1 Mar 2027",
        "2026-11-23T19:00:00+01:00"
      ),
      (
        "Gym at 7pm for 5 times every mon starting 7 dec", "Gym", "every Mon 5 times",
        "2026-12-07T19:00:00+01:00"
      ),
      ("Gym 9am every mon starting 7 dec", "Gym", "every Mon", "2026-12-07T09:00:00+01:00"),
      ("Birthday 3 mar every year at noon", "Birthday", "every year", "2027-03-03T12:00:00+01:00"),
      ("Rent first monday of every month", "Rent", "every month on the 1st Mon", "2026-12-07"),
      ("Rent on the last day of every month", "Rent", "every month on the last day", "2026-11-30"),
      ("Call mum fri every month", "Call mum", "every month", "2026-11-27"),
      (
        "Water the plants every night", "Water the plants", "every day", "2026-11-21T20:00:00+01:00"
      ),
      ("Water every night at 10", "Water", "every day", "2026-11-21T22:00:00+01:00"),
      ("Run every morning", "Run", "every day", "2026-11-22T09:00:00+01:00"),
      ("Gym every mon to fri", "Gym", "every weekday", "2026-11-23"),
      ("Gym every mon through fri 9am", "Gym", "every weekday", "2026-11-23T09:00:00+01:00"),
      ("Gym every mon-fri", "Gym", "every weekday", "2026-11-23"),
      ("Gym every mon – wed and sun", "Gym", "every Mon, Tue, Wed, Sun", "2026-11-22"),
      ("Gym every fri to mon", "Gym", "every Mon, Fri, Sat, Sun", "2026-11-21"),
      ("Rent monthly on 15 at 9am", "Rent", "every month on the 15th", "2026-12-15T09:00:00+01:00"),
      ("Rent every month on 5", "Rent", "every month on the 5th", "2026-12-05"),
      ("Rent monthly last fri", "Rent", "every month on the last Fri", "2026-11-27"),
      ("Stretch everyday", "Stretch", "every day", "2026-11-21"),
      ("Water every two days 9am", "Water", "every 2 days", "2026-11-22T09:00:00+01:00"),
      ("Pay every three weeks from friday", "Pay", "every 3 weeks", "2026-11-27"),
      ("Gym every mon/wed/fri 18.30", "Gym", "every Mon, Wed, Fri", "2026-11-23T18:30:00+01:00"),
      (
        "Clocks last sunday of march every year", "Clocks", "every year on the last Sun in Mar",
        "2027-03-28"
      ),
      ("Rent every month the 13th", "Rent", "every month", "2026-12-13"),
      ("Stretch everyday 9am", "Stretch", "every day", "2026-11-22T09:00:00+01:00"),
      ("Gym weekdays", "Gym", "every weekday", "2026-11-23"),
      ("Gym on weekdays at 7pm", "Gym", "every weekday", "2026-11-23T19:00:00+01:00"),
      ("Rent every last day of the month", "Rent", "every month on the last day", "2026-11-30"),
      ("Rent every 2nd day", "Rent", "every 2 days", "2026-11-21"),
      ("Rent every 2nd day of the month", "Rent", "every month on the 2nd", "2026-12-02"),
      ("Turn the heating on every day", "Turn the heating on", "every day", "2026-11-21"),
      // The midnight that ends a Saturday, as in a date.
      ("Meet every sat midnight", "Meet", "every Sun", "2026-11-22T00:00:00+01:00"),
      (
        "Meet every sun midnight starting 7 dec", "Meet", "every Mon",
        "2026-12-14T00:00:00+01:00"
      ),
      (
        "Rent every last day of the month midnight", "Rent", "every month on the 1st",
        "2026-12-01T00:00:00+01:00"
      ),
      ("Rent monthly on the last fri midnight", "Rent monthly on the last fri midnight", nil, nil),
      // Nobody can know which Monday.
      ("Pay every month on mon", "Pay every month on mon", nil, nil),
      ("Pay every month on mon 9am", "Pay every month on mon 9am", nil, nil),
      ("Water 3 times every day", "Water 3 times", "every day", "2026-11-21"),
      ("Shower once every day", "Shower once", "every day", "2026-11-21"),
      ("Mail from anna every day", "Mail from anna", "every day", "2026-11-21"),
      ("Buy 3 every day", "Buy 3", "every day", "2026-11-21"),
      ("Plan weekend every week", "Plan weekend", "every week", "2026-11-21"),
      ("Bins every day @Nowhere", "Bins @Nowhere", "every day", "2026-11-21"),
      ("Read \\every day", "Read every day", nil, nil),
      ("Every day", "Every day", nil, nil),
    ] as [(String, String, String?, String?)])
  func aLineSaysHowAReminderComesAgain(text: String, title: String, rule: String?, due: String?) {
    let line = QuickAddLine(text, in: berlin())
    #expect(line.title == title)
    #expect(line.recurrence?.text(in: berlin()) == rule)
    #expect(line.due?.iso8601(in: berlin()) == due)
    let earlier = QuickAddLine.Parts.all.known(to: .linksAndCovers)
    #expect(QuickAddLine(text, parts: earlier, in: berlin()).recurrence == nil)
  }

  /// A date is not taken out of the middle of what is not understood.
  @Test(arguments: [
    "Meet friday 9am to 10am", "Trip 10 dec - 12 dec", "Trip fri – sun", "Set the freezer to -5",
    "Keep it at -5", "Stay until friday", "Meet mon and fri", "Ring every hour at 9am",
    "Gym every mon or tue 9am", "Water every night at 1", "Book a table for friday",
    "Dentist mon 1 dec 9am", "Dentist sun 28 nov", "Gym mon wed fri", "Call at 9 tomorrow evening",
    "Pay a week on tuesday", "Pay two weeks on tuesday",
    "Move the meeting from today", "Cancel the 9am", "Sleep 3 days", "Rest for half an hour",
    "Print it 2h", "Wait 1h30m", "on friday", "Pay every day except sunday 9am",
    "Pay every sunday and holiday 9am", "Pay every tue 7pm thu 8pm", "Pay fri 9am - 10am",
    "Pay mon-wed 9am", "Yoga tue, thu 7pm", "Yoga tuesdays and thursdays 7pm",
    "Ring mum sundays 6pm", "Buy milk on mondays at 9", "Pay tomorrow 9am every mon 10am",
    "Pay every mon remind every day", "Party 25 dec 26", "Party 25.12.26", "Party 12/25/26",
    "Party 25.12.26 9am", "Party 12/25/26 every year", "Party dec 25 26 9am", "Pay 18.30",
    "Party every friday the 13th", "Party every friday the 13th 9am", "Pay every year on 5",
    "Pay every week on 5", "Pay friday the 13th every month", "Pay every year on 5 9am",
    "Clocks last sunday of march every month", "Clocks last sunday of march 9am",
    "Meet first monday", "Gym mon/wed 9am", "Ring every two hours at 9am", "Pay every 32nd/33rd",
    "Meet 2 hours from friday", "Call the week after next on fri", "Trip in may next year",
    "Pay mon next month", "Pay the 5th next week", "Plan this month on friday",
    "Call at 8 in the evening on fri", "Call at 8 at night on fri",
    "Standup every weekday except friday 9am", "Call every other day except sun",
    "Pay 32nd of next month", "Pay 29 feb next year", "Pay in -3 days",
    "Read In a fortnight of books", "Sleep a fortnight", "Pay a fortnight on tuesday",
    "Wait 1.5 hours", "Wait 1.5h", "Rest for an hour and a half", "Half past 9", "5 o'clock",
    "Open from 9 to half past 5", "Open half past 9 to quarter to 6", "Open 10 to quarter to 6",
    "Meet 5 o'clock to 7 o'clock", "Meet 5 o'clock and 7 o'clock", "Meet half past 9:15",
    "Call at 5 o'clock tomorrow evening", "Call at 5 o'clock in the evening on fri",
    "Call at 9 o'clock 10 o'clock", "Watch five", "Cut it in half an", "Buy a quarter to 6 pounds",
    "Call half past 9 fri 10am",
  ]) func `what is only half understood stays text`(line: String) {
    let read = QuickAddLine(line, in: berlin())
    #expect(read.title == line && read.due == nil && read.recurrence == nil)
  }

  @Test(arguments: [
    ("Meet \\to friday", "Meet to", "2026-11-27"),
    ("Turn the heating on at 6pm", "Turn the heating on", "2026-11-21T18:00:00+01:00"),
    ("Thank every guest tomorrow", "Thank every guest", "2026-11-22"),
    ("Report due at 9am", "Report", "2026-11-22T09:00:00+01:00"),
    ("Report due by friday", "Report", "2026-11-27"),
    ("Call mum at 9am on friday", "Call mum", "2026-11-27T09:00:00+01:00"),
    ("Do 20 min of yoga tomorrow", "Do 20 min of yoga", "2026-11-22"),
    ("Read 2 days of news in 3 days", "Read 2 days of news", "2026-11-24"),
    ("Print it in 3d", "Print it", "2026-11-24"),
    ("Dentist - friday", "Dentist -", "2026-11-27"),
    ("Print it in half an hour", "Print it", "2026-11-21T15:02:00+01:00"),
    ("Print it in 1.5 hours", "Print it", "2026-11-21T16:02:00+01:00"),
    ("Print it in an hour and a half", "Print it", "2026-11-21T16:02:00+01:00"),
    ("Print 1.5 hours of it in a fortnight", "Print 1.5 hours of it", "2026-12-05"),
    ("Call mum at half past 9", "Call mum", "2026-11-22T09:30:00+01:00"),
    ("Call mum half past 9 tomorrow", "Call mum", "2026-11-22T09:30:00+01:00"),
    ("Call mum by quarter to 6 pm", "Call mum", "2026-11-21T17:45:00+01:00"),
    ("Call mum at 5 o'clock", "Call mum", "2026-11-22T05:00:00+01:00"),
    ("Call mum 5 o'clock tomorrow", "Call mum", "2026-11-22T05:00:00+01:00"),
    ("Call mum every day at half past 9", "Call mum", "2026-11-22T09:30:00+01:00"),
    ("Gym every mon 7 o'clock", "Gym", "2026-11-23T07:00:00+01:00"),
    ("Pay a week from today", "Pay", "2026-11-28"),
    ("Pay by the end of the month", "Pay", "2026-11-30"),
    ("Pay 2026/12/25", "Pay", "2026-12-25"),
    ("Meet sat midnight", "Meet", "2026-11-29T00:00:00+01:00"),
    ("Pay two weeks from friday", "Pay", "2026-12-11"),
    ("Pay in a week from tomorrow", "Pay", "2026-11-29"),
    ("Dinner fri 18.30", "Dinner", "2026-11-27T18:30:00+01:00"),
    ("Dinner at 18.30", "Dinner", "2026-11-21T18:30:00+01:00"),
    ("Dinner 6.30pm", "Dinner", "2026-11-21T18:30:00+01:00"),
    ("Pay 18.30 fri", "Pay 18.30", "2026-11-27"),
    ("Release 1.2.3 tomorrow", "Release 1.2.3", "2026-11-22"),
    ("Call each one tomorrow", "Call each one", "2026-11-22"),
    ("Pay 25.12. every day", "Pay", "2026-12-25"),
    ("Dentist 3 may next year", "Dentist", "2027-05-03"),
    ("Pay jan 5 next year", "Pay", "2027-01-05"),
    ("Pay on the 5th next month", "Pay", "2026-12-05"),
    ("Pay next month on the 5th", "Pay", "2026-12-05"),
    ("Call the 15th next month 9am", "Call", "2026-12-15T09:00:00+01:00"),
    ("Call mon at 9am next week", "Call", "2026-11-23T09:00:00+01:00"),
    ("Pay this month on the 30th", "Pay", "2026-11-30"),
    ("Read chapter 5 next week", "Read chapter 5", "2026-11-28"),
    ("Plan the party next year", "Plan the party", "2027-11-21"),
    ("Gym every week starting next month on the 5th", "Gym", "2026-12-05"),
    ("Gym every month starting next month on the 5th", "Gym", "2026-12-05"),
    ("Gym every mon starting next month on the 5th", "Gym", "2026-12-07"),
    ("Gym every mon starting next month", "Gym", "2026-12-07"),
    ("Pills every day starting 20 nov", "Pills", "2026-11-21"),
    ("Pills every day 8am starting 20 nov", "Pills", "2026-11-22T08:00:00+01:00"),
    ("Water every 2 weeks starting 14 nov", "Water", "2026-11-28"),
    ("Pay every month starting 20 nov", "Pay", "2026-12-20"),
    ("Pay every mon starting fri 20 nov", "Pay", "2026-11-23"),
    ("Pay every month starting 20 may", "Pay", "2027-05-20"),
    ("Pay every mon starting 20 nov", "Pay", "2026-11-23"),
    ("Pay every 30th starting 20 nov", "Pay", "2026-11-30"),
    ("Pay every sat starting 20 nov", "Pay", "2026-11-21"),
    ("Pay every 24 dec starting 20 nov", "Pay", "2026-12-24"),
    ("Pills every day 5 times starting 18 nov", "Pills", "2026-11-18"),
  ]) func `what a date is about stays in the title`(line: String, title: String, due: String) {
    let read = QuickAddLine(line, in: berlin())
    #expect(read.title == title && read.due?.iso8601(in: berlin()) == due)
  }

  /// In processor time of this thread: thousands of lines may be pasted, and the screen waits.
  @Test func `a line is read in a fraction of a millisecond`() {
    func processorTime() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    let lists = (1...20).map { RemindersList(id: "\($0)", title: "List \($0)", position: 0) }
    let (names, time) = (ListNames(lists), berlin())
    let lines = [
      "Call the plumber about the kitchen tap", "Buy milk, bread and eggs for the weekend party",
      "Pay the rent 1.12. #home !!", "Dentist fri 9am", "Write to Anna @List 7 tomorrow",
      "Ask the landlord whether the heating can be on in march", "- [ ] Batteries",
    ]
    let rounds = 200
    let start = processorTime()
    for _ in 0..<rounds {
      for line in lines { _ = QuickAddLine(line, names: names, in: time) }
    }
    let microseconds = (processorTime() - start) / Double(rounds * lines.count)
    #expect(microseconds < 150)
  }

  @Test func `of a long line the last words alone are read`() {
    let line = QuickAddLine("every mon " + String(repeating: "x ", count: 200) + "#a", in: berlin())
    #expect(line.recurrence == nil && line.title.hasPrefix("every mon x") && line.tags == ["a"])
    let days = (1...31).map { "\($0)\($0 == 1 ? "st" : "th")" }.joined(separator: " and ")
    let longest = QuickAddLine("Water monthly on \(days)", in: berlin())
    #expect(longest.title == "Water" && longest.recurrence?.monthDays.count == 31)
  }

  @Test func `a line longer than any title is one, and refused`() async throws {
    let text = "Call mum " + String(repeating: "#x @y remind 1d ", count: 1000) + "tomorrow"
    let line = QuickAddLine(text, in: berlin())
    #expect(line.title == text && line.tags.isEmpty && line.due == nil && line.unknownList == nil)
    let error = await #expect(throws: AppError.self) { try await Fixture().add(text) }
    #expect(error?.reason.contains("at most 10000") == true)
  }

  @Test(arguments: [
    ("- [ ] Bread #shop", "Bread"), ("* Bread", "Bread"), ("• Bread fri", "Bread"),
    ("- Bread", "Bread"), ("- [x] Bread", "Bread"), ("-", "-"), ("- [ ]", "[ ]"),
    ("5. Symphony", "5. Symphony"), ("2) Bread", "2) Bread"), ("3.5 litres", "3.5 litres"),
    ("- [x]", "[x]"), ("-5 degrees", "-5 degrees"), ("5 - 3", "5 - 3"),
  ]) func `the marker of a list in Markdown is not in the title`(line: String, title: String) {
    #expect(QuickAddLine(line, in: berlin()).title == title)
    #expect(QuickAddLine("- Bread", parts: [], in: berlin()).title == "- Bread")
  }

  @Test func `a line whose box is ticked is done`() async throws {
    let fixture = try Fixture()
    let lines = ["- [x] Bread every mon", "* [X] Milk", "- [ ] Eggs", "[x] Salt", "- [x]"]
    let drafts = lines.map { QuickAddLine($0, in: berlin()).draft() }
    #expect(drafts.map(\.isDone) == [true, true, false, false, false])
    let ids = try await fixture.database.addReminders(drafts).ids
    let bread = try fixture.details(ids[0])
    #expect(bread.status == .completed && bread.recurrence == nil && bread.due != nil)
    #expect(bread.reminder.completedAt == fixture.clock.now)
    let eggs = try fixture.details(ids[2])
    #expect(eggs.status == .incomplete && eggs.reminder.completedAt == nil)
  }

  @Test func aPartThatIsNotLookedForStaysText() {
    let line = QuickAddLine("Watch Friday #1st @home", parts: [.tags], in: berlin())
    #expect(line.title == "Watch Friday @home" && line.due == nil && line.tags == ["1st"])
    #expect(line.unknownList == nil)
  }

  @Test(
    arguments: [
      ("Bread @family", "Bread", "Family", nil),
      ("Paint @Summer house fri", "Paint", "Summer house", nil),
      ("Paint @summer", "Paint", "Summer", nil),
      ("Mail bob@example.org", "Mail bob@example.org", nil, nil),
      ("Eggs @ 3", "Eggs @ 3", nil, nil),
      ("Bread @Famly", "Bread @Famly", nil, "Famly"),
      ("Bread @twin", "Bread", "twin", nil),
      ("Bread @TWIN", "Bread @TWIN", nil, "TWIN"),
      ("Bread @Twin#2 fri", "Bread", "twin", nil),
    ] as [(String, String, String?, String?)])
  func aListIsChosenByItsName(text: String, title: String, list: String?, unknown: String?) {
    let lists = ["Family", "Summer", "Summer house", "Twin", "twin"].map {
      RemindersList(id: $0, title: $0, position: 0)
    }
    let line = QuickAddLine(text, lists: lists, in: berlin())
    #expect(line.title == title)
    #expect(line.list?.title == list)
    #expect(line.unknownList == unknown)
  }

  @Test func `the list that is made when there is none can be named`() {
    let line = QuickAddLine("Bread @personal fri", in: berlin())
    #expect(line.title == "Bread" && line.list == nil && line.due != nil)
    let others = [RemindersList(id: "1", title: "Work", position: 0)]
    #expect(QuickAddLine("Bread @personal", lists: others, in: berlin()).unknownList == "personal")
  }
}
