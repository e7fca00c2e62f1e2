import Foundation
import SQLiteSyncHashing

extension ZoneLog {
  /// Stores the bytes of an asset beside the log, before the commit that names it.
  ///
  /// Every upload has its own name, so nothing that is about to be named can be taken for garbage.
  public func publishAsset(_ bytes: Data) throws -> AssetReference {
    guard bytes.count <= CloudLimits.assetBytes else {
      throw CloudError(
        .limitExceeded, "An asset of \(bytes.count) bytes.",
        hint: "At most \(CloudLimits.assetBytes).")
    }
    try container.requireWritable()
    let manifest = try manifest()
    try manifest.requireWritable(id)
    let hash = ContentHash(of: bytes)
    var contention = Contention(environment: environment)
    while true {
      let upload = withUnsafeBytes(of: environment.random().bigEndian) { $0.prefix(4).hexadecimal }
      let reference = AssetReference(name: "\(hash)-\(upload)", byteCount: bytes.count)
      guard let key = layout.asset(reference, epoch: manifest.epoch) else {
        throw CloudError(.internalError, "An asset was given a name of another form.")
      }
      switch store.createIfAbsent(key, bytes) {
      case .created: return reference
      case .failed(let error): throw error
      // The name is new at each attempt: whatever is there of this one is garbage at worst.
      case .unknown(let error): try contention.lost(key, failure: error)
      case .exists: try contention.lost(key)
      }
    }
  }

  /// Whether the zone has an asset; its bytes are not looked at.
  public func hasAsset(_ reference: AssetReference) throws -> Bool {
    try container.requireOpen()
    guard let key = try layout.asset(reference, epoch: manifest().epoch) else { return false }
    return try store.read(key, limit: 0) != nil
  }

  /// The bytes of an asset in the log before the one that the zone has now, verified; nil when they
  /// are not there.
  public func readEarlierAsset(_ reference: AssetReference) throws -> Data? {
    try container.requireOpen()
    let epoch = try manifest().epoch
    return epoch > 1 ? try readAsset(reference, epoch: epoch - 1) : nil
  }

  /// Reads the bytes of an asset and verifies them.
  ///
  /// - Throws: `assetFileNotFound` when they are missing or not those that were published.
  public func readAsset(_ reference: AssetReference) throws -> Data {
    try container.requireOpen()
    guard let bytes = try readAsset(reference, epoch: manifest().epoch) else {
      throw CloudError.missingAsset(reference)
    }
    return bytes
  }

  private func readAsset(_ reference: AssetReference, epoch: Int64) throws -> Data? {
    guard let key = layout.asset(reference, epoch: epoch),
      let bytes = try store.read(key, limit: CloudLimits.assetBytes + 1),
      bytes.count == reference.byteCount,
      ContentHash(of: bytes).description == reference.sha256
    else { return nil }
    return bytes
  }
}

extension CloudError {
  static func missingAsset(_ reference: AssetReference) -> CloudError {
    CloudError(
      .assetFileNotFound,
      "The file of an asset of \(reference.byteCount) bytes is missing or damaged.",
      hint: "It is tried again; a check of the cloud names the file.")
  }
}
