import Foundation

/// Runs a command to its end, whatever it says; returns its exit code.
func exitCode(of command: String...) throws -> Int32 { try exitCode(of: command) }

/// Runs a command to its end, whatever it says; returns its exit code.
func exitCode(of command: [String]) throws -> Int32 {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  return process.terminationStatus
}
