extension ICalendarFile {
  /// The components of a file.
  struct Content {
    private(set) var title: String?
    /// The lines of each VTODO that has an end.
    private(set) var todos: [[Line]] = []
    private(set) var zones: [String: ICalendarZone] = [:]
    private(set) var hasCalendar = false
    /// Whether the last calendar has no end.
    private(set) var isOpen = false
    private var todo: [Line]?
    private var zone: [Line]?
    // Components lie in each other: those inside of a VTODO are alarms, whose lines are of interest
    // too.
    private var inner = 0

    /// Whether a VTODO or a VTIMEZONE has no end.
    private(set) var isUnfinished = false

    /// Reads lines.
    ///
    /// - Parameters:
    ///   - texts: All of them.
    ///   - isWhole: Whether each component ends in the one in which it begins.
    ///   - batch: What cannot be carried over is named there.
    mutating func read(_ texts: [String], isWhole: Bool, _ batch: inout ImportBatch) {
      for text in texts {
        guard let line = batch.line(text) else { continue }
        let component = line.value.uppercased()
        if !isWhole { leave(beforeThat: line.name, component, &batch) }
        switch (line.name, component) {
        case ("BEGIN", "VCALENDAR"): (hasCalendar, isOpen) = (true, true)
        case ("END", "VCALENDAR") where todo == nil: isOpen = false
        case ("BEGIN", "VTIMEZONE") where todo == nil: zone = []
        case ("END", "VTIMEZONE") where zone != nil: endZone()
        case _ where zone != nil: zone?.append(line)
        case ("BEGIN", "VTODO") where todo == nil: todo = []
        case ("END", "VTODO") where inner == 0:
          if let lines = todo { todos.append(lines) }
          todo = nil
        case ("BEGIN", _) where todo != nil:
          inner += 1
          if inner == 1, component != "VALARM" {
            batch.problems.append("a \(component) of a VTODO was left out")
          }
          todo?.append(line)
        case ("BEGIN", _): batch.countOther(component)
        case ("END", _):
          if inner > 0 { todo?.append(line) }
          inner = max(0, inner - 1)
        case ("X-WR-CALNAME", _) where todo == nil: title = unescaped(line.value)
        default: todo?.append(line)
        }
      }
      isUnfinished = todo != nil || zone != nil
      leaveAll(&batch)
    }

    private mutating func endZone() {
      let lines = zone ?? []
      if let name = lines.first(where: { $0.name == "TZID" }) {
        zones[name.value] = ICalendarZone(lines)
      }
      zone = nil
    }

    /// Leaves a VTODO in which what comes now cannot be; its end is also that of what is in it.
    private mutating func leave(
      beforeThat name: String, _ component: String, _ batch: inout ImportBatch
    ) {
      switch (name, component) {
      case ("BEGIN", "VTODO"), ("BEGIN", "VCALENDAR"), ("END", "VCALENDAR"): leaveAll(&batch)
      case ("END", "VTODO"): inner = 0
      default: break
      }
    }

    private mutating func leaveAll(_ batch: inout ImportBatch) {
      if todo != nil { batch.problems.append("a VTODO without an end was left out") }
      if zone != nil { batch.problems.append("a VTIMEZONE without an end was left out") }
      (todo, zone, inner) = (nil, nil, 0)
    }
  }
}

extension ImportBatch {
  /// Reads a line; one that is none is named.
  fileprivate mutating func line(_ text: String) -> ICalendarFile.Line? {
    if let line = ICalendarFile.Line(text) { return line }
    problems.append("not a line of iCalendar: “\(text.oneLine.prefix(60))”")
    return nil
  }

  fileprivate mutating func countOther(_ component: String) {
    let problem = "what is not a VTODO was left out: \(component)"
    if !problems.contains(problem) { problems.append(problem) }
  }
}
