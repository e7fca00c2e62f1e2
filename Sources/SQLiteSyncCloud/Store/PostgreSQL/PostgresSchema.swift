/// What a cloud consists of in a database: one schema, whose functions are the only way to what is
/// in it.
///
/// - `objects` is the store: immutable rows, by directory and name in the order of their bytes.
/// - `accounts` says which account was given to a role; who has been given none has that of their
///   name.
/// - `directories` says whose a directory is, and `grants` who else may do what in it, by the raw
///   values of `StoreAccess.Level`.
///
/// Whoever may log in may insert what row-level security lets in, under his own name and the
/// server's time: the columns `author` and `modified` are not his to give. He may read by function
/// only, what he knows the directory of: a policy for reading would show everybody the directories
/// whose names are what protects them. Owners and people are roles by their names, so that a dump
/// can be restored elsewhere.
enum PostgresSchema {
  static let version: Int64 = 1
  /// Where it is told that something was created, by the hash of the directory.
  static let channel = "sqlitesync"

  /// Makes all of it, or adds what is missing: one transaction, which can be repeated.
  ///
  /// Whose it is, is looked at before anything is added and once more at the end: until then
  /// somebody else may have made a part of it.
  static let script =
    check + owners + tables + accounts + directories + administration + reading + writing
    + removing + grants + owners

  private static let check = """
    SELECT pg_advisory_xact_lock(7307216);
    DO $$
    DECLARE known integer;
    BEGIN
      IF current_setting('server_version_num')::integer < 110000 THEN
        RAISE EXCEPTION 'the server is older than PostgreSQL 11' USING ERRCODE = '0A000';
      END IF;
      IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the encoding of the database is % and not UTF8',
          current_setting('server_encoding') USING ERRCODE = '0A000';
      END IF;
      IF to_regclass('sqlitesync.format') IS NOT NULL THEN
        SELECT max(version) INTO known FROM sqlitesync.format;
      END IF;
      IF known > \(version) THEN
        RAISE EXCEPTION 'it is of format %, which needs a newer version of this program', known
          USING ERRCODE = '0A000';
      END IF;
    END $$;

    """

