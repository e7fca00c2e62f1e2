extension ZoneCheck {
  /// Reads the assets of an epoch and compares them with their hashes and with who names them.
  func checkAssets(_ walk: LogWalk, epoch: Int64) throws {
    let prefix = layout.assets(epoch: epoch)
    // Listed after the log was read: an asset is published before the commit that names it.
    let folder = try folder(prefix) { $0.isRegular && AssetReference.isName($0.name) }
    var files: [String: StoreEntry] = [:]
    for entry in folder.expected { files[entry.name] = entry }
    var living: Set<String> = []
    for (name, version) in walk.state?.versions ?? [:] {
      for asset in version.assets where living.insert(asset.name).inserted {
        try checkAsset(asset, among: files, of: name.string, epoch: epoch)
      }
    }
    for entry in folder.expected where !living.contains(entry.name) {
      notes.count { $0.assets += 1 }
      // What is not known whole may name it.
      guard walk.state != nil, walk.isWhole, !walk.namedAssets.contains(entry.name),
        now - entry.modified >= policy.assetAge
      else { continue }
      notes.add(
        .note, folder.path(of: entry), "No record and no commit names this asset.",
        "It can be removed.",
        repair: isOwn ? .remove(StoreKey(prefix, listed: entry)) : nil)
    }
  }

  private func checkAsset(
    _ asset: AssetReference, among files: [String: StoreEntry], of record: String,
    epoch: Int64
  ) throws {
    // The rules let no commit in that names an asset otherwise.
    guard let key = layout.asset(asset, epoch: epoch), let hash = ContentHash(asset.sha256) else {
      return
    }
    notes.count { $0.assets += 1 }
    func lost(_ problem: String) {
      let equals = files.values.filter {
        $0.name != asset.name && $0.name.hasPrefix(asset.sha256) && $0.byteCount == asset.byteCount
      }
      lostAsset(
        key, hash, problem,
        equals: equals.map { StoreKey(layout.assets(epoch: epoch), listed: $0) })
    }
    guard let file = files[asset.name] else {
      lost("The asset of \(record) is missing.")
      return
    }
    guard file.byteCount == asset.byteCount,
      try scope == .losses
        || store.read(key, limit: CloudLimits.assetBytes + 1).map(ContentHash.init(of:)) == hash
    else {
      lost("The asset of \(record) is not what was published.")
      return
    }
  }
}
