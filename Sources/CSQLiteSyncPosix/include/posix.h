// What Glibc's module map hides from Swift, macros and functions under _GNU_SOURCE, and what Darwin
// has under another name.
#ifndef CPOSIX_H
#define CPOSIX_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/// Whether `mode` is that of a regular file (the macro S_ISREG).
int cposix_is_regular(mode_t mode);
/// Whether `mode` is that of a directory (the macro S_ISDIR).
int cposix_is_directory(mode_t mode);
/// Whether `mode` is that of a symbolic link (the macro S_ISLNK).
int cposix_is_link(mode_t mode);

/// The flag of `openat` for a directory that one may pass through and not list (O_PATH).
int cposix_path_flag(void);

/// Whether what has a path was mounted there (statx, STATX_ATTR_MOUNT_ROOT); 0 where the system
/// does not say so, before Linux 5.8.
int cposix_is_mounted(const char *path);

/// The bytes of an open file's attribute (fgetxattr), or -1; also where it is open as a path only.
ssize_t cposix_attribute(int file, const char *name, void *value, size_t size);
/// Sets an open file's attribute (fsetxattr).
int cposix_set_attribute(int file, const char *name, const void *value, size_t size);

/// The command of `fcntl` that locks for an open file and not for a process (F_OFD_SETLK).
int cposix_lock_command(void);
/// When a file was last modified.
struct timespec cposix_modified(const struct stat *status);
/// Waits until an open file is on the disk: fsync, and on Darwin what goes further than the drive's
/// own memory.
int cposix_synchronize(int file);

/// Starts a program, found by PATH, in a process group of its own; returns an error number, or 0.
///
/// It blocks and ignores no signals, inherits no files but its standard `streams` (-1 is
/// /dev/null), and on Linux gets SIGTERM when this process ends, however that ends.
int cposix_start_child(char *const arguments[], const int streams[3], pid_t *child);

/// Has all threads take their memory from so many arenas (M_ARENA_MAX), from the start on.
void cposix_share_memory(int arenas);
/// Opens /dev/null in place of standard files that are closed: the next file that is opened, such
/// as the database, would be taken for one of them, and what is printed be written into it.
/// Writing there fails.
void cposix_open_standard_files(void);
/// Writes what was printed; returns an error number when not all of it could be written, or 0.
int cposix_flush_output(void);
/// Gives memory that is free again back to the system (malloc_trim).
void cposix_release_memory(void);

#endif
