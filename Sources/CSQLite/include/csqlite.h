// What Swift cannot call of SQLite: functions of variable arguments.
#ifndef CSQLITE_H
#define CSQLITE_H

/// Has SQLite keep the journals of single statements in memory up to so many bytes
/// (SQLITE_CONFIG_STMTJRNL_SPILL), on every connection of this process.
///
/// Returns SQLite's result code: SQLITE_MISUSE (21), and nothing changed, when SQLite has been used
/// before.
int csqlite_keep_statement_journals(int bytes);

#endif
