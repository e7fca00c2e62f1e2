#define _GNU_SOURCE
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#include <sys/xattr.h>
#endif

int cposix_is_regular(mode_t mode) { return S_ISREG(mode); }
int cposix_is_directory(mode_t mode) { return S_ISDIR(mode); }
int cposix_is_link(mode_t mode) { return S_ISLNK(mode); }

#ifdef __APPLE__
// Never compiled yet: there was no Mac. The access control lists of Darwin are another kind; an
// attribute of this name would only look like one. So it is a system without them.

int cposix_path_flag(void) { return O_SEARCH; }

ssize_t cposix_attribute(int file, const char *name, void *value, size_t size) {
  errno = ENOTSUP;
  return -1;
}

int cposix_set_attribute(int file, const char *name, const void *value, size_t size) {
  errno = ENOTSUP;
  return -1;
}

int cposix_lock_command(void) { return 90; } // F_OFD_SETLK, which older SDKs keep private

struct timespec cposix_modified(const struct stat *status) { return status->st_mtimespec; }

int cposix_synchronize(int file) {
  // Not every file system has it.
  return fcntl(file, F_FULLFSYNC) == -1 ? fsync(file) : 0;
}

int cposix_is_mounted(const char *path) {
  (void)path; // Only directories are mounted.
  return 0;
}

void cposix_share_memory(int arenas) { (void)arenas; }

void cposix_release_memory(void) { malloc_zone_pressure_relief(NULL, 0); }
#else
int cposix_path_flag(void) { return O_PATH; }

int cposix_is_mounted(const char *path) {
  struct statx status;
  return statx(AT_FDCWD, path, 0, 0, &status) == 0 &&
         (status.stx_attributes & status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

ssize_t cposix_attribute(int file, const char *name, void *value, size_t size) {
  ssize_t count = fgetxattr(file, name, value, size);
  if (count >= 0 || errno != EBADF) return count;
  // A directory that one may not read is open only as a path: that has attributes by its name.
  char path[sizeof "/proc/self/fd/" + 3 * sizeof file];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return getxattr(path, name, value, size);
}

int cposix_set_attribute(int file, const char *name, const void *value, size_t size) {
  return fsetxattr(file, name, value, size, 0);
}

int cposix_lock_command(void) { return F_OFD_SETLK; }

struct timespec cposix_modified(const struct stat *status) { return status->st_mtim; }

int cposix_synchronize(int file) { return fsync(file); }

void cposix_share_memory(int arenas) { mallopt(M_ARENA_MAX, arenas); }

void cposix_release_memory(void) { malloc_trim(0); }
#endif

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
