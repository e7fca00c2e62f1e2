/// The tables, and what is added to those of which a part is gone.
extension PostgresSchema {
  static let tables = """
    CREATE SCHEMA IF NOT EXISTS sqlitesync;
    CREATE TABLE IF NOT EXISTS sqlitesync.format (version integer NOT NULL);
    CREATE TABLE IF NOT EXISTS sqlitesync.accounts (
      account text COLLATE "C" PRIMARY KEY,
      role text COLLATE "C" NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS sqlitesync.directories (
      prefix text COLLATE "C" PRIMARY KEY,
      parent text COLLATE "C",
      name text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL DEFAULT session_user,
      UNIQUE (parent, name));
    CREATE TABLE IF NOT EXISTS sqlitesync.grants (
      prefix text COLLATE "C" REFERENCES sqlitesync.directories,
      who text COLLATE "C",
      level integer NOT NULL,
      PRIMARY KEY (prefix, who));
    CREATE TABLE IF NOT EXISTS sqlitesync.objects (
      prefix text COLLATE "C",
      name text COLLATE "C",
      bytes bytea NOT NULL,
      author text COLLATE "C" NOT NULL DEFAULT session_user,
      modified timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (prefix, name));
    -- The beginning of a value is read without the rest.
    ALTER TABLE sqlitesync.objects ALTER bytes SET STORAGE EXTERNAL;
    ALTER TABLE sqlitesync.objects
      ADD COLUMN IF NOT EXISTS modified timestamptz NOT NULL DEFAULT clock_timestamp();
    -- What the others held, only a backup has.
    DO $$ BEGIN
      PERFORM account, role FROM sqlitesync.accounts LIMIT 0;
      PERFORM prefix, parent, name, owner FROM sqlitesync.directories LIMIT 0;
      PERFORM prefix, who, level FROM sqlitesync.grants LIMIT 0;
      PERFORM prefix, name, bytes, author FROM sqlitesync.objects LIMIT 0;
      PERFORM version FROM sqlitesync.format LIMIT 0;
    EXCEPTION WHEN undefined_column THEN
      RAISE EXCEPTION 'a table of it is damaged, restore it from a backup: %', SQLERRM
        USING ERRCODE = '0A000';
    END $$;

    """
}
