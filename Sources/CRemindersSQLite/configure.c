#include "csqlite.h"

#if !__has_include(<sqlite3.h>)
#error "SQLite is missing. Install it: apt install libsqlite3-dev (Debian)."
#endif
#include <sqlite3.h>

// SQLite counts what memory it takes, under one lock for all connections, and nobody here asks for
// the count. Where several threads read and write, most of their time would go into that lock.
//
// It can only be said before SQLite begins to work, so it is said while the program is loaded. It
// is for the whole process: a program that links the library SQLiteSync decides for itself.
// https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus
__attribute__((constructor)) static void csqlite_configure(void) {
  // Too late, which is all that can be wrong, is only slower.
  (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
