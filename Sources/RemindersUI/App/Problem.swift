import RemindersCore

/// The screens' word for what did not work: a reason, and a hint what to do.
public typealias Problem = AppError
