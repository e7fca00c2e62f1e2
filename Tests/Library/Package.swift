// swift-tools-version: 6.1
import PackageDescription

// A package outside of this one, as somebody has it who depends on the library: `make test-library`
// builds it and runs its programs.

/// The articles of the documentation that have code: each is a program that `ArticleTests` writes.
let articles = [
  "Accounts", "Assets", "ConflictsAndHistory", "GettingStarted", "Metadata", "MigratingKeys",
  "Performance", "Schemas", "Sharing", "Stores", "Testing", "TheCloud",
]
let examples = ["Counter", "Recipes", "Seed", "WebNotes"]
/// Names that people give to targets of their own, and the modules of this package once had.
let common = ["Cloud", "Hashing", "Images", "Reminders", "Terminal", "TestSupport"]

let library: [Target.Dependency] = [
  .product(name: "SQLiteSync", package: "Reminders"),
  .product(name: "SQLiteSyncCloudConformance", package: "Reminders"),
  .product(name: "GRDB", package: "GRDB.swift"),
]

let package = Package(
  name: "LibraryTests",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // Without its traits: nothing of the app is resolved or built.
    .package(name: "Reminders", path: "../..", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: (articles + examples).map { .executableTarget(name: $0, dependencies: library) }
    + common.map { .target(name: $0, path: "Sources/Names/\($0)") } + [
      .executableTarget(
        name: "Names", dependencies: library + common.map { .byName(name: $0) },
        path: "Sources/Names/Program")
    ],
  swiftLanguageModes: [.v6]
)