  private static let directories = """
    CREATE OR REPLACE FUNCTION sqlitesync.milliseconds(moment timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE AS $$ SELECT (extract(epoch FROM moment) * 1000)::bigint $$;

    -- What the user may do in a directory: 4 list and read, 2 add, 1 open by name; null where there
    -- is none. Who administers the database reads all. Volatile: a row's policy asks for what its
    -- trigger has just made.
    CREATE OR REPLACE FUNCTION sqlitesync.level(directory text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      RETURN (
        SELECT CASE WHEN d.owner = session_user THEN 7 ELSE coalesce(
          (SELECT g.level FROM sqlitesync.grants g
            WHERE g.prefix = directory AND g.who = session_user),
          (SELECT g.level FROM sqlitesync.grants g
            WHERE g.prefix = directory AND g.who = 'public'),
          0) | CASE WHEN sqlitesync.administers() THEN 5 ELSE 0 END END
        FROM sqlitesync.directories d WHERE d.prefix = directory);
    END $$;

    -- Makes a directory and those above it: whoever has none yet makes that of an account, the rest
    -- belongs to whom the account belongs. With the rights of who calls it.
    CREATE OR REPLACE FUNCTION sqlitesync.make_for(directory text, maker text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      parts text[] := string_to_array(directory, '/');
      part text;
      above text := '';
    BEGIN
      IF EXISTS (SELECT FROM sqlitesync.directories WHERE prefix = directory) THEN RETURN; END IF;
      IF parts[1] IS DISTINCT FROM 'accounts' OR '' = ANY (parts) THEN
        RAISE EXCEPTION 'a cloud has no directory %', directory USING ERRCODE = '42501';
      END IF;
      FOR depth IN 1 .. array_length(parts, 1) LOOP
        part := array_to_string(parts[1:depth], '/');
        IF NOT EXISTS (SELECT FROM sqlitesync.directories WHERE prefix = part) THEN
          IF depth > 2 AND NOT EXISTS (
            SELECT FROM sqlitesync.directories WHERE prefix = above AND owner = maker)
          THEN
            RAISE EXCEPTION 'permission denied for directory %', above USING ERRCODE = '42501';
          END IF;
          INSERT INTO sqlitesync.directories (prefix, parent, name, owner)
            VALUES (part, above, parts[depth], maker) ON CONFLICT DO NOTHING;
          IF depth <= 3 THEN
            INSERT INTO sqlitesync.grants VALUES (part, 'public', 1) ON CONFLICT DO NOTHING;
          END IF;
        END IF;
        above := part;
      END LOOP;
    END $$;

    -- The same for the user, of whose account it must be.
    CREATE OR REPLACE FUNCTION sqlitesync.make(directory text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      id text := split_part(directory, '/', 2);
      holder text;
    BEGIN
      IF EXISTS (SELECT FROM sqlitesync.directories WHERE prefix = directory) THEN RETURN; END IF;
      holder := sqlitesync.account_role(id);
      IF holder IS NULL AND id !~ '^@[a-z0-9][a-z0-9._-]{0,31}$' THEN
        RAISE EXCEPTION
          'the accounts of a database are named like its roles or given to them, and % is not', id
          USING ERRCODE = '42501';
      END IF;
      IF holder <> session_user THEN
        RAISE EXCEPTION 'the account of the role % is not that of %', holder, session_user
          USING ERRCODE = '42501';
      END IF;
      IF holder IS NULL AND EXISTS (SELECT FROM pg_roles WHERE '@' || rolname = id) THEN
        RAISE EXCEPTION 'the account of the role % is %, and not %', substr(id, 2),
          sqlitesync.role_account(substr(id, 2)), id USING ERRCODE = '42501';
      END IF;
      PERFORM sqlitesync.make_for(directory, session_user);
    END $$;

    CREATE OR REPLACE FUNCTION sqlitesync.owner(directory text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT sqlitesync.user_number(owner) FROM sqlitesync.directories WHERE prefix = directory
    $$;

    -- Says who may do what in a directory: numbers of roles with levels, and the level of all
    -- others. With the rights of who calls it.
    CREATE OR REPLACE FUNCTION sqlitesync.set_access(directory text, people jsonb, others integer)
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      DELETE FROM sqlitesync.grants WHERE prefix = directory;
      INSERT INTO sqlitesync.grants
        SELECT directory, 'public', others
        UNION ALL
        SELECT directory, r.rolname, p.value::integer
          FROM jsonb_each_text(people) p JOIN pg_roles r ON r.oid = p.key::oid;
    END $$;

    CREATE OR REPLACE FUNCTION sqlitesync.allow(directory text, people jsonb, others integer)
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      PERFORM sqlitesync.make(directory);
      IF NOT EXISTS (
        SELECT FROM sqlitesync.directories WHERE prefix = directory AND owner = session_user)
      THEN
        RAISE EXCEPTION 'permission denied for directory %', directory USING ERRCODE = '42501';
      END IF;
      PERFORM sqlitesync.set_access(directory, people, others);
    END $$;

    -- The same, asked by the owner or who administers the database; the number of all others is
    -- null.
    CREATE OR REPLACE FUNCTION sqlitesync.access(directory text)
    RETURNS TABLE (who bigint, may bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT CASE WHEN g.who <> 'public' THEN sqlitesync.user_number(g.who) END, g.level::bigint
      FROM sqlitesync.directories d
        JOIN (SELECT * FROM sqlitesync.grants UNION ALL SELECT directory, 'public', 0) g
          USING (prefix)
      WHERE d.prefix = directory AND (d.owner = session_user OR sqlitesync.administers())
    $$;

    """

