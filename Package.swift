// swift-tools-version: 6.1
import PackageDescription

// `make` sets REMINDERS_STRICT. It cannot be the default: SwiftPM refuses unsafe flags in a package
// that others depend on, and `SQLiteSync` is a library for others.
let isStrict = Context.environment["REMINDERS_STRICT"] != nil
// `make test` sets REMINDERS_TESTABLE: its tests look into our own modules, not into others.
let isTestable = Context.environment["REMINDERS_TESTABLE"] != nil
let settings: [SwiftSetting] =
  (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])
  + (isTestable ? [.unsafeFlags(["-enable-testing"], .when(configuration: .release))] : [])

// `make test` optimises what is tested: schedules by the thousand go through it. To optimise the
// tests themselves would cost minutes of building and gain nothing.
let testSettings =
  settings
  + (isStrict
    ? [.unsafeFlags(["-Xfrontend", "-Onone"], .when(configuration: .release))] : [])

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// A package that depends on the library with `traits: []` resolves nothing that only the app needs.
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["App"]))
let swiftLog = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"]))

// `make fuzz` sets REMINDERS_FUZZ: without libFuzzer's runtime this target cannot be linked.
let fuzzers: [Target] =
  Context.environment["REMINDERS_FUZZ"] == nil
  ? []
  : [.executableTarget(name: "fuzz", dependencies: ["RemindersFuzzing"], path: "Tests/Fuzz")]

// `make bench` sets REMINDERS_BENCH: a build of the app needs none of it.
let benchmarks: [Target] =
  Context.environment["REMINDERS_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["SQLiteSyncCloud", "SQLiteSync", "RemindersCore", "CRemindersSQLite", grdb],
      path: "Tests/Benchmarks",
      swiftSettings: settings)
  ]

// What Nettle does on Linux, CommonCrypto does on Darwin.
let nettle = Target.Dependency.target(
  name: "CSQLiteSyncNettle", condition: .when(platforms: [.linux]))

// A cloud behind ssh needs a process and Linux's sockets; nobody has tried libpq on Darwin.
#if os(Linux)
  let onlyOnLinux: [String] = []
#else
  let onlyOnLinux = ["Store/PostgreSQL", "Store/SSH"]
#endif

