// What Glibc's module map hides from Swift: macros and functions under _GNU_SOURCE.
#ifndef CPOSIX_H
#define CPOSIX_H

#include <stdint.h>
#include <sys/stat.h>

/// Whether `mode` is that of a regular file (the macro S_ISREG).
int cposix_is_regular(mode_t mode);
/// Whether `mode` is that of a directory (the macro S_ISDIR).
int cposix_is_directory(mode_t mode);
/// Whether `mode` is that of a symbolic link (the macro S_ISLNK).
int cposix_is_link(mode_t mode);

#endif
