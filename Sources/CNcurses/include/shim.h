#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

// The narrow part of C that the Terminal room needs. ncurses' own header is not exposed: its globals
// and macros cannot be used from Swift 6, and nothing else is wanted from it.

#include <stdint.h>

// How many cells ncurses gives a scalar in a UTF-8 locale, whatever the process's locale is;
// -1 when it cannot be shown.
int cn_scalar_columns(uint32_t scalar);

#endif
