/// Which assets come to a device by themselves, and how many of the others it keeps.
///
/// An asset is a BLOB of more bytes than a commit may hold: it lies beside the log of its zone. See
/// `SyncConfiguration.assetPolicy`.
public struct SyncAssetPolicy: Hashable, Sendable {
  /// Assets of more bytes come when they are asked for: see `SyncEngine.asset(_:of:)`.
  let byteLimit: Int
  /// How many bytes of those the rows keep altogether.
  let keptBytes: Int

  /// All of them come, after the records that name them, and stay.
  public static let all = SyncAssetPolicy(byteLimit: .max, keptBytes: .max)

  /// The large ones come when they are asked for.
  ///
  /// Their columns are `NULL` until then, or have the bytes of before. It is about columns that may
  /// be `NULL`; what others hold always comes. Those that were used last stay, and of the rest only
  /// what the cloud has is let go of.
  ///
  /// - Parameters:
  ///   - byteLimit: The most bytes of an asset that comes by itself.
  ///   - keptBytes: The most bytes that rows have of larger ones, unless one alone has more.
  public static func onDemand(above byteLimit: Int, keeping keptBytes: Int) -> SyncAssetPolicy {
    SyncAssetPolicy(byteLimit: byteLimit, keptBytes: keptBytes)
  }

  /// Whether bytes do not come to a column by themselves; nil is one that this version does not
  /// have.
  func holdsBack(_ byteCount: Int, from column: TableSchema.Column?) -> Bool {
    column?.isNotNull == false && byteCount > byteLimit
  }
}
