#define _GNU_SOURCE
#include "posix.h"

int cposix_is_regular(mode_t mode) { return S_ISREG(mode); }
int cposix_is_directory(mode_t mode) { return S_ISDIR(mode); }
int cposix_is_link(mode_t mode) { return S_ISLNK(mode); }
