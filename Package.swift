// swift-tools-version: 6.1
import PackageDescription

// `make` sets REMINDERS_STRICT. It cannot be the default: SwiftPM refuses unsafe flags in a package
// that others depend on, and `SQLiteSync` is a library for others.
let isStrict = Context.environment["REMINDERS_STRICT"] != nil
let settings: [SwiftSetting] = isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : []

// `make test` optimises what is tested: schedules by the thousand go through it. To optimise the
// tests themselves would cost minutes of building and gain nothing.
let testSettings =
  settings
  + (isStrict
    ? [.unsafeFlags(["-Xfrontend", "-Onone"], .when(configuration: .release))] : [])

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// Who depends on the library with `traits: []` resolves nothing that only the app needs.
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["App"]))

// `make fuzz` sets REMINDERS_FUZZ: without libFuzzer's runtime this target cannot be linked.
let fuzzers: [Target] =
  Context.environment["REMINDERS_FUZZ"] == nil
  ? []
  : [.executableTarget(name: "fuzz", dependencies: ["Fuzzing"], path: "Tests/Fuzz")]

// `make bench` sets REMINDERS_BENCH: who builds the app needs none of it.
let benchmarks: [Target] =
  Context.environment["REMINDERS_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "Benchmarks", dependencies: ["Cloud", "SQLiteSync", "CSQLite", grdb],
      path: "Tests/Benchmarks",
      swiftSettings: settings)
  ]

let package = Package(
  name: "Reminders",
  products: [
    .executable(name: "reminders", targets: ["RemindersCLI"]),
    .library(name: "SQLiteSync", targets: ["SQLiteSync"]),
    .library(name: "Cloud", targets: ["Cloud"]),
  ],
  traits: [
    .trait(name: "App", description: "The program reminders, beside the library."),
    .default(enabledTraits: ["App"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "CNcurses", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .target(name: "CPosix"),
    .target(name: "CGd"),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(name: "CNettle"),
    .target(name: "Hashing", dependencies: ["CNettle"], swiftSettings: settings),
    .target(name: "Images", dependencies: ["CGd", "Hashing"], swiftSettings: settings),
    .target(name: "Cloud", dependencies: ["CPosix", "Hashing"], swiftSettings: settings),
    .target(name: "SQLiteSync", dependencies: ["Cloud", "Hashing", grdb], swiftSettings: settings),
    .target(
      name: "Reminders", dependencies: ["SQLiteSync", "Images", "Hashing", grdb],
      swiftSettings: settings),
    .target(name: "Terminal", dependencies: ["CNcurses"], swiftSettings: settings),
    .target(
      name: "RemindersUI", dependencies: ["Reminders", "SQLiteSync", "Images", "Terminal"],
      swiftSettings: settings),
    .executableTarget(
      name: "RemindersCLI",
      dependencies: ["RemindersUI", "Terminal", "CPosix", "CSQLite", argumentParser],
      swiftSettings: settings),

    .target(
      name: "TestSupport",
      dependencies: ["Cloud", "SQLiteSync", "Reminders", "Terminal", "CSQLite", grdb],
      path: "Tests/TestSupport", swiftSettings: testSettings),
    .target(
      name: "Fuzzing", dependencies: ["Cloud"], path: "Tests/Fuzzing", swiftSettings: settings),
    // Optimised, as it brings its own disk.
    .target(
      name: "CloudSimulation", dependencies: ["Cloud", "TestSupport"],
      path: "Tests/CloudSimulation", swiftSettings: settings),
    .testTarget(
      name: "CloudTests",
      dependencies: ["Cloud", "CloudSimulation", "Fuzzing", "Hashing", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SQLiteSyncTests", dependencies: ["SQLiteSync", "TestSupport", grdb],
      swiftSettings: testSettings),
    .testTarget(
      name: "ImagesTests", dependencies: ["Images", "CGd", "TestSupport"],
      swiftSettings: testSettings, linkerSettings: [.linkedLibrary("gd")]),
    .testTarget(
      name: "TerminalTests", dependencies: ["Terminal", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "RemindersTests", dependencies: ["Reminders", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RemindersUITests", dependencies: ["RemindersUI", "TestSupport"],
      exclude: ["Screens"], swiftSettings: testSettings),
    .testTarget(
      name: "CLITests", dependencies: ["RemindersCLI", "TestSupport"], swiftSettings: testSettings),
    .testTarget(name: "TidyTests", swiftSettings: testSettings),
  ] + fuzzers + benchmarks,
  swiftLanguageModes: [.v6]
)
