// Who uses the engine names accounts, containers and zones as well: one import is enough.
@_exported import SQLiteSyncCloud
