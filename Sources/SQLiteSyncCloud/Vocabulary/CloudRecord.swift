/// A record as it is sent and fetched: the whole image, each field with its clock.
public struct CloudRecord: Hashable, Sendable {
  /// Unique in its zone: `<primary key>:<record type>` for the rows of a database.
  public var name: String
  /// The table, for the rows of a database.
  public var type: String
  /// The record this one depends on.
  ///
  /// The cloud refuses a record whose parent is not there.
  public var parent: String?
  /// When the record was created or last revived.
  ///
  /// A record lives while this or one of its fields' clocks is later than its latest deletion.
  public var life: FieldClock
  /// The fields by name.
  ///
  /// A field that the writer did not know is absent.
  public var fields: [String: CloudField]

  /// A record image.
  public init(
    name: String, type: String, parent: String? = nil, life: FieldClock,
    fields: [String: CloudField] = [:]
  ) {
    self.name = name
    self.type = type
    self.parent = parent
    self.life = life
    self.fields = fields
  }

  /// The latest edit of the record: what a deletion must be later than.
  public var latestClock: FieldClock {
    fields.values.reduce(life) { max($0, $1.clock) }
  }
}

/// What is left of a deleted record: enough to tell whether a later edit revives it.
public struct Tombstone: Hashable, Sendable {
  /// The name of the deleted record.
  public var name: String
  /// Its type.
  public var type: String
  /// When it was deleted, and by which device.
  public var clock: FieldClock

  /// The deletion of a record.
  public init(name: String, type: String, clock: FieldClock) {
    self.name = name
    self.type = type
    self.clock = clock
  }
}
