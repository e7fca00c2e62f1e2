// Apps that use the engine name accounts, containers and zones as well: one import is enough.
@_exported import SQLiteSyncCloud