  private static let reading = """
    CREATE OR REPLACE FUNCTION sqlitesync.read(directory text, object text, most integer)
    RETURNS TABLE (author bigint, content bytea)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE may integer := sqlitesync.level(directory);
    BEGIN
      IF may & 1 = 0 THEN
        RAISE EXCEPTION 'permission denied for directory %', directory USING ERRCODE = '42501';
      END IF;
      -- A role that may only drop something does not see what others have dropped.
      RETURN QUERY
        SELECT sqlitesync.user_number(o.author), substring(o.bytes FROM 1 FOR most)
        FROM sqlitesync.objects o
        WHERE may <> 3 AND o.prefix = directory AND o.name = object;
    END $$;

    -- Objects and directories; the size of a directory is null.
    CREATE OR REPLACE FUNCTION sqlitesync.list(directory text, after text, most integer)
    RETURNS TABLE (entry text, size bigint, changed bigint, owner bigint, others bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF sqlitesync.level(directory) & 4 = 0 THEN
        RAISE EXCEPTION 'permission denied for directory %', directory USING ERRCODE = '42501';
      END IF;
      RETURN QUERY
        SELECT e.entry, e.size, e.changed, sqlitesync.user_number(e.owner), e.others
        FROM (
          (SELECT o.name AS entry, octet_length(o.bytes)::bigint AS size,
              sqlitesync.milliseconds(o.modified) AS changed, o.author AS owner, 5::bigint AS others
            FROM sqlitesync.objects o WHERE o.prefix = directory AND o.name > after
            ORDER BY o.name LIMIT most)
          UNION ALL
          (SELECT d.name, NULL, 0::bigint, d.owner,
              coalesce((SELECT g.level FROM sqlitesync.grants g
                WHERE g.prefix = d.prefix AND g.who = 'public'), 0)::bigint
            FROM sqlitesync.directories d WHERE d.parent = directory AND d.name > after
            ORDER BY d.name LIMIT most)) e
        ORDER BY e.entry LIMIT most;
    END $$;

    """

  private static let writing = """
    -- Nobody builds upon what a power cut takes back: whatever a session has set, it waits.
    CREATE OR REPLACE FUNCTION sqlitesync.admit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      PERFORM sqlitesync.make(NEW.prefix);
      RETURN NEW;
    END $$;

    -- Everybody in the database hears it, so it does not say which directory.
    CREATE OR REPLACE FUNCTION sqlitesync.tell() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE directory text := CASE TG_TABLE_NAME WHEN 'objects' THEN to_jsonb(NEW)->>'prefix'
      ELSE to_jsonb(NEW)->>'parent' END;
    BEGIN
      PERFORM pg_notify(
        '\(channel)', left(encode(sha256(convert_to(directory, 'UTF8')), 'hex'), 32));
      RETURN NULL;
    END $$;

    DROP TRIGGER IF EXISTS admit ON sqlitesync.objects;
    CREATE TRIGGER admit BEFORE INSERT ON sqlitesync.objects
      FOR EACH ROW EXECUTE FUNCTION sqlitesync.admit();
    DROP TRIGGER IF EXISTS tell ON sqlitesync.objects;
    CREATE TRIGGER tell AFTER INSERT ON sqlitesync.objects
      FOR EACH ROW EXECUTE FUNCTION sqlitesync.tell();
    DROP TRIGGER IF EXISTS tell ON sqlitesync.directories;
    CREATE TRIGGER tell AFTER INSERT ON sqlitesync.directories
      FOR EACH ROW EXECUTE FUNCTION sqlitesync.tell();

    ALTER TABLE sqlitesync.objects ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS writing ON sqlitesync.objects;
    CREATE POLICY writing ON sqlitesync.objects FOR INSERT
      WITH CHECK (author = session_user AND sqlitesync.level(prefix) & 2 <> 0);

    """

