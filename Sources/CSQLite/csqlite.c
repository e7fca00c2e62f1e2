#include "csqlite.h"

#include <sqlite3.h>

int csqlite_keep_statement_journals(int bytes) {
  return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, bytes);
}
