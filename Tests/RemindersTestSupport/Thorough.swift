import Foundation

/// Whether all that is tried now and then, as far as `make test` has time, is tried: THOROUGH=1.
public let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil
