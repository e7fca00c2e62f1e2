// What a row has in a column for which no value came.
extension SchemaInspection.RawTable.Column {
  /// Whether a row must have a value for it that is not its key.
  var isRequired: Bool { keyPosition == 0 && isNotNull }

  /// Functions that make the same of the same arguments.
  private static let constantFunctions: Set<String> = [
    "abs", "cast", "char", "coalesce", "concat", "concat_ws", "format", "hex", "ifnull", "iif",
    "instr", "json", "json_array", "json_object", "jsonb", "jsonb_array", "jsonb_object", "length",
    "lower", "ltrim", "max", "min", "nullif", "printf", "quote", "replace", "round", "rtrim",
    "sign", "substr", "substring", "trim", "typeof", "unhex", "unicode", "upper", "zeroblob",
  ]

  /// Whether a record that lacks the value waits, although there is a default: of one that is
  /// another value each time each device would have its own.
  var awaitsValue: Bool { isRequired && hasVaryingDefault && !replacesNull }

  /// Whether the default is another value each time, as far as can be told: functions that are not
  /// known count as such.
  var hasVaryingDefault: Bool {
    guard let defaultSQL, let tokens = SQLTokenizer.tokens(of: defaultSQL) else { return false }
    let clocks = ["CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]
    return tokens.indices.contains { index in
      if clocks.contains(where: tokens[index].isWord) { return true }
      guard index + 1 < tokens.count, tokens[index + 1].isSymbol("("),
        let name = tokens[index].name
      else { return false }
      return !Self.constantFunctions.contains(name.asciiLowercased)
    }
  }

  /// Whether a row has a value if none is given.
  var hasDefault: Bool { (defaultSQL ?? "NULL").uppercased() != "NULL" }
}
