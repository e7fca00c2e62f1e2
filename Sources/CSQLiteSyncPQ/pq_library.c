#include "pq_library.h"

#include <dlfcn.h>
#include <stdint.h>

// OpenSSL, if that is what it speaks TLS with, frees what it has when the process exits, under the
// hands of threads that still use it: OPENSSL_INIT_NO_ATEXIT of OPENSSL_init_crypto(3). What the
// process itself did before with OpenSSL stays as it is.
static void leave_openssl_at_exit(void *handle) {
  int (*init)(uint64_t options, const void *settings) =
      (__typeof__(init))dlsym(handle, "OPENSSL_init_crypto");
  if (init != NULL) init(0x00080000, NULL);
}

// It is never unloaded: the functions are called until the process ends.
_Bool pq_library_load(const char *file, pq_library *library) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return 0;
  leave_openssl_at_exit(handle);
  void *function;
#define PQ_LIBRARY_FIND(type, name, parameters) \
  function = dlsym(handle, #name); \
  if (function == NULL) return 0; \
  library->name = (__typeof__(library->name))function;
  PQ_LIBRARY_FUNCTIONS(PQ_LIBRARY_FIND)
#undef PQ_LIBRARY_FIND
  return 1;
}
