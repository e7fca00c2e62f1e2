#define _GNU_SOURCE
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/xattr.h>

int cposix_is_regular(mode_t mode) { return S_ISREG(mode); }
int cposix_is_directory(mode_t mode) { return S_ISDIR(mode); }
int cposix_is_link(mode_t mode) { return S_ISLNK(mode); }

int cposix_path_flag(void) { return O_PATH; }

ssize_t cposix_attribute(int file, const char *name, void *value, size_t size) {
  return fgetxattr(file, name, value, size);
}

int cposix_set_attribute(int file, const char *name, const void *value, size_t size) {
  return fsetxattr(file, name, value, size, 0);
}

int cposix_remove_attribute(int file, const char *name) { return fremovexattr(file, name); }

void cposix_share_memory(int arenas) { mallopt(M_ARENA_MAX, arenas); }

void cposix_open_standard_files(void) {
  for (int file = 0; file <= 2; file++) {
    // A new file gets the lowest number that is free.
    if (fcntl(file, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1) return;
  }
}

int cposix_flush_output(void) {
  int has_failed = ferror(stdout);
  if (fflush(stdout) != 0) return errno;
  return has_failed ? EIO : 0;
}

void cposix_release_memory(void) { malloc_trim(0); }
