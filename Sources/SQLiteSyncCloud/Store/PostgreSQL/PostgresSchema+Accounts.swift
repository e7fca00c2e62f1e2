extension PostgresSchema {
  /// Whose an account is: the one mapping between accounts and roles.
  static let accounts = """
    -- The number of a role; 2^32 - 1 of one that is no more.
    CREATE OR REPLACE FUNCTION sqlitesync.user_number(role text) RETURNS bigint
    LANGUAGE sql STABLE AS $$
      SELECT coalesce(to_regrole(quote_ident(role))::oid::bigint, 4294967295)
    $$;

    -- The role that an account was given to; else that of its name, unless it has another account.
    CREATE OR REPLACE FUNCTION sqlitesync.account_role(id text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT coalesce(
        (SELECT a.role FROM sqlitesync.accounts a WHERE a.account = id),
        (SELECT r.rolname::text FROM pg_roles r
          WHERE '@' || r.rolname = id
            AND NOT EXISTS (SELECT FROM sqlitesync.accounts a WHERE a.role = r.rolname)))
    $$;

    -- The account of a role; NULL for one whose name is that of an account that another role has.
    CREATE OR REPLACE FUNCTION sqlitesync.role_account(who text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT coalesce(
        (SELECT a.account FROM sqlitesync.accounts a WHERE a.role = who),
        (SELECT '@' || who
          WHERE NOT EXISTS (SELECT FROM sqlitesync.accounts a WHERE a.account = '@' || who)))
    $$;

    -- Who speaks for an account: its role; else whoever owns its directory.
    CREATE OR REPLACE FUNCTION sqlitesync.speaker(id text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT sqlitesync.user_number(coalesce(r.holder, d.owner))
      FROM sqlitesync.account_role(id) r(holder)
        LEFT JOIN sqlitesync.directories d ON d.prefix = 'accounts/' || id
      WHERE coalesce(r.holder, d.owner) IS NOT NULL
    $$;

    -- As programs ask that do not know of given accounts.
    CREATE OR REPLACE FUNCTION sqlitesync.account_user(account text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT sqlitesync.speaker('@' || account)
    $$;

    -- Whether the user could do everything anyway.
    CREATE OR REPLACE FUNCTION sqlitesync.administers() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT pg_has_role(session_user, relowner, 'USAGE') FROM pg_class
        WHERE oid = 'sqlitesync.objects'::regclass
    $$;

    -- Gives an account to a role, with the rights of who calls it.
    CREATE OR REPLACE FUNCTION sqlitesync.give(id text, receiver text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE other text;
    BEGIN
      -- Whoever makes an account's directory meanwhile has looked whose it is.
      LOCK TABLE sqlitesync.accounts IN ACCESS EXCLUSIVE MODE;
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = receiver) THEN
        RAISE EXCEPTION 'there is no role %', receiver USING ERRCODE = '\(PostgresError.isNoRole)';
      END IF;
      IF sqlitesync.role_account(receiver) = id THEN RETURN; END IF;
      other := sqlitesync.account_role(id);
      IF other IS NULL THEN
        SELECT owner INTO other FROM sqlitesync.directories
          WHERE prefix = 'accounts/' || id AND owner <> receiver;
      END IF;
      IF other IS NOT NULL THEN
        RAISE EXCEPTION 'the account % is that of the role %', id, other
          USING ERRCODE = '\(PostgresError.isGiven)';
      END IF;
      SELECT account INTO other FROM sqlitesync.accounts WHERE role = receiver;
      IF FOUND THEN
        RAISE EXCEPTION 'the role % has the account % already', receiver, other
          USING ERRCODE = '\(PostgresError.isGiven)';
      END IF;
      IF EXISTS (SELECT FROM sqlitesync.directories
        WHERE prefix = 'accounts/@' || receiver AND owner = receiver)
      THEN
        RAISE EXCEPTION 'the role % uses the cloud already, with the account of its own name',
          receiver USING ERRCODE = '\(PostgresError.isGiven)';
      END IF;
      INSERT INTO sqlitesync.accounts VALUES (id, receiver);
    END $$;

    """

  /// What an administrator of the database does for others, as when a whole cloud comes into it.
  ///
  /// These functions have the rights of who calls them: nobody else may insert what they do.
  static let administration = """
    -- Makes a directory of an account for its role.
    CREATE OR REPLACE FUNCTION sqlitesync.make_for_role(directory text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      id text := split_part(directory, '/', 2);
      holder text := sqlitesync.account_role(id);
    BEGIN
      IF holder IS NULL AND id NOT LIKE '@%' THEN
        RAISE EXCEPTION 'the account % is that of no role', id USING ERRCODE = '42501';
      END IF;
      PERFORM sqlitesync.make_for(directory, coalesce(holder, session_user));
    END $$;

    -- Inserts an object as its writer's; where that is no role, as that of who calls it.
    CREATE OR REPLACE FUNCTION sqlitesync.restore(
      directory text, object text, content bytea, writer bigint) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE who text := (SELECT rolname FROM pg_roles WHERE oid::bigint = writer);
    BEGIN
      PERFORM sqlitesync.make_for_role(directory);
      INSERT INTO sqlitesync.objects (prefix, name, bytes, author)
        VALUES (directory, object, content, coalesce(who, session_user)) ON CONFLICT DO NOTHING;
      RETURN FOUND::integer;
    END $$;

    CREATE OR REPLACE FUNCTION sqlitesync.restore_access(
      directory text, people jsonb, others integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      PERFORM sqlitesync.make_for_role(directory);
      PERFORM sqlitesync.set_access(directory, people, others);
    END $$;

    """
}