  private static let removing = """
    -- The header of a file of the log; null when it is none.
    CREATE OR REPLACE FUNCTION sqlitesync.header(content bytea) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    DECLARE header jsonb;
    BEGIN
      header := convert_from(substring(content FROM 1 FOR position('\\x0a'::bytea IN content) - 1),
        'UTF8')::jsonb;
      RETURN CASE jsonb_typeof(header) WHEN 'object' THEN header END;
    EXCEPTION WHEN data_exception OR invalid_text_representation THEN
      RETURN NULL;
    END $$;

    -- Whether a commit or a part of a checkpoint is needed no more, as far as `meta` says.
    CREATE OR REPLACE FUNCTION sqlitesync.is_folded(zone text, epoch bigint, object text)
    RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      is_commit boolean := object ~ '^[0-9]{16}[.]json$';
      is_created boolean := false;
      checkpoints integer := 0;
      entry jsonb;
    BEGIN
      FOR entry IN
        SELECT sqlitesync.header(o.bytes) FROM sqlitesync.objects o
        WHERE o.prefix = zone || '/meta' ORDER BY o.name DESC
      LOOP
        CONTINUE WHEN entry IS NULL;
        IF (entry->>'epoch')::bigint > epoch THEN RETURN true; END IF;
        CASE entry->>'kind'
        WHEN 'zoneCreated' THEN
          is_created := true;
        WHEN 'zoneDeleted' THEN
          IF NOT is_created THEN RETURN true; END IF;
        WHEN 'checkpoint' THEN
          CONTINUE WHEN (entry->>'epoch')::bigint <> epoch;
          IF is_commit THEN
            IF (entry->'checkpoint'->>'floor')::bigint >= left(object, 16)::bigint THEN
              RETURN true;
            END IF;
          ELSE
            checkpoints := checkpoints + 1;
            IF checkpoints <= 2 AND EXISTS (
              SELECT FROM jsonb_array_elements(entry->'checkpoint'->'parts') part
              WHERE part->>'name' = object)
            THEN
              RETURN false;
            END IF;
          END IF;
        ELSE
        END CASE;
      END LOOP;
      RETURN NOT is_commit;
    EXCEPTION WHEN data_exception OR invalid_text_representation THEN
      RETURN false;
    END $$;

    -- What the collector and a repair may remove: what the format lets go of, what is junk, and
    -- what was put aside before. Whether an asset is named by a commit is not looked up.
    CREATE OR REPLACE FUNCTION sqlitesync.may_go(directory text, object text, content bytea)
    RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      zone text := substring(directory FROM '^accounts/[^/]+/zones/[^/]+');
      place text := substr(directory, length(zone) + 2);
      epoch text := substring(place FROM '^e([0-9]{1,16})/');
    BEGIN
      IF directory ~ '^accounts/[^/]+/inbox$' OR place IN ('stage', 'quarantine')
        OR place ~ '^e[0-9]+/assets$' OR sqlitesync.header(content) IS NULL
      THEN
        RETURN true;
      END IF;
      IF EXISTS (
        SELECT FROM sqlitesync.objects o
        WHERE o.prefix = zone || '/quarantine'
          AND o.name = object || '-' || left(encode(sha256(content), 'hex'), 12)
          AND o.bytes = content)
      THEN
        RETURN true;
      END IF;
      RETURN coalesce(
        place ~ '/(log|cp)$' AND sqlitesync.is_folded(zone, epoch::bigint, object), false);
    END $$;

    CREATE OR REPLACE FUNCTION sqlitesync.remove(directory text, object text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE content bytea;
    BEGIN
      SELECT o.bytes INTO content FROM sqlitesync.objects o
        WHERE o.prefix = directory AND o.name = object;
      IF NOT FOUND THEN RETURN; END IF;
      -- Junk in the place of CLOUD.json anybody may put away.
      IF directory <> '' AND NOT EXISTS (
        SELECT FROM sqlitesync.directories WHERE prefix = directory AND owner = session_user)
      THEN
        RAISE EXCEPTION 'permission denied for directory %', directory USING ERRCODE = '42501';
      END IF;
      IF NOT sqlitesync.may_go(directory, object, content) THEN
        RAISE EXCEPTION 'the database keeps what the log still needs'
          USING ERRCODE = '\(PostgresError.mustStay)';
      END IF;
      DELETE FROM sqlitesync.objects o WHERE o.prefix = directory AND o.name = object;
    END $$;

    """

  private static let grants = """
    CREATE OR REPLACE FUNCTION sqlitesync.format_version() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT max(version)::bigint FROM sqlitesync.format
    $$;

    GRANT INSERT (prefix, name, bytes) ON sqlitesync.objects TO PUBLIC;
    INSERT INTO sqlitesync.directories (prefix, parent, name)
      VALUES ('', NULL, ''), ('accounts', '', 'accounts') ON CONFLICT DO NOTHING;
    INSERT INTO sqlitesync.grants VALUES ('', 'public', 7), ('accounts', 'public', 7)
      ON CONFLICT DO NOTHING;
    DO $$
    BEGIN
      -- Once: an administrator may have decided otherwise since.
      IF NOT EXISTS (SELECT FROM sqlitesync.format) THEN
        GRANT USAGE ON SCHEMA sqlitesync TO PUBLIC;
        INSERT INTO sqlitesync.format VALUES (\(version));
      END IF;
    END $$;
    """
}
