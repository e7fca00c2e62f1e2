import Testing

/// The built program in real terminals; one test at a time, since each runs several processes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EndToEnd {}
