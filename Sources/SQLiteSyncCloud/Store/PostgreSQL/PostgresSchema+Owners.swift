extension PostgresSchema {
  /// Whoever owns a table or function can read and change what is in it, whatever the rules.
  static let owners = """
    DO $$
    DECLARE
      schema oid := to_regnamespace('sqlitesync');
      stranger text;
    BEGIN
      SELECT part.what || ' belongs to the role ' || r.rolname INTO stranger
      FROM (
        SELECT 'the schema sqlitesync' AS what, nspowner AS owner
          FROM pg_namespace WHERE oid = schema
        UNION ALL
        SELECT 'the table sqlitesync.' || relname, relowner FROM pg_class
          WHERE relnamespace = schema
        UNION ALL
        SELECT 'the function sqlitesync.' || proname, proowner FROM pg_proc
          WHERE pronamespace = schema) part
        JOIN pg_roles r ON r.oid = part.owner
      WHERE r.rolname <> current_user AND NOT r.rolsuper
        AND r.oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())
      LIMIT 1;
      IF stranger IS NOT NULL THEN
        RAISE EXCEPTION '%, and not to who sets up the cloud', stranger
          USING ERRCODE = '\(PostgresError.isForeign)';
      END IF;
    END $$;

    """
}
