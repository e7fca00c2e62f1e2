// swift-tools-version: 6.1
import PackageDescription

// A package outside of this one, as somebody has it who depends on the library: `make test-library`
// builds it and runs its programs.
let package = Package(
  name: "LibraryTests",
  dependencies: [
    // Without its traits: nothing of the app is resolved or built.
    .package(name: "Reminders", path: "../..", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: ["GettingStarted", "Counter", "Recipes", "Seed"].map { name in
    .executableTarget(
      name: name,
      dependencies: [
        .product(name: "SQLiteSync", package: "Reminders"),
        .product(name: "SQLiteSyncCloud", package: "Reminders"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ])
  },
  swiftLanguageModes: [.v6]
)