let package = Package(
  name: "Reminders",
  // For the library; the app is for Linux. Neither was ever built on a Mac.
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "reminders", targets: ["RemindersCLI"]),
    .library(name: "SQLiteSync", targets: ["SQLiteSync"]),
    .library(name: "SQLiteSyncCloud", targets: ["SQLiteSyncCloud"]),
    // What a store must do, for whoever writes one.
    .library(name: "SQLiteSyncCloudConformance", targets: ["SQLiteSyncCloudConformance"]),
  ],
  traits: [
    .trait(name: "App", description: "The program reminders, beside the library."),
    .trait(name: "SwiftLog", description: "An engine's log can go to a Logger of swift-log."),
    .default(enabledTraits: ["App"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    // For `swift package generate-documentation`. No product needs it, so SwiftPM resolves it for
    // nobody who depends on one.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .target(
      name: "CRemindersNcurses",
      linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .target(name: "CSQLiteSyncPosix"),
    .target(name: "CSQLiteSyncCurl"),
    .target(name: "CSQLiteSyncPQ"),
    .target(name: "CRemindersGd"),
    .target(name: "CRemindersSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(
      name: "CSQLiteSyncNettle", pkgConfig: "nettle",
      providers: [.apt(["nettle-dev"]), .yum(["nettle-devel"])]),
    .target(name: "SQLiteSyncHashing", dependencies: [nettle], swiftSettings: settings),
    .target(name: "RemindersFiles", swiftSettings: settings),
    .target(
      name: "RemindersImages",
      dependencies: ["CRemindersGd", "RemindersFiles", "SQLiteSyncHashing"],
      swiftSettings: settings),
    .target(
      name: "SQLiteSyncCloud",
      dependencies: [
        "CSQLiteSyncCurl", "CSQLiteSyncPosix", "CSQLiteSyncPQ", "SQLiteSyncHashing",
      ],
      exclude: onlyOnLinux, swiftSettings: settings),
    .target(
      name: "SQLiteSyncCloudConformance", dependencies: ["SQLiteSyncCloud"],
      swiftSettings: settings),
    .target(
      name: "SQLiteSync",
      dependencies: ["SQLiteSyncCloud", "CSQLiteSyncPosix", "SQLiteSyncHashing", grdb, swiftLog],
      swiftSettings: settings),
    .target(
      name: "RemindersCore",
      dependencies: [
        "SQLiteSync", "RemindersFiles", "RemindersImages", "SQLiteSyncHashing", grdb,
      ],
      swiftSettings: settings),
    .target(
      name: "RemindersTerminal", dependencies: ["CRemindersNcurses"], swiftSettings: settings),
    .target(
      name: "RemindersUI",
      dependencies: [
        "RemindersCore", "RemindersFiles", "RemindersImages", "RemindersTerminal", "SQLiteSync",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "RemindersCLI",
      dependencies: [
        "RemindersUI", "RemindersCore", "RemindersFiles", "RemindersTerminal", "SQLiteSync",
        "SQLiteSyncCloud", "CSQLiteSyncPosix", "CRemindersSQLite", argumentParser,
      ],
      swiftSettings: settings),

    .target(
      name: "RemindersTestSupport",
      dependencies: ["SQLiteSyncCloud", "SQLiteSync", "CRemindersSQLite", grdb],
      path: "Tests/RemindersTestSupport", swiftSettings: testSettings),
    // Apart, so that the engine's tests compile while RemindersCore does.
    .target(
      name: "RemindersCoreTestSupport",
      dependencies: ["RemindersCore", "RemindersTestSupport", "SQLiteSync", grdb],
      path: "Tests/RemindersCoreTestSupport", swiftSettings: testSettings),
    .target(
      name: "RemindersFuzzing", dependencies: ["SQLiteSyncCloud"], path: "Tests/RemindersFuzzing",
      swiftSettings: settings),
    // Optimised, as it brings its own disk.
    .target(
      name: "SQLiteSyncCloudSimulation", dependencies: ["SQLiteSyncCloud", "RemindersTestSupport"],
      path: "Tests/SQLiteSyncCloudSimulation", swiftSettings: settings),
    .testTarget(
      name: "SQLiteSyncCloudTests",
      dependencies: [
        "SQLiteSyncCloud", "SQLiteSyncCloudConformance", "SQLiteSyncCloudSimulation",
        "RemindersFuzzing", "SQLiteSyncHashing", "RemindersTestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "SQLiteSyncTests",
      dependencies: ["SQLiteSync", "SQLiteSyncCloud", "RemindersTestSupport", grdb, swiftLog],
      swiftSettings: testSettings),
    .testTarget(
      name: "RemindersImagesTests",
      dependencies: ["RemindersImages", "CRemindersGd", "RemindersTestSupport"],
      swiftSettings: testSettings, linkerSettings: [.linkedLibrary("gd")]),
    .testTarget(
      name: "RemindersTerminalTests", dependencies: ["RemindersTerminal", "RemindersTestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RemindersCoreTests",
      dependencies: [
        "RemindersCore", "RemindersCoreTestSupport", "RemindersFiles", "RemindersImages",
        "RemindersTestSupport", "SQLiteSync", "SQLiteSyncCloud", grdb,
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "RemindersUITests",
      dependencies: [
        "RemindersUI", "RemindersCore", "RemindersCoreTestSupport", "RemindersImages",
        "RemindersTerminal", "RemindersTestSupport", "SQLiteSync", "SQLiteSyncCloud", grdb,
      ],
      exclude: ["Screens"], swiftSettings: testSettings),
    .testTarget(
      name: "CLITests",
      dependencies: [
        "RemindersCLI", "RemindersTestSupport", "SQLiteSyncCloud", "SQLiteSyncCloudConformance",
      ],
      swiftSettings: testSettings),
    // Optimised, as it is small and reads every file of the tree.
    .testTarget(name: "TidyTests", swiftSettings: settings),
  ] + fuzzers + benchmarks,
  swiftLanguageModes: [.v6]
)
